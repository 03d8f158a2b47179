//! The export format: a field in each line, an empty line after each record. A value with line ends has its length
//! before it, in eight bytes.

use std::io::{self, BufRead, Read as _};

use super::super::Page;
use super::entry::Entry;

/// As much of a value is kept.
const LONGEST: u64 = 256 * 1024;

pub(super) fn read(
    page: &mut Page<'_>,
    input: &mut dyn BufRead,
    mut entry: impl FnMut(&mut Page<'_>, u64, &Entry<'_>),
) {
    let mut record = Entry::default();
    let (mut number, mut fields, mut line) = (0, 0_usize, Vec::new());
    loop {
        line.clear();
        let read = (&mut *input).take(LONGEST).read_until(b'\n', &mut line);
        let ended = match read {
            Ok(length) => length == 0,
            Err(error) => {
                page.problem(Some(number + 1), format!("cannot be read any further: {error}"));
                true
            }
        };
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        if ended || line.is_empty() {
            number += 1;
            if fields > 0 {
                entry(page, number, &record);
            }
            (record, fields) = (Entry::default(), 0);
            if ended {
                return;
            }
            continue;
        }
        fields += 1;
        if let Some(at) = line.iter().position(|byte| *byte == b'=') {
            record.set(&crate::text(&line[..at]), &line[at + 1..]);
            continue;
        }
        match long_value(input) {
            Ok(value) => record.set(&crate::text(&line), &value),
            Err(error) => {
                page.problem(Some(number + 1), format!("record {} is cut: {error}", number + 1));
                return;
            }
        }
    }
}

/// A value after its length; what is too long of it is passed over.
fn long_value(input: &mut dyn BufRead) -> io::Result<Vec<u8>> {
    let mut length = [0; 8];
    input.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    let mut value = Vec::new();
    let kept = length.min(LONGEST);
    if (&mut *input).take(kept).read_to_end(&mut value)? as u64 != kept {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    // The rest, and the line's end after it.
    let rest = (length - kept).saturating_add(1);
    if io::copy(&mut (&mut *input).take(rest), &mut io::sink())? != rest {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(value)
}
