//! GTP's syntax: a command with its id and arguments, and the response to it.

use crate::board::Point;
use crate::rules::Side;
use std::fmt;
use std::time::Duration;

/// A command as it was sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct GtpCommand {
    /// The number that the response repeats.
    pub id: Option<u32>,
    /// The command's name; empty if there is only an id.
    pub name: String,
    /// Its arguments.
    pub arguments: Arguments,
}

impl GtpCommand {
    /// Parses a line; `None` if nothing but blanks and a comment is on it.
    pub fn parse(line: &str) -> Option<Self> {
        let command = line.split('#').next().unwrap_or_default();
        let is_kept = |letter: &char| *letter == '\t' || !letter.is_control();
        let text: String = command.chars().filter(is_kept).collect();
        let (first, rest) = split_word(&text);
        if first.is_empty() {
            return None;
        }
        // A number too large for an id is taken for an unknown command.
        let is_number = first.bytes().all(|byte| byte.is_ascii_digit());
        let id = is_number.then(|| first.parse().ok()).flatten();
        let (name, rest) = if id.is_some() { split_word(rest) } else { (first, rest) };
        Some(Self { id, name: name.to_owned(), arguments: Arguments(rest.to_owned()) })
    }
}

/// The first word of a text, empty if there is none, and what follows it.
fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_once(char::is_whitespace).unwrap_or((text, ""))
}

/// Why a command has failed. Displays as the message that GTP's specification sets for it, where there is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum GtpError {
    /// There is no such command.
    UnknownCommand,
    /// The arguments are wrong in number or form.
    SyntaxError,
    /// The rules do not allow the move.
    IllegalMove,
    /// There is no click to take back.
    CannotUndo,
    /// A size of board other than 5.
    UnacceptableSize,
    /// `final_score` before the end of the game.
    CannotScore,
    /// Anything else, with its message.
    Other(String),
}

impl fmt::Display for GtpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownCommand => "unknown command",
            Self::SyntaxError => "syntax error",
            Self::IllegalMove => "illegal move",
            Self::CannotUndo => "cannot undo",
            Self::UnacceptableSize => "unacceptable size",
            Self::CannotScore => "cannot score",
            Self::Other(text) => text,
        })
    }
}

/// The text of a response, or why there is none.
pub(super) type Reply = Result<String, GtpError>;

/// A response as it is written, with the blank line that ends it.
pub(super) fn response(id: Option<u32>, reply: &Reply) -> String {
    let (mark, text) = match reply {
        Ok(text) => ('=', text.clone()),
        Err(error) => ('?', error.to_string()),
    };
    let id = id.map(|id| id.to_string()).unwrap_or_default();
    let mut lines = text.trim_end().split('\n').map(str::trim_end);
    // A blank line would end the response; the first one follows the mark, so it may be empty.
    let first = lines.next().unwrap_or_default();
    let head = format!("{mark}{id} {first}\n");
    lines.filter(|line| !line.is_empty()).fold(head, |text, line| text + line + "\n") + "\n"
}

/// The arguments of a command, with blanks between them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Arguments(String);

impl Arguments {
    /// The arguments, which must be `N` in number.
    pub fn exactly<const N: usize>(&self) -> Result<[&str; N], GtpError> {
        let words: Vec<&str> = self.all().take(N + 1).collect();
        words.try_into().map_err(|_| GtpError::SyntaxError)
    }

    /// The arguments, of any number.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.0.split_whitespace()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }
}

/// A colour: `w`, `white`, `b` or `black`, in any case.
pub(super) fn colour(word: &str) -> Result<Side, GtpError> {
    match word.to_ascii_lowercase().as_str() {
        "w" | "white" => Ok(Side::White),
        "b" | "black" => Ok(Side::Black),
        _ => Err(GtpError::SyntaxError),
    }
}

/// A vertex of `play` and `genmove`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Click {
    /// A point: the origin of a move, or where a step or jump ends.
    Point(Point),
    /// The end of a chain that could go on.
    Pass,
}

impl Click {
    /// Reads a vertex: a letter but `I` with a number from 1 to 25, or `pass`, in any case.
    pub fn parse(word: &str) -> Result<Self, GtpError> {
        if word.eq_ignore_ascii_case("pass") {
            return Ok(Self::Pass);
        }
        let (letter, digits) = word.split_at_checked(1).ok_or(GtpError::SyntaxError)?;
        let letter = letter.bytes().next().map(|byte| byte.to_ascii_lowercase()).unwrap_or_default();
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let rank: u8 = digits.parse().ok().filter(|_| is_number).ok_or(GtpError::SyntaxError)?;
        if !letter.is_ascii_lowercase() || letter == b'i' || !(1..=25).contains(&rank) {
            return Err(GtpError::SyntaxError);
        }
        // A vertex of a larger board is well-formed, but nothing can be played there. `I` lies beyond this board.
        Point::at(letter - b'a', rank - 1).map(Self::Point).ok_or(GtpError::IllegalMove)
    }
}

impl fmt::Display for Click {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Point(point) => write!(f, "{}", vertex(*point)),
            Self::Pass => write!(f, "pass"),
        }
    }
}

/// A point as GTP writes it.
pub(super) fn vertex(point: Point) -> String {
    point.to_string().to_ascii_uppercase()
}

/// Points in a row with blanks between them.
pub(super) fn vertices(points: impl IntoIterator<Item = Point>) -> String {
    points.into_iter().map(vertex).collect::<Vec<_>>().join(" ")
}

/// Longest time limit, in seconds: a hundred days.
const MAX_SECONDS: f64 = 8_640_000.0;

/// A number of seconds, whole or with a fraction; below 0 it counts as 0: the time has run out.
pub(super) fn seconds(word: &str) -> Result<Duration, GtpError> {
    let seconds = decimal(word)?.clamp(0.0, MAX_SECONDS);
    Duration::try_from_secs_f64(seconds).map_err(|_| GtpError::SyntaxError)
}

/// A number of moves, of which a fraction is dropped; below 0 it counts as 0.
pub(super) fn moves(word: &str) -> Result<u32, GtpError> {
    Ok(decimal(word)?.clamp(0.0, f64::from(u32::MAX)) as u32)
}

/// A decimal number: an optional sign, digits, and perhaps a point with digits.
fn decimal(word: &str) -> Result<f64, GtpError> {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = word.parse().ok().filter(|_| is_number(whole) && is_number(fraction));
    number.ok_or(GtpError::SyntaxError)
}

/// A whole number, at most that of `u64`.
pub(super) fn count(word: &str) -> Result<u64, GtpError> {
    let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { Ok(word.parse().unwrap_or(u64::MAX)) } else { Err(GtpError::SyntaxError) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(line: &str) -> (Option<u32>, String, Vec<String>) {
        let request = GtpCommand::parse(line).unwrap();
        (request.id, request.name, request.arguments.all().map(str::to_owned).collect())
    }

    #[test]
    fn ids_comments_and_control_characters() {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(request("play w C2\n"), (None, "play".to_owned(), owned(&["w", "C2"])));
        assert_eq!(request(" 7\tplay  w\tC2 \r\n"), (Some(7), "play".to_owned(), owned(&["w", "C2"])));
        assert_eq!(request("na\u{7}me # a comment # more"), (None, "name".to_owned(), owned(&[])));
        assert_eq!(request("12"), (Some(12), String::new(), owned(&[])));
        assert_eq!(request("99999999999999999999 name").0, None);
        for blank in ["", "\n", " \t \r\n", "# only a comment", "\u{0}\u{1}"] {
            assert_eq!(GtpCommand::parse(blank), None, "{blank:?}");
        }
    }

    #[test]
    fn answers_end_with_the_only_blank_line() {
        assert_eq!(response(None, &Ok(String::new())), "= \n\n");
        assert_eq!(response(Some(3), &Ok("5".to_owned())), "=3 5\n\n");
        assert_eq!(response(None, &Ok("\na\n\n\nb\n".to_owned())), "= \na\nb\n\n");
        assert_eq!(response(Some(0), &Err(GtpError::UnknownCommand)), "?0 unknown command\n\n");
    }

    #[test]
    fn vertices_are_read_in_any_case_and_outside_the_board() {
        assert_eq!(Click::parse("c2").unwrap().to_string(), "C2");
        assert_eq!(Click::parse("C2"), Click::parse("c2"));
        assert_eq!(Click::parse("PASS"), Ok(Click::Pass));
        for outside in ["F1", "A6", "Z25", "j3"] {
            assert_eq!(Click::parse(outside), Err(GtpError::IllegalMove), "{outside}");
        }
        for bad in ["", "a", "5", "i1", "I5", "a0", "a26", "a+1", "é1", "a1b2", "resign", "a99999999999"] {
            assert_eq!(Click::parse(bad), Err(GtpError::SyntaxError), "{bad}");
        }
    }

    #[test]
    fn numbers_and_colours() {
        assert_eq!(seconds(&"9".repeat(999)), Ok(Duration::from_secs(8_640_000)));
        for (word, milliseconds) in [("0.5", 500), ("30.5", 30_500), ("7", 7_000), ("+1.25", 1_250), ("007", 7_000)] {
            assert_eq!(seconds(word), Ok(Duration::from_millis(milliseconds)), "{word}");
        }
        for gone in ["-1", "-0", "-0.5", "-99999999999999999999999", "0", "0.0"] {
            assert_eq!((seconds(gone), moves(gone)), (Ok(Duration::ZERO), Ok(0)), "{gone}");
        }
        assert_eq!((moves("3"), moves("2.9"), moves("99999999999")), (Ok(3), Ok(2), Ok(u32::MAX)));
        for bad in ["", "-", ".", "1.", ".5", "1.2.3", "1e3", "nan", "inf", "--1", "+-1", "1_0", "0x1", "é"] {
            assert_eq!((seconds(bad), moves(bad)), (Err(GtpError::SyntaxError), Err(GtpError::SyntaxError)), "{bad}");
        }
        assert_eq!((count("-1"), count("1.5"), count("")).0, Err(GtpError::SyntaxError));
        assert_eq!((colour("W"), colour("Black")), (Ok(Side::White), Ok(Side::Black)));
        assert_eq!(colour("green"), Err(GtpError::SyntaxError));
        assert_eq!(Arguments(" a  b ".to_owned()).exactly(), Ok(["a", "b"]));
        assert!(
            Arguments("a".to_owned()).exactly::<2>().is_err() && Arguments("a b".to_owned()).exactly::<1>().is_err()
        );
    }
}
