//! A sampled position and its label as 8 bytes, and files of them.
//!
//! # Format (version 2; all numbers little-endian)
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `SundPos`, line feed |
//! | 4 | version |
//! | 4 | bytes of a record: 8 |
//! | 24 | name of the rule set, filled up with zero bytes |
//! | 8 a record | the records |
//! | 8 | all bits set, which no record has |
//! | 8 | number of records |
//! | 8 | checksum: starts as 0, and for each record becomes `(sum xor record) * 0xFF51AFD7ED558CCD`, then `sum xor sum >> 32` |
//!
//! A record is a number of these bits, the lowest first:
//!
//! | bits | what |
//! |---|---|
//! | 25 | the points with goats, a1, b1, ... e5 |
//! | 5, 5 | the points of the tigers, 0 to 24, the lower one first |
//! | 3, 3, 3, 3 | goats below the top one on each herd point, 0 to 4, in the order of the rules' start |
//! | 1 | side to move: 1 for Black |
//! | 4 | class of the value, as [`TableValue::class`] |
//! | 10 | plies to the end of the game, of a draw to the first error; 1023 where that is not known or there is none |
//! | 2 | of a draw: 1 if White errs first, 2 if Black does, 3 if neither; else zero, and where it is not known |

use crate::board::{Point, PointSet};
use crate::position::{Position, Setup};
use crate::rules::{HERDS, RuleSet, Side};
use crate::tablebase::TableValue;
use crate::tablebase::probe::Probe;
use std::fmt;
use std::io::{self, Read};

const MAGIC: [u8; 8] = *b"SundPos\n";
const VERSION: u32 = 2;
/// Bytes of a record.
pub const RECORD_BYTES: usize = 8;
const NAME_BYTES: usize = 24;
/// Bytes before the first record.
const HEADER_BYTES: usize = 40;
/// Stands behind the last record.
const END: u64 = u64::MAX;
/// Stands for no number of plies.
const NO_PLIES: u64 = 1023;

const TIGERS_AT: u32 = 25;
const HERDS_AT: u32 = 35;
const SIDE_AT: u32 = 47;
const CLASS_AT: u32 = 48;
const PLIES_AT: u32 = 52;
const ERROR_AT: u32 = 62;

/// Who is the first, in a game between weak players, to give a draw away.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum FirstError {
    /// This side, by the move that ends so many plies later: 1 for the next move.
    By(Side, u32),
    /// Neither side.
    Neither,
}

/// A position with its value and distance, packed.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct PackedSample(u64);

impl PackedSample {
    /// Packs a position and its label; the position's counters are left out.
    pub fn new(position: &Position, probe: Probe) -> Self {
        let [low, high] = position.tiger_pair().map(|tiger| tiger.index() as u64);
        let goats = position.goats().into_iter().fold(0, |set, point| set | 1u64 << point.index());
        let below = |point: &Point| u64::from(position.height(*point).saturating_sub(1));
        let herds = position.rules().start.herds.iter().rev().fold(0, |all, point| all << 3 | below(point));
        let plies = probe.plies.map_or(NO_PLIES, |plies| u64::from(plies).min(NO_PLIES - 1));
        let tigers = low | high << 5;
        let side = position.side().index() as u64;
        let class = u64::from(probe.value.class());
        Self(goats | tigers << TIGERS_AT | herds << HERDS_AT | side << SIDE_AT | class << CLASS_AT | plies << PLIES_AT)
    }

    /// The same, a draw that in a game between weak players is given away so.
    pub fn with_first_error(self, error: FirstError) -> Self {
        let (code, plies) = match error {
            FirstError::By(Side::White, plies) => (1, Some(plies)),
            FirstError::By(Side::Black, plies) => (2, Some(plies)),
            FirstError::Neither => (3, None),
        };
        let plies = plies.map_or(NO_PLIES, |plies| u64::from(plies).min(NO_PLIES - 1));
        Self(self.0 & ((1 << PLIES_AT) - 1) | plies << PLIES_AT | code << ERROR_AT)
    }

    const fn field(self, at: u32, bits: u32) -> u64 {
        self.0 >> at & ((1 << bits) - 1)
    }

    /// The points with goats.
    pub const fn goats(self) -> PointSet {
        PointSet::from_bits(self.field(0, TIGERS_AT) as u32)
    }

    /// The points of the tigers, the lower one first; `None` of a damaged record.
    pub fn tigers(self) -> Option<[Point; 2]> {
        let point = |at| Point::from_index(self.field(at, 5) as usize);
        Some([point(TIGERS_AT)?, point(TIGERS_AT + 5)?])
    }

    /// Goats below the top one on each herd point, 0 to 4 unless the record is damaged, in the order of the rules' start.
    pub fn goats_below(self) -> [u32; HERDS] {
        std::array::from_fn(|herd| self.field(HERDS_AT + 3 * herd as u32, 3) as u32)
    }

    /// Side to move.
    pub const fn side(self) -> Side {
        if self.field(SIDE_AT, 1) == 0 { Side::White } else { Side::Black }
    }

    /// Who wins, and with how many points.
    pub const fn value(self) -> TableValue {
        TableValue::from_class(self.field(CLASS_AT, 4) as u8)
    }

    /// Plies to the end of the game; `None` for a draw, and where no distance is known.
    pub fn plies(self) -> Option<u32> {
        Some(self.field(PLIES_AT, 10))
            .filter(|plies| *plies != NO_PLIES && self.value() != TableValue::DRAW)
            .map(|plies| plies as u32)
    }

    /// Who gives a draw away first; `None` where that is not known, and of what is no draw.
    pub const fn first_error(self) -> Option<FirstError> {
        let plies = self.field(PLIES_AT, 10) as u32;
        match self.field(ERROR_AT, 2) {
            1 => Some(FirstError::By(Side::White, plies)),
            2 => Some(FirstError::By(Side::Black, plies)),
            3 => Some(FirstError::Neither),
            _ => None,
        }
    }

    /// The position, its counters 0 and 1.
    ///
    /// Returns `None` if it is none by these rules: the record is damaged, or of other rules.
    pub fn position(self, rules: &'static RuleSet) -> Option<Position> {
        let mut goats = [0; Point::COUNT];
        for point in self.goats() {
            *goats.get_mut(point.index())? = 1;
        }
        for (point, below) in rules.start.herds.iter().zip(self.goats_below()).filter(|(_, below)| *below > 0) {
            let height = goats.get_mut(point.index()).filter(|height| **height > 0)?;
            *height += below;
        }
        let tigers = self.tigers()?.into_iter().collect();
        let is_draw = self.value() == TableValue::DRAW;
        let is_known =
            (self.0 >> ERROR_AT == 0 || is_draw) && u32::from(self.value().class()) < 1 << TableValue::digits(rules);
        let setup = Setup { goats, tigers, side: self.side(), quiet: 0, number: 1 };
        Position::new(rules, &setup).ok().filter(|_| is_known)
    }

    /// The record of these bytes, which may be damaged.
    pub const fn from_bytes(bytes: [u8; RECORD_BYTES]) -> Self {
        Self(u64::from_le_bytes(bytes))
    }

    /// The record's bytes.
    pub const fn bytes(self) -> [u8; RECORD_BYTES] {
        self.0.to_le_bytes()
    }
}

/// What stands before the records.
pub fn header(rules: &RuleSet) -> Vec<u8> {
    let mut bytes = [&MAGIC[..], &VERSION.to_le_bytes(), &(RECORD_BYTES as u32).to_le_bytes()].concat();
    bytes.extend(rules.name.bytes());
    bytes.resize(HEADER_BYTES, 0);
    bytes
}

/// Number and checksum of records, for what stands behind them.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct RecordSum {
    count: u64,
    sum: u64,
}

impl RecordSum {
    /// Takes in a record.
    pub const fn add(&mut self, record: PackedSample) {
        self.count += 1;
        // Both steps are bijections of the sum so far, so a difference can't vanish by itself.
        self.sum = (self.sum ^ record.0).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        self.sum ^= self.sum >> 32;
    }

    /// What stands behind the records.
    pub fn trailer(self) -> Vec<u8> {
        [END, self.count, self.sum].iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// Why a file of samples can't be read.
#[derive(Debug)]
pub enum SampleFileError {
    /// The system says no.
    Io(io::Error),
    /// It is not what it should be; says what was found.
    Damaged(String),
}

impl fmt::Display for SampleFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::Damaged(what) => write!(f, "damaged: {what}"),
        }
    }
}

impl std::error::Error for SampleFileError {}

impl From<io::Error> for SampleFileError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Damaged("it ends too early".to_owned()),
            _ => Self::Io(error),
        }
    }
}

/// The records of a file, one after another; after an error there are no more. The number and the checksum are compared
/// at the end, so what came before may turn out damaged.
pub struct SampleReader<R> {
    input: R,
    rules: &'static RuleSet,
    sum: RecordSum,
    is_over: bool,
}

impl<R: Read> SampleReader<R> {
    /// Reads the header. The input should be buffered.
    ///
    /// # Errors
    /// If it can't be read, or is none of a known rule set and this version.
    pub fn new(mut input: R) -> Result<Self, SampleFileError> {
        let mut found = [0; HEADER_BYTES];
        input.read_exact(&mut found)?;
        let name: Vec<u8> =
            found.iter().skip(HEADER_BYTES - NAME_BYTES).copied().take_while(|letter| *letter != 0).collect();
        let rules = std::str::from_utf8(&name).ok().and_then(RuleSet::named);
        match rules.filter(|rules| header(rules) == found) {
            Some(rules) => Ok(Self { input, rules, sum: RecordSum::default(), is_over: false }),
            None => Err(SampleFileError::Damaged(format!("the header is not that of samples of version {VERSION}"))),
        }
    }

    /// The rules of its positions.
    pub const fn rules(&self) -> &'static RuleSet {
        self.rules
    }

    fn read(&mut self) -> Result<Option<PackedSample>, SampleFileError> {
        let mut word = [0; RECORD_BYTES];
        self.input.read_exact(&mut word)?;
        if word != END.to_le_bytes() {
            let record = PackedSample::from_bytes(word);
            self.sum.add(record);
            return Ok(Some(record));
        }
        let mut found = word.to_vec();
        self.input.by_ref().take(17).read_to_end(&mut found)?;
        if found == self.sum.trailer() {
            return Ok(None);
        }
        let what = match found.len() {
            24 => "the number of records or their checksum",
            0..24 => "it ends too early",
            _ => "there is more behind its end",
        };
        Err(SampleFileError::Damaged(what.to_owned()))
    }
}

impl<R: Read> Iterator for SampleReader<R> {
    type Item = Result<PackedSample, SampleFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let read = self.read().transpose();
        self.is_over = !matches!(read, Some(Ok(_)));
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;
    use crate::notation::fen::Fen;

    fn file(lines: &[(&str, &str, u8, Option<u32>)]) -> Vec<u8> {
        let rules = RuleSet::named(lines[0].0).unwrap();
        let mut sum = RecordSum::default();
        let mut bytes = header(rules);
        for (_, text, class, plies) in lines {
            let probe = Probe { value: TableValue::from_class(*class), plies: *plies };
            let record = PackedSample::new(&fen::parse(rules, text).unwrap(), probe);
            sum.add(record);
            bytes.extend(record.bytes());
        }
        [bytes, sum.trailer()].concat()
    }

    const LINES: [(&str, &str, u8, Option<u32>); 3] = [
        ("super", "5/2E1E/1t1t1/2E1E/5 w 0 1", 15, Some(244)),
        ("super", "tt3/2AAD/A3A/2B1A/4A b 0 1", 0, None),
        ("super", "3tt/5/AAAAA/5/A4 b 0 1", 1, Some(0)),
    ];

    #[test]
    fn what_is_packed_comes_back() {
        let bytes = file(&LINES);
        assert_eq!(bytes.len(), HEADER_BYTES + (LINES.len() + 3) * RECORD_BYTES);
        let reader = SampleReader::new(bytes.as_slice()).unwrap();
        let rules = reader.rules();
        let read: Vec<PackedSample> = reader.map(Result::unwrap).collect();
        assert_eq!(read.len(), LINES.len());
        for (record, (name, text, class, plies)) in read.iter().zip(LINES) {
            let position = record.position(rules).unwrap();
            assert_eq!((rules.name, Fen(&position).to_string().as_str()), (name, text));
            assert_eq!((record.value().class(), record.plies(), record.side()), (class, plies, position.side()));
            assert_eq!((record.goats(), record.tigers()), (position.goats(), Some(position.tiger_pair())));
        }
        assert_eq!(read[1].goats_below(), [1, 0, 0, 3]);
    }

    #[test]
    fn first_errors_come_back() {
        let rules = RuleSet::named("super").unwrap();
        let record = |number: usize| {
            let (_, text, class, plies) = LINES[number];
            PackedSample::new(&fen::parse(rules, text).unwrap(), Probe { value: TableValue::from_class(class), plies })
        };
        let draw = record(1);
        assert_eq!(draw.first_error(), None);
        for error in [FirstError::By(Side::White, 1), FirstError::By(Side::Black, 240), FirstError::Neither] {
            let with_error = draw.with_first_error(error);
            assert_eq!((with_error.first_error(), with_error.plies()), (Some(error), None));
            assert_eq!(with_error.position(rules), draw.position(rules));
            assert_eq!(
                record(0).with_first_error(error).position(rules),
                None,
                "what is won can't be given away as a draw"
            );
        }
    }

    #[test]
    fn damage_is_noticed() {
        let whole = file(&LINES);
        let read = |bytes: &[u8]| {
            SampleReader::new(bytes).and_then(|reader| reader.collect::<Result<Vec<PackedSample>, _>>()).is_ok()
        };
        assert!(read(&whole));
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x20;
            assert!(!read(&bytes), "{at}");
            assert!(!read(&whole[..at]), "{at}");
        }
        assert!(!read(&[whole.as_slice(), &[0]].concat()));
        // Records that are no positions are told by that, and so are positions of other rules.
        let rules = RuleSet::standard();
        assert_eq!(PackedSample(END).position(rules), None);
        let herd = SampleReader::new(whole.as_slice()).unwrap().next().unwrap().unwrap();
        assert_eq!(herd.position(rules), None, "a class of 15 where wins are not scored");
    }
}
