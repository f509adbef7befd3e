//! The text of commands: a line of input as a typed [`Command`]. Nothing is executed here.

use crate::engine::bench;
use crate::notation::{quoted, words};
use crate::position::perft::MAX_DEPTH;
use std::time::Duration;

/// A command of UCI or UGI, or one of the customary additions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `uci`: identify yourself, and follow UCI from now on.
    Uci,
    /// `ugi`: the same with UGI.
    Ugi,
    /// `isready`: answer as soon as all is ready, or at once while a search runs.
    IsReady,
    /// `ucinewgame`, `uginewgame`: the next position belongs to another game.
    NewGame,
    /// `setoption name N [value V]`.
    SetOption {
        /// The option's name as it was written.
        name: String,
        /// What stands after `value`; empty for `<empty>`.
        value: Option<String>,
    },
    /// `position startpos|fen F [moves M…]`.
    Position {
        /// The position's text; `None` for the start.
        fen: Option<String>,
        /// The moves' texts, with blanks between them.
        moves: String,
    },
    /// `moves M…`: play moves from the position in force.
    Moves(String),
    /// `go …`, and `go perft N`.
    Go(Box<Go>),
    /// `stop`: end the search and answer.
    Stop,
    /// `ponderhit`: the expected reply was played, the clock runs.
    PonderHit,
    /// `debug on|off`: more `info string` or not.
    Debug(bool),
    /// `register …`: without effect.
    Register,
    /// `quit`: stop everything and end.
    Quit,
    /// `d`: show the board.
    Display,
    /// `eval`: show the evaluation.
    Eval,
    /// `query …` of UGI.
    Query(Query),
    /// `bench [depth]`.
    Bench(Option<u32>),
    /// `help`: list the commands.
    Help,
}

/// The forms of `query`, which has the engine act as referee.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Query {
    /// `gameover`: whether the game is over.
    GameOver,
    /// `p1turn`: whether White is to move.
    FirstPlayersTurn,
    /// `result`: who has won.
    Result,
    /// `fen`: the position's text.
    Fen,
    /// `islegal M`: whether a move is legal.
    IsLegal(String),
    /// `legal`: the legal moves.
    Legal,
}

/// The clocks of one side, as `go` gives them.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct SideClock {
    /// Time left; `None` if it was not given.
    pub left: Option<Duration>,
    /// Time added after each move.
    pub increment: Duration,
}

/// The words of `go` with their numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Go {
    /// The clocks of White and Black.
    pub clocks: [SideClock; 2],
    /// Moves to the next time control, 1 or more.
    pub moves_to_go: Option<u32>,
    /// Depth in plies, 1 or more.
    pub depth: Option<u32>,
    /// Nodes, 1 or more.
    pub nodes: Option<u64>,
    /// Moves of the winner within which a forced end is looked for, 1 or more.
    pub mate: Option<u32>,
    /// `movetime`: time for this move.
    pub move_time: Option<Duration>,
    /// `searchmoves`: the only moves at the root, as they were written, with blanks between them; empty for all.
    pub search_moves: String,
    /// `infinite`.
    pub infinite: bool,
    /// `ponder`.
    pub ponder: bool,
    /// Whether the leaves of the move tree are counted instead of a search.
    pub is_perft: bool,
    /// Depth of that tree in plies; `None` if it could not be read.
    pub perft: Option<u32>,
    /// What could not be read, a message each, as far as they are shown.
    pub errors: Vec<String>,
    /// How much could not be read.
    pub error_count: usize,
}

impl Command {
    /// Parses a line; `None` for a blank one. Unknown words before the command are skipped, as the specification of UCI
    /// demands.
    ///
    /// # Errors
    /// Says which word is wrong and what was expected.
    pub fn parse(line: &str) -> Result<Option<Self>, String> {
        let mut first = None;
        // Some editors put a byte order mark before a script.
        let line = line.strip_prefix('\u{FEFF}').unwrap_or(line);
        for (offset, word) in words(line) {
            first.get_or_insert(word);
            let rest = line.get(offset + word.len()..).unwrap_or_default();
            if let Some(command) = Self::named(word, rest) {
                return command.map(Some);
            }
        }
        first.map_or(Ok(None), |word| Err(format!("unknown command {}, expected one that 'help' lists", quoted(word))))
    }

    /// The command of this name with its arguments; `None` if there is no such command.
    fn named(word: &str, rest: &str) -> Option<Result<Self, String>> {
        let command = match word {
            "uci" => Self::Uci,
            "ugi" => Self::Ugi,
            "isready" => Self::IsReady,
            "ucinewgame" | "uginewgame" => Self::NewGame,
            "stop" => Self::Stop,
            "ponderhit" => Self::PonderHit,
            "register" => Self::Register,
            "quit" => Self::Quit,
            "d" => Self::Display,
            "eval" => Self::Eval,
            "help" => Self::Help,
            "moves" => Self::Moves(rest.trim().to_owned()),
            "setoption" => return Some(parse_option(rest)),
            "position" => return Some(parse_position(rest)),
            "go" => return Some(Ok(parse_go(rest))),
            "debug" => return Some(parse_debug(rest)),
            "query" => return Some(parse_query(rest)),
            "bench" => return Some(parse_bench(rest)),
            _ => return None,
        };
        Some(Ok(command))
    }
}

fn parse_debug(rest: &str) -> Result<Command, String> {
    match rest.split_whitespace().next() {
        Some("on") => Ok(Command::Debug(true)),
        Some("off") => Ok(Command::Debug(false)),
        other => Err(format!("debug: found {}, expected 'on' or 'off'", found(other))),
    }
}

fn parse_bench(rest: &str) -> Result<Command, String> {
    match rest.split_whitespace().next() {
        None => Ok(Command::Bench(None)),
        Some(word) => match word.parse() {
            Ok(depth) if (1..=bench::MAX_DEPTH).contains(&depth) => Ok(Command::Bench(Some(depth))),
            _ => Err(format!("bench: found {}, expected a depth of 1 to {} plies", quoted(word), bench::MAX_DEPTH)),
        },
    }
}

fn parse_query(rest: &str) -> Result<Command, String> {
    let mut words = rest.split_whitespace();
    let query = match words.next() {
        Some("gameover") => Query::GameOver,
        Some("p1turn") => Query::FirstPlayersTurn,
        Some("result") => Query::Result,
        Some("fen") => Query::Fen,
        Some("islegal") => Query::IsLegal(words.next().unwrap_or_default().to_owned()),
        Some("legal") => Query::Legal,
        other => {
            let expected = "'gameover', 'p1turn', 'result', 'fen', 'islegal' or 'legal'";
            return Err(format!("query: found {}, expected {expected}", found(other)));
        }
    };
    Ok(Command::Query(query))
}

fn parse_option(rest: &str) -> Result<Command, String> {
    let (keyword, rest) = split_word(rest);
    if keyword != "name" {
        return Err(format!("setoption: found {}, expected 'name'", found(Some(keyword))));
    }
    let (name, value) = split_at_word(rest, "value");
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let value = value.map(|value| if value == "<empty>" { "" } else { value }.to_owned());
    Ok(Command::SetOption { name, value })
}

fn parse_position(rest: &str) -> Result<Command, String> {
    let (kind, rest) = split_word(rest);
    let (text, moves) = split_at_word(rest, "moves");
    let moves = moves.unwrap_or_default().to_owned();
    match kind {
        "startpos" if text.is_empty() => Ok(Command::Position { fen: None, moves }),
        "startpos" => Err(format!("position: found {}, expected 'moves'", quoted(text))),
        "fen" => Ok(Command::Position { fen: Some(text.to_owned()), moves }),
        other => Err(format!("position: found {}, expected 'startpos' or 'fen'", found(Some(other)))),
    }
}

/// The first word of a text, empty if there is none, and what follows it.
fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_once(char::is_whitespace).unwrap_or((text, ""))
}

/// The text before a word, and the text after it if the word is there, both trimmed.
fn split_at_word<'a>(text: &'a str, word: &str) -> (&'a str, Option<&'a str>) {
    let at = words(text).find(|(_, found)| *found == word).map(|(at, _)| at);
    let (before, after) = at.and_then(|at| text.split_at_checked(at)).unzip();
    (before.unwrap_or(text).trim(), after.and_then(|after| after.strip_prefix(word)).map(str::trim))
}

fn found(word: Option<&str>) -> String {
    word.filter(|word| !word.is_empty()).map_or_else(|| "the end".to_owned(), quoted)
}

/// The words of `go`; `searchmoves` takes moves up to the next of them.
const GO_WORDS: [&str; 17] = [
    "searchmoves",
    "ponder",
    "infinite",
    "wtime",
    "btime",
    "winc",
    "binc",
    "p1time",
    "p2time",
    "p1inc",
    "p2inc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "perft",
];

fn parse_go(rest: &str) -> Command {
    let mut go = Go::default();
    let mut words = rest.split_whitespace().peekable();
    while let Some(word) = words.next() {
        match word {
            "ponder" => go.ponder = true,
            "infinite" => go.infinite = true,
            "searchmoves" => {
                while let Some(mv) = words.next_if(|word| !GO_WORDS.contains(word)) {
                    go.search_moves.push_str(mv);
                    go.search_moves.push(' ');
                }
            }
            _ if GO_WORDS.contains(&word) => {
                let number = words.next_if(|next| !GO_WORDS.contains(next));
                go.set(word, number);
            }
            _ => go.refuse(|| format!("go: unknown word {}", quoted(word))),
        }
    }
    Command::Go(Box::new(go))
}

impl Go {
    /// Sets the field that belongs to a word.
    fn set(&mut self, word: &str, text: Option<&str>) {
        self.is_perft |= word == "perft";
        let Some(number) = text.and_then(read_number) else {
            return self.refuse(|| format!("go {word}: found {}, expected a number", found(text)));
        };
        if number < 0 && !is_clock(word) {
            return self.refuse(|| format!("go {word}: found {}, expected 0 or more", found(text)));
        }
        let count = u32::try_from(number.max(0)).unwrap_or(u32::MAX);
        let time = Duration::from_millis(number.clamp(0, MAX_MILLISECONDS) as u64);
        let [white, black] = &mut self.clocks;
        match word {
            "wtime" | "p1time" => white.left = Some(time),
            "btime" | "p2time" => black.left = Some(time),
            "winc" | "p1inc" => white.increment = time,
            "binc" | "p2inc" => black.increment = time,
            "movestogo" => self.moves_to_go = Some(count).filter(|moves| *moves > 0),
            "depth" => self.depth = Some(count.max(1)),
            "nodes" => self.nodes = Some(number.max(1) as u64),
            "mate" => self.mate = Some(count.max(1)),
            "movetime" => self.move_time = Some(time),
            _ if count <= MAX_DEPTH => self.perft = Some(count),
            _ => self.refuse(|| format!("go perft: found {count}, expected at most {MAX_DEPTH}")),
        }
    }

    /// Notes what could not be read.
    fn refuse(&mut self, message: impl FnOnce() -> String) {
        self.error_count += 1;
        if self.errors.len() < MAX_ERRORS_SHOWN {
            self.errors.push(message());
        }
    }

    /// The first of the messages about what could not be read, and how many more there are; `None` without any.
    pub fn error_text(&self) -> Option<String> {
        let shown = self.errors.join("; ");
        match self.error_count.saturating_sub(self.errors.len()) {
            0 => (!shown.is_empty()).then_some(shown),
            more => Some(format!("{shown}; and {more} more")),
        }
    }
}

/// Messages about one command that are shown.
const MAX_ERRORS_SHOWN: usize = 3;

/// Whether a word of `go` sets a clock, which may have run out and be negative.
fn is_clock(word: &str) -> bool {
    word != "movetime" && (word.ends_with("time") || word.ends_with("inc"))
}

/// The longest time: a hundred days.
const MAX_MILLISECONDS: i64 = 8_640_000_000;

/// A whole number with an optional sign, clamped to the range of `i64`; `None` if it is something else.
fn read_number(word: &str) -> Option<i64> {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| word.parse().unwrap_or(if word.starts_with('-') { i64::MIN } else { i64::MAX }))
}

/// What `help` prints, a line for each group of commands.
pub(super) const HELP: &str = "\
uci, ugi: who this is and its options
isready: readyok
ucinewgame: forget the last game
setoption name N [value V]: set an option
position startpos|fen F [moves M ...]: set up a position
moves M ...: play on
go [depth|nodes|movetime|mate|wtime|btime|winc|binc|movestogo N ...] [searchmoves M ...] [infinite|ponder]: search
go perft N: count the leaves N plies ahead, move by move
stop, ponderhit: end a search, or give it its time
query gameover|p1turn|result|fen|islegal M|legal: ask the referee
d, eval: show the board, the evaluation
bench [N]: search a fixed set of positions to depth N
debug on|off: say more
quit: leave
protocol.md says it all";

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Command {
        Command::parse(line).unwrap().unwrap()
    }

    fn go(line: &str) -> Go {
        match parsed(line) {
            Command::Go(go) => *go,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn unknown_leading_words_are_skipped() {
        assert_eq!(parsed("joho debug on"), Command::Debug(true));
        assert_eq!(parsed("  \t isready  \r"), Command::IsReady);
        assert_eq!(parsed("\u{FEFF}isready"), Command::IsReady);
        assert_eq!(Command::parse(" \t "), Ok(None));
        assert!(Command::parse("joho").unwrap_err().contains("'joho'"));
    }

    #[test]
    fn options_have_names_and_values_of_many_words() {
        let option = |name: &str, value: Option<&str>| Command::SetOption {
            name: name.to_owned(),
            value: value.map(str::to_owned),
        };
        assert_eq!(parsed("setoption name Clear Hash"), option("Clear Hash", None));
        assert_eq!(parsed("setoption name clear hash value true"), option("clear hash", Some("true")));
        assert_eq!(parsed("setoption name TablePath value /a  b/c\r\n"), option("TablePath", Some("/a  b/c")));
        assert_eq!(parsed("setoption name TablePath value <empty>"), option("TablePath", Some("")));
        assert_eq!(parsed("setoption name Hash value"), option("Hash", Some("")));
        assert!(Command::parse("setoption Hash 3").is_err());
        assert!(Command::parse("setoption").is_err());
    }

    #[test]
    fn positions_may_have_nothing_behind_them() {
        let position = |fen: Option<&str>, moves: &[&str]| Command::Position {
            fen: fen.map(str::to_owned),
            moves: moves.join(" "),
        };
        assert_eq!(parsed("position startpos"), position(None, &[]));
        assert_eq!(parsed("position startpos moves"), position(None, &[]));
        assert_eq!(parsed("position startpos moves a b"), position(None, &["a", "b"]));
        assert_eq!(parsed("position fen x w 0 1 moves a"), position(Some("x w 0 1"), &["a"]));
        assert_eq!(parsed("position fen"), position(Some(""), &[]));
        assert_eq!(parsed("position fen moves a"), position(Some(""), &["a"]));
        for bad in ["position", "position moves a", "position x", "position startpos x moves a"] {
            assert!(Command::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn limits_are_read_and_bad_ones_reported() {
        let read = go("go wtime 1000 btime -5 winc 10 movestogo 0 depth 7 nodes 99 mate 3 movetime 250");
        assert_eq!(read.clocks[0].left, Some(Duration::from_secs(1)));
        assert_eq!(read.clocks[1].left, Some(Duration::ZERO));
        assert_eq!((read.moves_to_go, read.depth, read.nodes, read.mate), (None, Some(7), Some(99), Some(3)));
        assert_eq!(read.move_time, Some(Duration::from_millis(250)));
        assert_eq!(read.error_text(), None);
        assert_eq!(go("go p1time 5 p2time 6").clocks[1].left, Some(Duration::from_millis(6)));
        for bad in [
            "go depth -1",
            "go perft -1",
            "go movetime -5",
            "go perft 1000000",
            "go depth abc",
            "go movetime",
            "go depth",
            "go nodes 1e6",
            "go depth -",
            "go what",
        ] {
            assert_eq!(go(bad).errors.len(), 1, "{bad}");
        }
        assert_eq!(go("go a b c d e").error_text().unwrap().matches(';').count(), 3);
        assert_eq!(go("go").error_text(), None);
        assert_eq!(go("go depth 99999999999999999999999").depth, Some(u32::MAX));
        assert_eq!(go("go wtime -99999999999999999999999").clocks[0].left, Some(Duration::ZERO));
        assert!(go("go movetime depth 3").depth == Some(3));
    }

    #[test]
    fn search_moves_end_at_the_next_keyword() {
        let read = go("go searchmoves e4e5 c2b2 depth 3 infinite");
        assert_eq!((&*read.search_moves, read.depth, read.infinite), ("e4e5 c2b2 ", Some(3), true));
        assert_eq!(go("go perft 4").perft, Some(4));
    }
}
