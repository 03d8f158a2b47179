use super::Http2Error;

const LARGEST: i64 = 0x7fff_ffff;

/// How much may be sent before the other side says more. A setting can make it less than nothing.
#[derive(Debug)]
pub(super) struct Window(i64);

impl Window {
    pub(super) fn new(size: u32) -> Self {
        Self(size.into())
    }

    pub(super) fn room(&self) -> usize {
        usize::try_from(self.0).unwrap_or(0)
    }

    pub(super) fn take(&mut self, length: usize) {
        self.0 -= i64::try_from(length).unwrap_or(LARGEST);
    }

    pub(super) fn widen(&mut self, increment: u32) -> Result<(), Http2Error> {
        if increment == 0 {
            return Err(Http2Error::Malformed("a window is widened by nothing"));
        }
        self.add(increment.into())
    }

    /// The size that it had at first has become another.
    pub(super) fn resize(&mut self, from: u32, to: u32) -> Result<(), Http2Error> {
        if i64::from(to) > LARGEST {
            return Err(Http2Error::Malformed("one of its settings is not allowed"));
        }
        self.add(i64::from(to) - i64::from(from))
    }

    fn add(&mut self, change: i64) -> Result<(), Http2Error> {
        self.0 += change;
        if self.0 > LARGEST { Err(Http2Error::Malformed("a window is too wide")) } else { Ok(()) }
    }
}
