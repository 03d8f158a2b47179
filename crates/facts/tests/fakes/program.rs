/// The smallest program with build information in it: an ELF header, two sections, their names and their table.
pub fn go_program(build: &str) -> Vec<u8> {
    let names = b"\0.shstrtab\0.go.buildinfo\0";
    let mut info = b"\xff Go buildinf:\x08\x02".to_vec();
    info.resize(32, 0);
    for text in ["go1.24.1".to_owned(), format!("{}{build}{}", "<".repeat(16), ">".repeat(16))] {
        let mut length = text.len();
        while length >= 0x80 {
            info.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
            length >>= 7;
        }
        info.push(u8::try_from(length).unwrap());
        info.extend_from_slice(text.as_bytes());
    }
    let names_at = 64;
    let info_at = names_at + names.len();
    let table_at = info_at + info.len();
    let mut program = vec![0; 64];
    program[..6].copy_from_slice(b"\x7fELF\x02\x01");
    program[40..48].copy_from_slice(&(table_at as u64).to_le_bytes());
    program[58..60].copy_from_slice(&64u16.to_le_bytes());
    program[60..62].copy_from_slice(&3u16.to_le_bytes());
    program[62..64].copy_from_slice(&1u16.to_le_bytes());
    program.extend_from_slice(names);
    program.extend_from_slice(&info);
    for (name, at, size) in [(0u32, 0, 0), (1, names_at, names.len()), (11, info_at, info.len())] {
        let mut section = [0; 64];
        section[..4].copy_from_slice(&name.to_le_bytes());
        section[24..32].copy_from_slice(&(at as u64).to_le_bytes());
        section[32..40].copy_from_slice(&(size as u64).to_le_bytes());
        program.extend_from_slice(&section);
    }
    program
}
