//! The examples of RFC 7541, appendix C.

use super::*;

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}

fn table(decoder: &Decoder) -> Vec<(&str, &str)> {
    let text = |bytes| str::from_utf8(bytes).unwrap();
    decoder.entries.iter().map(|(name, value)| (text(name), text(value))).collect()
}

#[test]
fn single_fields() {
    for (block, name, value, size) in [
        (
            "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572",
            "custom-key",
            "custom-header",
            55,
        ),
        ("040c 2f73 616d 706c 652f 7061 7468", ":path", "/sample/path", 0),
        ("1008 7061 7373 776f 7264 0673 6563 7265 74", "password", "secret", 0),
        ("82", ":method", "GET", 0),
    ] {
        let mut decoder = Decoder::new();
        assert_eq!(decoder.decode(&bytes(block)).unwrap(), Fields::from([(name, value)]));
        assert_eq!(decoder.size, size, "{name}");
    }
}

#[test]
fn requests_with_and_without_huffman() {
    let plain = [
        "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
        "8286 84be 5808 6e6f 2d63 6163 6865",
        "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
    ];
    let huffman = [
        "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
        "8286 84be 5886 a8eb 1064 9cbf",
        "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
    ];
    for blocks in [plain, huffman] {
        let mut decoder = Decoder::new();
        let authority = (":authority", "www.example.com");
        let fields = [(":method", "GET"), (":scheme", "http"), (":path", "/"), authority];
        assert_eq!(decoder.decode(&bytes(blocks[0])).unwrap(), Fields::from(fields));
        assert_eq!((table(&decoder), decoder.size), (vec![authority], 57));
        let [method, scheme, path, _] = fields;
        let cache = ("cache-control", "no-cache");
        let expected = Fields::from([method, scheme, path, authority, cache]);
        assert_eq!(decoder.decode(&bytes(blocks[1])).unwrap(), expected);
        assert_eq!((table(&decoder), decoder.size), (vec![cache, authority], 110));
        let custom = ("custom-key", "custom-value");
        let expected =
            Fields::from([method, (":scheme", "https"), (":path", "/index.html"), authority, custom]);
        assert_eq!(decoder.decode(&bytes(blocks[2])).unwrap(), expected);
        assert_eq!((table(&decoder), decoder.size), (vec![custom, cache, authority], 164));
    }
}

#[test]
fn responses_that_fill_a_table_of_256_bytes() {
    let plain = [
        "4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 \
         3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
        "4803 3330 37c1 c0bf",
        "88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 \
         7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 \
         6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31",
    ];
    let huffman = [
        "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad \
         1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
        "4883 640e ffc1 c0bf",
        "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 \
         e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07",
    ];
    let (private, location) = (("cache-control", "private"), ("location", "https://www.example.com"));
    let (early, late) =
        (("date", "Mon, 21 Oct 2013 20:13:21 GMT"), ("date", "Mon, 21 Oct 2013 20:13:22 GMT"));
    let encoding = ("content-encoding", "gzip");
    let cookie = ("set-cookie", "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1");
    for blocks in [plain, huffman] {
        let mut decoder = Decoder { largest: 256, ..Decoder::new() };
        let (found, temporary) = ((":status", "302"), (":status", "307"));
        let expected = Fields::from([found, private, early, location]);
        assert_eq!(decoder.decode(&bytes(blocks[0])).unwrap(), expected);
        assert_eq!((table(&decoder), decoder.size), (vec![location, early, private, found], 222));
        let expected = Fields::from([temporary, private, early, location]);
        assert_eq!(decoder.decode(&bytes(blocks[1])).unwrap(), expected);
        assert_eq!((table(&decoder), decoder.size), (vec![temporary, location, early, private], 222));
        let expected = Fields::from([(":status", "200"), private, late, location, encoding, cookie]);
        assert_eq!(decoder.decode(&bytes(blocks[2])).unwrap(), expected);
        assert_eq!((table(&decoder), decoder.size), (vec![cookie, encoding, late], 215));
    }
}

#[test]
fn the_table_shrinks_when_the_server_says_so_and_never_grows_beyond_its_limit() {
    let mut decoder = Decoder::new();
    decoder.decode(&bytes("4001 6101 62")).unwrap();
    assert_eq!(decoder.decode(&bytes("be")).unwrap(), Fields::from([("a", "b")]));
    decoder.decode(&bytes("20")).unwrap();
    assert_eq!(table(&decoder), []);
    assert_eq!(decoder.decode(&bytes("be")), Err(MALFORMED));
    // Back to 4096; one more is too much, and after a field it is too late.
    assert!(decoder.decode(&bytes("3fe1 1f")).is_ok());
    assert_eq!(decoder.decode(&bytes("3fe2 1f")), Err(MALFORMED));
    assert_eq!(decoder.decode(&bytes("8820")), Err(MALFORMED));
    // An entry larger than the table empties it.
    decoder.decode(&bytes("4001 6101 62")).unwrap();
    let mut large = bytes("4001 617f e11f");
    large.resize(large.len() + 127 + 0xfe1, b'x');
    let fields = decoder.decode(&large).unwrap();
    assert_eq!((fields.get("a").unwrap().len(), decoder.entries.len(), decoder.size), (127 + 0xfe1, 0, 0));
}

#[test]
fn a_small_block_cannot_stand_for_a_large_header() {
    let mut decoder = Decoder::new();
    let mut block = bytes("4001 617f a10e");
    block.resize(block.len() + 127 + 0x721, b'x');
    block.resize(block.len() + 100, 0xbe);
    assert_eq!(decoder.decode(&block), Err(Http2Error::HeaderTooLarge));
}

#[test]
fn what_is_cut_or_points_nowhere_is_malformed() {
    for block in
        ["80", "be", "ff", "40", "4001", "400161", "40016102", "7f", "0f", "00", "1001", "400184ffffffff01"]
    {
        assert_eq!(Decoder::new().decode(&bytes(block)), Err(MALFORMED), "{block}");
    }
}
