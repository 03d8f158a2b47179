//! The custom-data reader over any bytes: base64, MIME, cloud-config, Ignition, JSON in JSON. It never panics.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = slipway_contract::custom_data::read(bytes);
});
