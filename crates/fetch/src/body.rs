use crate::HttpError;
use crate::message::Response;

/// Where in its body an answer is.
pub(crate) enum Framing {
    /// So many bytes are to come.
    Length(u64),
    /// The size of a chunk is next.
    ChunkSize,
    /// So many bytes of a chunk are to come.
    Chunk(u64),
    /// The body ends with the connection.
    ToTheEnd,
    /// Nothing more comes.
    Done,
}

impl Response<'_> {
    /// Waits for a piece of the body; zero at its end.
    pub fn read(&mut self, into: &mut [u8]) -> Result<usize, HttpError> {
        loop {
            match self.framing {
                Framing::Done | Framing::Length(0) => return Ok(0),
                Framing::ChunkSize => self.next_chunk()?,
                Framing::Length(left) => {
                    let length = self.take(into, left)?.ok_or_else(|| self.input.cut())?;
                    self.framing = Framing::Length(left - length as u64);
                    return Ok(length);
                }
                Framing::Chunk(left) => {
                    let length = self.take(into, left)?.ok_or_else(|| self.input.cut())?;
                    self.framing = Framing::Chunk(left - length as u64);
                    if left == length as u64 {
                        self.input.line()?;
                        self.framing = Framing::ChunkSize;
                    }
                    return Ok(length);
                }
                Framing::ToTheEnd => return Ok(self.take(into, u64::MAX)?.unwrap_or_default()),
            }
        }
    }

    /// The whole body, which may not be longer than this.
    pub fn bytes(&mut self, most: usize) -> Result<Vec<u8>, HttpError> {
        let mut body = Vec::new();
        let mut piece = [0; 16 * 1024];
        loop {
            let length = self.read(&mut piece)?;
            if length == 0 {
                return Ok(body);
            }
            body.extend_from_slice(&piece[..length]);
            if body.len() > most {
                return Err(self.input.unreadable("its body is larger than it may be"));
            }
        }
    }

    /// How long the body is, when the server said so.
    pub fn length(&self) -> Option<u64> {
        match self.framing {
            Framing::Length(length) => Some(length),
            _ => None,
        }
    }

    fn take(&mut self, into: &mut [u8], left: u64) -> Result<Option<usize>, HttpError> {
        let pending = self.input.pending()?;
        let most = usize::try_from(left).unwrap_or(usize::MAX);
        let length = pending.len().min(into.len()).min(most);
        into[..length].copy_from_slice(&pending[..length]);
        self.input.consume(length);
        Ok(Some(length).filter(|length| *length > 0))
    }

    fn next_chunk(&mut self) -> Result<(), HttpError> {
        let line = self.input.line()?;
        let size = line.split(';').next().unwrap_or_default().trim();
        // `from_str_radix` would take a sign.
        let size = u64::from_str_radix(size, 16).ok().filter(|_| !size.starts_with('+'));
        let size = size.ok_or_else(|| self.input.unreadable("a chunk has no proper size"))?;
        self.framing = if size > 0 { Framing::Chunk(size) } else { Framing::Done };
        // What may follow the last chunk are trailers; the connection is not used again, so they are left unread.
        Ok(())
    }
}
