//! Header blocks that arrive: HPACK (RFC 7541).

use std::collections::VecDeque;

use super::static_table::STATIC_TABLE;
use super::{Fields, Http2Error, huffman, integer};

/// The most that the server may keep in the table: what it may assume without being told.
const LARGEST_TABLE: usize = 4096;
/// The most that the fields of one block may come to.
pub(super) const LARGEST_LIST: u32 = 64 * 1024;
/// What an entry counts for besides its name and value.
const ENTRY: usize = 32;

const MALFORMED: Http2Error = Http2Error::Malformed("a header block cannot be decoded");

type Field = (Vec<u8>, Vec<u8>);

/// Reads the blocks of one connection, in their order.
#[derive(Debug)]
pub(super) struct Decoder {
    /// The latest entry first.
    entries: VecDeque<Field>,
    size: usize,
    largest: usize,
}

impl Decoder {
    pub(super) fn new() -> Self {
        Self { entries: VecDeque::new(), size: 0, largest: LARGEST_TABLE }
    }

    pub(super) fn decode(&mut self, block: &[u8]) -> Result<Fields, Http2Error> {
        let mut rest = block;
        let mut fields = Vec::new();
        let mut size = 0;
        while let Some(&first) = rest.first() {
            // The first bits of a byte say what follows.
            let field = match first.leading_zeros() {
                0 => self.entry(integer::read(&mut rest, 7).ok_or(MALFORMED)?)?,
                1 => {
                    let field = self.literal(&mut rest, 6)?;
                    self.remember(field.clone());
                    field
                }
                2 => {
                    // Only at the beginning of a block.
                    let largest = integer::read(&mut rest, 5).ok_or(MALFORMED)?;
                    if largest > LARGEST_TABLE || !fields.is_empty() {
                        return Err(MALFORMED);
                    }
                    self.largest = largest;
                    self.evict(largest);
                    continue;
                }
                _ => self.literal(&mut rest, 4)?,
            };
            size += size_of_field(&field);
            if size > LARGEST_LIST as usize {
                return Err(Http2Error::HeaderTooLarge);
            }
            fields.push(field);
        }
        Ok(Fields(fields))
    }

    /// The field with this index in both tables, the static one first.
    fn entry(&self, index: usize) -> Result<Field, Http2Error> {
        let place = index.checked_sub(1).ok_or(MALFORMED)?;
        match STATIC_TABLE.get(place) {
            Some((name, value)) => Ok(((*name).into(), (*value).into())),
            None => self.entries.get(place - STATIC_TABLE.len()).cloned().ok_or(MALFORMED),
        }
    }

    /// A value with the name at an index of so many bits, or with a name of its own when the index is zero.
    fn literal(&self, rest: &mut &[u8], bits: u32) -> Result<Field, Http2Error> {
        let name = match integer::read(rest, bits).ok_or(MALFORMED)? {
            0 => text(rest)?,
            index => self.entry(index)?.0,
        };
        Ok((name, text(rest)?))
    }

    fn remember(&mut self, field: Field) {
        let size = size_of_field(&field);
        // An entry larger than the table empties it, and is not in it.
        self.evict(self.largest.saturating_sub(size));
        if size <= self.largest {
            self.size += size;
            self.entries.push_front(field);
        }
    }

    /// Drops the oldest entries until the rest is no larger than this.
    fn evict(&mut self, largest: usize) {
        while self.size > largest {
            let Some(oldest) = self.entries.pop_back() else { break };
            self.size -= size_of_field(&oldest);
        }
    }
}

fn size_of_field((name, value): &Field) -> usize {
    name.len() + value.len() + ENTRY
}

fn text(rest: &mut &[u8]) -> Result<Vec<u8>, Http2Error> {
    let is_huffman = rest.first().is_some_and(|first| first & 0x80 != 0);
    let length = integer::read(rest, 7).ok_or(MALFORMED)?;
    let (text, left) = rest.split_at_checked(length).ok_or(MALFORMED)?;
    *rest = left;
    if is_huffman { huffman::decoded(text).ok_or(MALFORMED) } else { Ok(text.to_vec()) }
}

#[cfg(test)]
#[path = "hpack_examples.rs"]
mod examples;
