//! How far the chances that the engine gives can be relied on: of positions said to be won with a chance of 70 %, how many
//! are?

use crate::tablebase::Wdl;

/// Parts that the chances from 0 to 1 are divided into.
const TENTHS: usize = 10;

/// The statements with a chance in one tenth: "this position is won with 70 %".
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Tenth {
    /// Number of statements.
    pub count: u64,
    /// Sum of the chances, in permille.
    pub said: u64,
    /// How many were true.
    pub came: u64,
}

impl Tenth {
    /// The mean chance, 0 to 1; `None` of no statements.
    pub fn mean_said(&self) -> Option<f64> {
        (self.count > 0).then(|| self.said as f64 / (1_000.0 * self.count as f64))
    }

    /// The part that was true, 0 to 1; `None` of no statements.
    pub fn part_true(&self) -> Option<f64> {
        (self.count > 0).then(|| self.came as f64 / self.count as f64)
    }
}

/// The statements by their chance: win, draw and loss of each position make three.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reliability {
    tenths: [Tenth; TENTHS],
}

impl Reliability {
    /// Takes in what was said of a position, in permille for win, draw and loss, and its value.
    pub fn count(&mut self, permille: [u32; 3], value: Wdl) {
        for (chance, outcome) in permille.into_iter().zip([Wdl::Win, Wdl::Draw, Wdl::Loss]) {
            let tenth = (chance as usize * TENTHS / 1_000).min(TENTHS - 1);
            if let Some(tenth) = self.tenths.get_mut(tenth) {
                tenth.count += 1;
                tenth.said += u64::from(chance);
                tenth.came += u64::from(outcome == value);
            }
        }
    }

    /// The tenths, from 0 to 10 % upwards; a chance on the border belongs to the upper one.
    pub const fn tenths(&self) -> &[Tenth] {
        &self.tenths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_fall_into_their_tenths() {
        let mut reliability = Reliability::default();
        reliability.count([700, 299, 1], Wdl::Win);
        reliability.count([740, 100, 160], Wdl::Loss);
        reliability.count([1_000, 0, 0], Wdl::Win);
        let tenths = reliability.tenths();
        assert_eq!(tenths.iter().map(|tenth| tenth.count).sum::<u64>(), 9);
        assert_eq!(tenths[7], Tenth { count: 2, said: 1_440, came: 1 });
        assert_eq!(tenths[1], Tenth { count: 2, said: 260, came: 1 });
        assert_eq!(tenths[9], Tenth { count: 1, said: 1_000, came: 1 });
        assert_eq!((tenths[7].mean_said(), tenths[7].part_true()), (Some(0.72), Some(0.5)));
        assert_eq!((tenths[5].mean_said(), tenths[5].part_true()), (None, None));
    }
}
