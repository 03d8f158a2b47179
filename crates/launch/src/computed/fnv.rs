//! The hashes of Fowler, Noll and Vo, which names and identifiers are made with.

const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// FNV-1, 64 bits: multiply, then mix in.
pub(crate) fn fnv1_64(bytes: &[u8]) -> u64 {
    bytes.iter().fold(BASIS, |hash, byte| hash.wrapping_mul(PRIME) ^ u64::from(*byte))
}

/// FNV-1a, 64 bits: mix in, then multiply.
pub(crate) fn fnv1a_64(bytes: &[u8]) -> u64 {
    bytes.iter().fold(BASIS, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME))
}
