//! Sign-in: who proves who they are gets a token that anybody can check.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{
    RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, RSA_PSS_SHA256, RsaEncoding, RsaKeyPair,
    RsaPublicKeyComponents,
};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use serde_json::{Value, json};
use slipway_lab::azure::{Cloud, Fault, KUBERNETES, Principal, Route, TENANT, Times};

use crate::Lab;
use crate::client::Reply;

const CERTIFICATE: &str = include_str!("data/application.crt");
const KEY: &str = include_str!("data/application.key");
const FORM: &[(&str, &str)] = &[("Content-Type", "application/x-www-form-urlencoded")];

fn certificate() -> Vec<u8> {
    CertificateDer::from_pem_slice(CERTIFICATE.as_bytes()).unwrap().to_vec()
}

fn application() -> Principal {
    let mut application =
        Principal::application("flex").with_secret("s3cr3t~&=+").with_certificate(certificate());
    application.groups = vec!["a-group".to_owned()];
    application
}

fn lab() -> Lab {
    Lab::with(Vec::new(), Cloud { principals: vec![application()], ..Cloud::default() })
}

fn sign_in(lab: &Lab, tenant: &str, fields: &[(&str, &str)]) -> Reply {
    let encoded =
        |text: &str| text.replace('%', "%25").replace('&', "%26").replace('=', "%3D").replace('+', "%2B");
    let body: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    lab.sign_in().send("POST", &format!("/{tenant}/oauth2/v2.0/token"), FORM, body.join("&").as_bytes())
}

fn by_secret(lab: &Lab, client: &str, secret: &str, scope: &str) -> Reply {
    let fields = [
        ("grant_type", "client_credentials"),
        ("client_id", client),
        ("client_secret", secret),
        ("scope", scope),
    ];
    sign_in(lab, TENANT, &fields)
}

fn claims(token: &str) -> Value {
    let claims = token.split('.').nth(1).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap()
}

#[test]
fn a_tenant_says_where_its_keys_are_and_the_keys_prove_its_tokens() {
    let lab = lab();
    let get = |target: &str| lab.sign_in().send("GET", target, &[], b"").json();
    let about = get(&format!("/{TENANT}/v2.0/.well-known/openid-configuration"));
    let issuer = format!("https://login.microsoftonline.com/{TENANT}/v2.0");
    assert_eq!(about["issuer"], *issuer);
    let keys = about["jwks_uri"].as_str().unwrap().strip_prefix("https://login.microsoftonline.com").unwrap();
    let key = get(keys)["keys"][0].clone();

    let scope = format!("{KUBERNETES}/.default");
    let reply = by_secret(&lab, &application().client_id, "s3cr3t~&=+", &scope).json();
    let token = reply["access_token"].as_str().unwrap();
    let (message, signature) = token.rsplit_once('.').unwrap();
    let number = |name: &str| URL_SAFE_NO_PAD.decode(key[name].as_str().unwrap()).unwrap();
    let public = RsaPublicKeyComponents { n: number("n"), e: number("e") };
    let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
    public.verify(&RSA_PKCS1_2048_8192_SHA256, message.as_bytes(), &signature).unwrap();

    let claims = claims(token);
    assert_eq!((&claims["aud"], &claims["iss"]), (&json!(KUBERNETES), &json!(issuer)));
    assert_eq!((&claims["oid"], &claims["tid"]), (&json!(application().object_id), &json!(TENANT)));
    assert_eq!((&claims["appid"], &claims["groups"]), (&json!(application().client_id), &json!(["a-group"])));
    let lifetime = claims["exp"].as_u64().unwrap() - claims["nbf"].as_u64().unwrap();
    assert_eq!(reply["expires_in"], lifetime);

    let instance = get("/common/discovery/instance?api-version=1.1");
    assert!(instance["tenant_discovery_endpoint"].as_str().unwrap().starts_with(&issuer));
}

#[test]
fn whoever_cannot_have_a_token_is_told_why_by_number() {
    let lab = lab();
    let client = application().client_id;
    let arm = "https://management.azure.com/.default";
    let complete = [
        ("grant_type", "client_credentials"),
        ("client_id", &client),
        ("client_secret", "s3cr3t~&=+"),
        ("scope", arm),
    ];
    let without = |name: &str| {
        let fields: Vec<_> = complete.iter().filter(|(other, _)| *other != name).copied().collect();
        sign_in(&lab, TENANT, &fields)
    };
    for (reply, status, error, number) in [
        (sign_in(&lab, "elsewhere", &complete), 400, "invalid_request", 90002),
        (without("grant_type"), 400, "invalid_request", 900_144),
        (without("client_secret"), 401, "invalid_client", 7_000_218),
        (by_secret(&lab, &client, "wrong", arm), 401, "invalid_client", 7_000_215),
        (by_secret(&lab, "nobody", "s3cr3t~&=+", arm), 400, "unauthorized_client", 700_016),
        (by_secret(&lab, &client, "s3cr3t~&=+", "openid"), 400, "invalid_scope", 1_002_012),
        (by_secret(&lab, &client, "s3cr3t~&=+", "urn:x/.default"), 400, "invalid_resource", 500_011),
    ] {
        let body = reply.json();
        assert_eq!(
            (reply.status, &body["error"], &body["error_codes"][0]),
            (status, &json!(error), &json!(number))
        );
        let description = body["error_description"].as_str().unwrap();
        assert!(description.starts_with(&format!("AADSTS{number}: ")), "{description}");
        assert!(!description.contains("s3cr3t"), "{description}");
    }
    assert_eq!(sign_in(&lab, TENANT, &complete).status, 200);
}

/// An assertion that the application's key signs.
fn assertion(algorithm: &str, header: &Value, claims: &Value) -> String {
    let key = PrivatePkcs8KeyDer::from_pem_slice(KEY.as_bytes()).unwrap();
    let key = RsaKeyPair::from_pkcs8(key.secret_pkcs8_der()).unwrap();
    let mut header = header.clone();
    header["alg"] = json!(algorithm);
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let message = format!("{}.{}", part(&header), part(claims));
    let scheme: &dyn RsaEncoding = if algorithm == "PS256" { &RSA_PSS_SHA256 } else { &RSA_PKCS1_SHA256 };
    let mut signature = vec![0; key.public().modulus_len()];
    key.sign(scheme, &SystemRandom::new(), message.as_bytes(), &mut signature).unwrap();
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
}

#[test]
fn a_certificate_proves_an_application_when_it_has_signed_what_counts() {
    let lab = lab();
    let client = application().client_id;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let audience = format!("https://login.microsoftonline.com/{TENANT}/oauth2/v2.0/token");
    let good =
        json!({ "aud": audience, "iss": client, "sub": client, "jti": "1", "nbf": now, "exp": now + 600 });
    let with = |name: &str, value: Value| {
        let mut claims = good.clone();
        claims[name] = value;
        claims
    };
    let print = |algorithm| URL_SAFE_NO_PAD.encode(ring::digest::digest(algorithm, &certificate()));
    let new = json!({ "x5t#S256": print(&ring::digest::SHA256) });
    let old = json!({ "x5t": print(&ring::digest::SHA1_FOR_LEGACY_USE_ONLY) });
    let mut chain = new.clone();
    chain["x5c"] = json!([STANDARD.encode(certificate())]);
    let mut other_chain = new.clone();
    other_chain["x5c"] = json!([STANDARD.encode("another")]);
    let forged = assertion("RS256", &new, &good) + "AAAA";
    for (assertion, number) in [
        (assertion("RS256", &old, &good), None),
        (assertion("PS256", &new, &good), None),
        (assertion("PS256", &chain, &good), None),
        (assertion("PS256", &json!({}), &good), Some(700_027)),
        (assertion("RS256", &json!({ "x5t": "other" }), &good), Some(700_027)),
        (assertion("RS256", &other_chain, &good), Some(700_027)),
        (forged, Some(700_027)),
        (assertion("RS256", &old, &with("exp", json!(now - 3600))), Some(700_024)),
        (assertion("RS256", &old, &with("nbf", json!(now + 3600))), Some(700_024)),
        (assertion("RS256", &old, &with("aud", json!("https://elsewhere.test"))), Some(700_023)),
    ] {
        let fields = [
            ("grant_type", "client_credentials"),
            ("client_id", &client),
            ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
            ("client_assertion", &assertion),
            ("scope", "https://management.azure.com/.default"),
        ];
        let reply = sign_in(&lab, TENANT, &fields);
        assert_eq!(reply.json()["error_codes"][0].as_u64(), number, "{}", reply.text());
        assert_eq!(reply.status, if number.is_some() { 401 } else { 200 });
    }
}

#[test]
fn sign_in_fails_as_it_is_told_to_and_only_there() {
    let lab = lab();
    let client = application().client_id;
    let ask = || by_secret(&lab, &client, "s3cr3t~&=+", "https://management.azure.com/.default");
    lab.azure.fault(Route::SIGN_IN, Fault::Throttle(std::time::Duration::from_secs(3)), Times::First(1));
    lab.azure.fault(Route::SIGN_IN, Fault::Status(503), Times::First(1));
    let throttled = ask();
    assert_eq!((throttled.status, throttled.header("retry-after")), (429, Some("3")));
    let keys = format!("/{TENANT}/discovery/v2.0/keys");
    assert_eq!(lab.sign_in().send("GET", &keys, &[], b"").status, 200);
    assert_eq!(ask().status, 503);
    assert_eq!(ask().status, 200);
}
