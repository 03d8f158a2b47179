//! Size, sameness and secrecy of documents.

use slipway_contract::custom_data::{Bring, Form, LIMIT, Order, read, render};

use super::{FORMS, difficult, noisy, rendered};

#[test]
fn the_same_order_gives_the_same_bytes_and_another_contract_another_boundary() {
    for contract in [difficult(), noisy(80_000)] {
        for form in FORMS {
            let [first, second] = [(); 2].map(|()| rendered(&contract, form));
            assert_eq!(first.document.expose(), second.document.expose(), "{form:?}");
        }
    }
    let boundary = |contract| {
        let document = rendered(&contract, Form::Boothook).document.expose().clone();
        String::from_utf8(document).unwrap().lines().nth(1).unwrap().to_owned()
    };
    assert_ne!(boundary(difficult()), boundary(noisy(10)));
}

#[test]
fn a_document_is_compressed_only_when_it_does_not_fit_otherwise() {
    for form in FORMS {
        let small = rendered(&noisy(20_000), form);
        assert!(!small.compressed, "{form:?}");
        let mut contract = noisy(20_000);
        contract.message_of_the_day = "a".repeat(100_000);
        let large = rendered(&contract, form);
        assert!(large.compressed, "{form:?}");
        assert!(large.base64().expose().len() <= LIMIT, "{form:?}");
        assert_eq!(large.document.expose().starts_with(b"\x1f\x8b"), form != Form::Ignition);
        let contents = read(large.base64().expose().as_bytes()).unwrap();
        assert_eq!(contents.contracts().next().unwrap().contract, contract, "{form:?}");
    }
}

#[test]
fn the_largest_document_that_fits_is_not_compressed_and_the_next_one_is() {
    let mut contract = noisy(0);
    let free = LIMIT / 4 * 3 - rendered(&contract, Form::Boothook).document.expose().len();
    contract.message_of_the_day = "a".repeat(free - "\"message_of_the_day\":\"\",".len());
    let full = rendered(&contract, Form::Boothook);
    assert_eq!(full.base64().expose().len(), LIMIT);
    assert!(!full.compressed);
    contract.message_of_the_day.push('a');
    assert!(rendered(&contract, Form::Boothook).compressed);
}

#[test]
fn an_error_names_the_size_the_limit_and_the_largest_fields() {
    for form in FORMS {
        let mut contract = noisy(300_000);
        contract.kubernetes_ca_cert = "b".repeat(1000);
        contract.auth_config.get_or_insert_default().service_principal_secret =
            "hunter2".repeat(80).as_str().into();
        let error = render(&Order { contract: &contract, form, bring: None }).unwrap_err();
        assert!(error.size > LIMIT);
        assert_eq!(error.largest[0].path, "custom_ca_certs[0]");
        assert_eq!(error.largest[0].size, 300_002);
        assert_eq!(error.largest[1].path, "kubernetes_ca_cert");
        assert_eq!(error.largest[2].path, "auth_config.service_principal_secret");
        assert_eq!(error.largest.len(), 5);
        let text = format!("{error} {error:?}");
        assert!(text.contains("87380") && text.contains(&error.size.to_string()), "{text}");
        assert!(text.contains("custom_ca_certs[0] (300002 bytes)"), "{text}");
        assert!(!text.contains("hunter2"), "{text}");
    }
}

#[test]
fn nothing_but_the_document_shows_a_secret() {
    let contract = difficult();
    let bring = Bring::parse("https://example.com/slipway?sig=hunter2", &"0".repeat(64)).unwrap();
    for form in FORMS {
        let data = render(&Order { contract: &contract, form, bring: Some(&bring) }).unwrap();
        let shown = format!("{data:?} {:?} {bring:?}", data.base64());
        assert!(!shown.contains("hunter2") && !shown.contains("aHVudGVyM"), "{shown}");
        let contents = read(data.document.expose()).unwrap();
        assert!(!format!("{contents:?}").contains("hunter2"), "{form:?}");
    }
}

#[test]
fn plain_documents_are_readable_ascii_whatever_the_contract_holds() {
    for form in FORMS {
        let document = rendered(&difficult(), form).document.expose().clone();
        assert!(document.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n')), "{form:?}");
    }
}
