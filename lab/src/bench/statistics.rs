//! What many runs say together.

/// The middle and the ends of some values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Half of the values are below it.
    pub median: f64,
    /// The least.
    pub least: f64,
    /// The greatest.
    pub greatest: f64,
}

impl Spread {
    /// Of these values; nothing can be said about none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let (least, greatest) = (*values.first()?, *values.last()?);
        let (lower, upper) = (values[(values.len() - 1) / 2], values[values.len() / 2]);
        Some(Self { median: f64::midpoint(lower, upper), least, greatest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_lies_between_the_two_in_the_middle() {
        let spread = Spread::of([4.0, 1.0, 2.0, 10.0]).unwrap();
        assert_eq!(spread, Spread { median: 3.0, least: 1.0, greatest: 10.0 });
        let odd = Spread::of([7.0, 1.0, 2.0]).unwrap();
        assert_eq!(odd, Spread { median: 2.0, least: 1.0, greatest: 7.0 });
        assert_eq!(Spread::of([]), None);
    }
}
