//! Tokens of a managed identity, of a service principal and of the Azure CLI.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

#[path = "../../fetch/tests/fakes/mod.rs"]
mod fakes;

use std::io;
use std::sync::Mutex;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use fakes::{Request, Server, answer, json, never, soon};
use ring::digest::{SHA256, digest};
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use serde_json::Value;
use slipway_azure::credential::{
    AccessToken, AzureCli, ClientCertificate, ManagedIdentity, ProgramEnd, Proof, RunProgram, Scope,
    ServicePrincipal, TokenError, TokenSource,
};
use slipway_fetch::{Client, Patience, Trust};
use slipway_model::{Blame, Secret};
use x509_cert::der::Decode as _;

const TENANT: &str = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee";
const CLIENT: &str = "99999999-8888-7777-6666-555555555555";
const GRANTED: &str = r#"{"access_token":"tok","expires_in":3599,"token_type":"Bearer"}"#;
const WORD: &str = "s3cr3t~value.with-chars_= &+";
/// An RSA key and its certificate, made for this test, valid until 2126.
const PEM: &str = include_str!("data/client.pem");

fn ask(source: &dyn TokenSource, seconds: u64) -> Result<AccessToken, TokenError> {
    source.token(&Scope::of("https://management.azure.com"), Patience::new(soon(seconds), &never))
}

fn principal(server: &Server, proof: Proof) -> ServicePrincipal {
    let client = Client::new(&Trust::Nobody, None, None).unwrap();
    ServicePrincipal::new(&server.url("http", "/"), TENANT, CLIENT, proof, client).unwrap()
}

/// The fields of a form, unescaped.
fn form(request: &Request) -> Vec<(String, String)> {
    let unescaped = |text: &str| {
        let mut plain = Vec::new();
        let mut bytes = text.bytes();
        while let Some(byte) = bytes.next() {
            let mut digit = || char::from(bytes.next().unwrap()).to_digit(16).unwrap();
            plain.push(if byte == b'%' { u8::try_from(digit() * 16 + digit()).unwrap() } else { byte });
        }
        String::from_utf8(plain).unwrap()
    };
    let text = str::from_utf8(&request.body).unwrap();
    text.split('&')
        .map(|field| field.split_once('=').unwrap())
        .map(|(name, value)| (name.to_owned(), unescaped(value)))
        .collect()
}

fn field(request: &Request, name: &str) -> Option<String> {
    form(request).into_iter().find(|(other, _)| other == name).map(|(_, value)| value)
}

#[test]
fn a_managed_identity_is_asked_for_at_the_metadata_service_until_it_answers() {
    let server = Server::plain(|request| match request.number {
        0 => answer("410 Gone", "", b""),
        1 => answer("404 Not Found", "", b""),
        2 => answer("429 Slowly", "", b""),
        _ => json(GRANTED),
    });
    let identity = ManagedIdentity::new(Some(CLIENT)).unwrap().at(server.address);
    assert_eq!(ask(&identity, 20).unwrap().secret().expose(), "tok");
    let request = &server.requests()[3];
    let line = "GET /metadata/identity/oauth2/token?api-version=2018-02-01\
                &resource=https%3A%2F%2Fmanagement.azure.com&client_id=99999999-8888-7777-6666-555555555555 HTTP/1.1";
    assert_eq!((request.line(), request.field("metadata")), (line, Some("true")));
}

#[test]
fn a_machine_without_the_identity_says_so_at_once() {
    let body = br#"{"error":"invalid_request","error_description":"Identity not found"}"#;
    let server = Server::plain(move |_| answer("400 Bad Request", "", body));
    let identity = ManagedIdentity::new(None).unwrap().at(server.address);
    let error = ask(&identity, 20).unwrap_err();
    assert_eq!(server.requests().len(), 1);
    assert!(error.to_string().contains("Identity not found"), "{error}");
    assert_eq!((error.blame(), error.hint().contains("managed identity")), (Blame::Input, true));
}

#[test]
fn a_secret_goes_into_the_body_and_nowhere_else() {
    let server = Server::plain(|_| json(GRANTED));
    let principal = principal(&server, Proof::Secret(Secret::from(WORD)));
    assert_eq!(ask(&principal, 5).unwrap().secret().expose(), "tok");
    let request = &server.requests()[0];
    assert_eq!(request.line(), format!("POST /{TENANT}/oauth2/v2.0/token HTTP/1.1"));
    assert_eq!(request.field("content-type"), Some("application/x-www-form-urlencoded"));
    for (name, value) in [
        ("grant_type", "client_credentials"),
        ("client_id", CLIENT),
        ("client_secret", WORD),
        ("scope", "https://management.azure.com/.default"),
    ] {
        assert_eq!(field(request, name).as_deref(), Some(value), "{name}");
    }
}

#[test]
fn a_refusal_never_repeats_the_secret() {
    let body = format!(r#"{{"error":"invalid_client","error_description":"{WORD} is wrong"}}"#);
    let server = Server::plain(move |_| answer("401 Unauthorized", "", body.as_bytes()));
    let error = ask(&principal(&server, Proof::Secret(Secret::from(WORD))), 5).unwrap_err();
    assert_eq!(server.requests().len(), 1);
    assert!(!format!("{error} {error:?}").contains("s3cr3t"), "{error}");
    assert!(error.hint().contains("expired"), "{}", error.hint());
}

#[test]
fn a_certificate_signs_a_statement_that_the_directory_can_verify() {
    let server = Server::plain(|_| json(GRANTED));
    let certificate = ClientCertificate::from_pem(&Secret::from(PEM)).unwrap();
    ask(&principal(&server, Proof::Certificate(Box::new(certificate))), 5).unwrap();
    let request = &server.requests()[0];
    let kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
    assert_eq!(field(request, "client_assertion_type").as_deref(), Some(kind));
    assert_eq!(field(request, "client_secret"), None);
    let assertion = field(request, "client_assertion").unwrap();
    let (signed, signature) = assertion.rsplit_once('.').unwrap();
    let (header, claims) = signed.split_once('.').unwrap();
    let part =
        |text: &str| -> Value { serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).unwrap()).unwrap() };
    let (header, claims) = (part(header), part(claims));
    assert_eq!((header["alg"].as_str(), header["typ"].as_str()), (Some("RS256"), Some("JWT")));
    let leaf = STANDARD.decode(header["x5c"][0].as_str().unwrap()).unwrap();
    assert_eq!(leaf, &*CertificateDer::from_pem_slice(PEM.as_bytes()).unwrap());
    assert_eq!(header["x5t#S256"].as_str().unwrap(), URL_SAFE_NO_PAD.encode(digest(&SHA256, &leaf)));
    let leaf = x509_cert::Certificate::from_der(&leaf).unwrap();
    let public = leaf.tbs_certificate().subject_public_key_info().subject_public_key.raw_bytes().to_vec();
    let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
    UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, public)
        .verify(signed.as_bytes(), &signature)
        .unwrap();
    assert_eq!(claims["aud"], server.url("http", &format!("/{TENANT}/oauth2/v2.0/token")));
    assert_eq!((claims["iss"].as_str(), claims["sub"].as_str()), (Some(CLIENT), Some(CLIENT)));
    assert_eq!(claims["exp"].as_u64().unwrap() - claims["nbf"].as_u64().unwrap(), 600);
    assert_eq!(claims["jti"].as_str().unwrap().len(), 36);
}

#[test]
fn a_certificate_that_does_not_serve_is_refused_before_anything_is_sent() {
    let key_only = &PEM[..PEM.find("-----BEGIN CERT").unwrap()];
    let certificate_only = &PEM[PEM.find("-----BEGIN CERT").unwrap()..];
    for (text, expected) in [
        ("", "no private key"),
        (certificate_only, "no private key"),
        (key_only, "certificate of its key is not in it"),
        ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "no RSA key"),
    ] {
        let error = ClientCertificate::from_pem(&Secret::from(text)).unwrap_err();
        assert!(error.to_string().contains(expected) && error.hint().contains("openssl"), "{error}");
    }
}

/// A CLI that answers as it is told and remembers what it was asked.
struct Cli {
    end: (Option<i32>, &'static str, &'static str),
    asked: Mutex<Vec<String>>,
}

impl RunProgram for Cli {
    fn run(&self, arguments: &[&str], _: Duration) -> io::Result<ProgramEnd> {
        *self.asked.lock().unwrap() = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let (code, stdout, stderr) = self.end;
        Ok(ProgramEnd { code, stdout: Secret::new(stdout.into()), stderr: stderr.to_owned() })
    }
}

#[test]
fn the_cli_is_asked_with_a_scope_and_answers_with_a_token() {
    let end =
        (Some(0), r#"{"accessToken":"tok","expires_on":4102444800,"expiresOn":"2100-01-01 01:00:00"}"#, "");
    let cli = Cli { end, asked: Mutex::default() };
    let token = ask(&AzureCli::new(&cli, Some(TENANT)), 5).unwrap();
    assert_eq!((token.secret().expose().as_str(), token.expires_on()), ("tok", 4_102_444_800));
    let scope = "https://management.azure.com/.default";
    let expected = ["account", "get-access-token", "--scope", scope, "-o", "json", "--tenant", TENANT];
    assert_eq!(*cli.asked.lock().unwrap(), expected);
}

#[test]
fn a_cli_that_nobody_signed_in_to_says_what_to_do() {
    let end = (Some(1), "", "ERROR: Please run 'az login' to setup account.\n");
    let error = ask(&AzureCli::new(&Cli { end, asked: Mutex::default() }, None), 5).unwrap_err();
    assert!(error.to_string().contains("code 1: ERROR: Please run 'az login'"), "{error}");
    assert!(error.hint().contains("az login"));
    let old = (Some(0), r#"{"accessToken":"tok","expiresOn":"2026-11-16 09:00:00.000000"}"#, "");
    let token = ask(&AzureCli::new(&Cli { end: old, asked: Mutex::default() }, None), 5).unwrap();
    assert!(!token.lasts(Duration::from_secs(301)) && token.lasts(Duration::from_secs(200)));
}
