//! Where hostile lines come from.

use sundarban::game::Game;
use sundarban::notation::fen::Fen;
use sundarban::notation::match_record::Record;
use sundarban::notation::record::{Annotation, move_text};
use sundarban::position::Position;
use sundarban::rng::SplitMix64;
use sundarban::rules::RuleSet;

/// Words that mean something somewhere.
const WORDS: &[&str] = &[
    "position",
    "startpos",
    "startpos;",
    "fen",
    "moves",
    "go",
    "stop",
    "quit",
    "isready",
    "uci",
    "ugi",
    "setoption",
    "name",
    "value",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "wtime",
    "btime",
    "infinite",
    "ponder",
    "searchmoves",
    "perft",
    "query",
    "legal",
    "d",
    "eval",
    "bm",
    "am",
    "id",
    "hmvc",
    "fmvn",
    "c0",
    "acd",
    "w",
    "b",
    "-",
    "- -",
    "0 1",
    "super",
    "baghguti",
    "wikipedia",
    "1-0",
    "0-1",
    "1/2-1/2",
    "½-½",
    "*",
    "1.",
    "1...",
    "2.",
    "...",
    "…",
    ";",
    "e5",
    "b4",
    "e4-e3",
    "b4xd4",
    "e4e5",
    "b3b4",
    "c2b2",
    "!",
    "?!",
    "±",
    "$1",
    "$999999999999999999999",
    "+-",
    "(1. c5)",
    "(",
    ")",
    "{a}",
    "{",
    "}",
    "{[White \"X\"]}",
    "[",
    "]",
    "[White \"X\"]",
    "[Event \"y\"]",
    "[Rules \"super\"]",
    "[FEN \"startpos\"]",
    "[Result \"*\"]",
    "[Points \"12-0\"]",
    "\"",
    "\\",
    "#",
    "# interrupt",
    "–",
    "5/2E1E/1t1t1/2E1E/5",
    "t4/5/5/5/4t",
    "5/5/5/5/5",
    "/",
    "////",
    "(none)",
    "info",
    "bestmove",
    "score",
    "cp",
    "lowerbound",
    "multipv",
    "pv",
    "string",
    "play",
    "genmove",
    "undo",
    "pass",
    "PASS",
    "black",
    "W",
    "A1",
    "I1",
    "T19",
    "Z99",
    "--engine",
    "--each",
    "--rounds",
    "--config",
    "--",
    "-v",
    "tc=",
    "'",
    "$(x)",
    "%s",
    "%n",
    "\u{FEFF}",
    "é",
    "\u{85}",
    "\u{A0}",
    "\u{2028}",
    "\u{202E}",
    "\u{1F405}",
    "\t",
    "\r",
    "\u{0}",
    "\u{1b}[2J",
    "٣",
];

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "7",
    "10",
    "19",
    "20",
    "21",
    "100",
    "255",
    "256",
    "300",
    "1000",
    "30000",
    "30001",
    "65535",
    "65536",
    "1000000",
    "1000001",
    "-1",
    "-0",
    "+5",
    "007",
    "0.5",
    "1e9",
    "1e309",
    "NaN",
    "inf",
    "0x10",
    "2147483647",
    "2147483648",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999999999999999999",
];

const OPTIONS: &[&str] = &[
    "Hash",
    "Threads",
    "MultiPV",
    "Ponder",
    "Clear Hash",
    "UCI_Variant",
    "UCI_AnalyseMode",
    "UCI_ShowWDL",
    "Move Overhead",
    "DrawPlies",
    "TablePath",
    "TableCache",
    "Nonsense",
    "hash",
    "multipv",
];

/// A source of hostile text; the same for the same seed.
pub struct Source {
    random: SplitMix64,
    /// Games whose positions and moves the texts use.
    games: Vec<Game>,
}

impl Source {
    /// The source of a seed.
    pub fn new(seed: u64) -> Self {
        let mut source = Self { random: SplitMix64(seed), games: Vec::new() };
        source.games = (0..6).map(|_| source.random_game()).collect();
        source
    }

    /// A number below this one.
    pub fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound as u64) as usize
    }

    /// Whether a chance of one in so many comes true.
    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// One of these.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    fn random_game(&mut self) -> Game {
        let mut game = Game::new(Position::start(&RuleSet::all()[self.below(7)]));
        for _ in 0..self.below(60) {
            let moves = game.position().legal_moves();
            if moves.is_empty() {
                break;
            }
            game.play(moves[self.below(moves.len())]);
        }
        game
    }

    /// One of the source's games.
    pub fn game(&mut self) -> Game {
        let index = self.below(self.games.len());
        self.games[index].clone()
    }

    /// The name of a rule set, now and then a wrong one.
    pub fn rules(&mut self) -> &'static str {
        if self.one_in(12) {
            self.pick(&["Super", "chess", "", "bagh", "MODERNO"])
        } else {
            RuleSet::all()[self.below(7)].name
        }
    }

    pub fn number(&mut self) -> &'static str {
        self.pick(NUMBERS)
    }

    pub fn word(&mut self) -> &'static str {
        self.pick(WORDS)
    }

    pub fn option(&mut self) -> &'static str {
        self.pick(OPTIONS)
    }

    /// A point, rarely off the board.
    fn point(&mut self) -> String {
        let file = self.pick(&["a", "b", "c", "d", "e", "a", "b", "c", "d", "e", "f", "E"]);
        let rank = self.pick(&["1", "2", "3", "4", "5", "1", "2", "3", "4", "5", "6"]);
        format!("{file}{rank}")
    }

    /// A move, rarely a legal one.
    pub fn any_move(&mut self) -> String {
        (0..2 + self.below(2) * self.below(4)).map(|_| self.point()).collect()
    }

    /// A legal move of a position, sometimes another one.
    pub fn move_of(&mut self, position: &Position) -> String {
        let moves = position.legal_moves();
        if moves.is_empty() || self.one_in(15) { self.any_move() } else { moves[self.below(moves.len())].to_string() }
    }

    /// A position's text, with fields missing, odd or too many now and then.
    pub fn position(&mut self) -> String {
        let game = self.game();
        let position = *game.position();
        let text = if self.one_in(4) { self.any_board() } else { Fen(&position).to_string() };
        match self.below(10) {
            0 => text.split(' ').take(self.below(4)).collect::<Vec<_>>().join(" "),
            1 => format!("{text} {}", self.number()),
            2 => format!("{} {} {}", text.rsplitn(3, ' ').last().unwrap_or_default(), self.number(), self.number()),
            3 => text.replace(' ', "  "),
            _ => text,
        }
    }

    /// A board of random letters, and a side.
    fn any_board(&mut self) -> String {
        const LETTERS: &[&str] = &["1", "2", "3", "4", "5", "A", "A", "A", "B", "E", "t", "t", "F", "0", "6", "T"];
        let mut ranks = Vec::new();
        for _ in 0..5 - self.below(2) * self.below(2) + self.below(20) / 19 {
            ranks.push((0..1 + self.below(5)).map(|_| self.pick(LETTERS)).collect::<String>());
        }
        format!("{} {} {} {}", ranks.join("/"), self.pick(&["w", "b", "b", "W", ""]), self.number(), self.number())
    }

    /// A comment in braces.
    fn comment(&mut self) -> String {
        let words = (0..self.below(4)).map(|_| self.word()).collect::<Vec<_>>().join(" ");
        format!("{{{words}}}")
    }

    /// What may stand behind a move.
    fn annotation(&mut self) -> String {
        match self.below(8) {
            0 => self.pick(&["!", "?!", " $1", " $14 $20", " ±", " +-", "??"]).to_owned(),
            1 => format!(" {}", self.comment()),
            2 => format!(" ({} {})", self.any_move(), self.comment()),
            _ => String::new(),
        }
    }

    /// The text of a game as records have it, with everything that may stand between its moves.
    pub fn game_text(&mut self, game: &Game) -> String {
        let is_plain = self.one_in(2);
        let mut position = *game.start();
        let mut text = String::new();
        let count = self.below(game.moves().len() + 1);
        for (ply, &mv) in game.moves().iter().take(count).enumerate() {
            let is_white = position
                .legal_moves()
                .first()
                .is_some_and(|first| position.play(*first).move_number() == position.move_number());
            let number = position.move_number();
            let head = match (is_white, ply) {
                (true, _) => format!("{number}. "),
                (false, 0) => format!("{number}. ...; "),
                (false, _) if self.one_in(9) => format!("{number}... "),
                (false, _) => "; ".to_owned(),
            };
            let word = if self.one_in(6) { mv.to_string() } else { move_text(&position, mv) };
            let gap = self.pick(&[" ", " ", " ", "\n", "  ", ""]);
            text += &format!("{gap}{head}{word}");
            if !is_plain {
                text += &self.annotation();
            }
            position = position.play(mv);
        }
        let result = self.pick(&[" *", " *", " 1-0", " 0-1", " 1/2-1/2", "", " ½-½", "\n*"]);
        format!("{}{result}", text.trim_start())
    }

    /// A match record, with tags.
    pub fn match_record(&mut self) -> String {
        let game = self.game();
        if self.one_in(3) {
            return self.written_record(game).write();
        }
        let mut text = String::new();
        for _ in 0..self.below(5) {
            let name = self.pick(&[
                "White", "Black", "Event", "Pair", "Rules", "Variant", "FEN", "Result", "Points", "Plies", "Round",
                "x-y",
            ]);
            let value = match name {
                "Rules" | "Variant" => game.rules().name.to_owned(),
                "FEN" => Fen(game.start()).to_string(),
                "Result" => "*".to_owned(),
                _ => self.word().replace(['"', '\\', '\n'], ""),
            };
            text += &format!("[{name} \"{value}\"]\n");
        }
        let body = self.game_text(&game);
        format!("{text}[Rules \"{}\"]\n\n{body}\n\n", game.rules().name)
    }

    /// A record as the program itself writes it.
    pub fn written_record(&mut self, game: Game) -> Record {
        let mut record = Record::new(game);
        record.tags.push(("White".to_owned(), (0..3).map(|_| self.word()).collect()));
        record.preface = self.word().to_owned();
        record.reason = (0..self.below(6)).map(|_| self.word()).collect::<Vec<_>>().join(" ");
        for comment in &mut record.comments {
            *comment =
                (0..self.random.below(3)).map(|_| WORDS[self.random.below(WORDS.len() as u64) as usize]).collect();
            let signs = if self.random.below(4) == 0 { vec!["!?".to_owned(), "$7".to_owned()] } else { Vec::new() };
            record.annotations.push(Annotation { signs, variations: Vec::new() });
        }
        record
    }

    /// A line with a position or a game, in any of the forms that are read; match records are several lines.
    pub fn item(&mut self) -> Vec<u8> {
        let game = self.game();
        let moves = game.moves().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let name = if self.one_in(3) { self.rules() } else { game.rules().name };
        let start = Fen(game.start()).to_string();
        let text = match self.below(16) {
            0 => format!("{name} startpos moves {moves}"),
            1 => format!("{name}\t{start} moves {moves}\tmore\tcolumns"),
            2 => format!("position fen {start} moves {moves}"),
            3 => format!("{name} {moves}"),
            4 | 5 => format!("{name} {}", self.game_text(&game)),
            6 => format!("{} {}", self.comment(), self.game_text(&game)),
            7 | 8 => self.match_record(),
            9 => format!("{} bm {}; id \"{}\"; c0 \"x\";", self.position(), self.any_move(), self.word()),
            10 => format!("{name} {} - - hmvc {}; fmvn {};", self.position(), self.number(), self.number()),
            11 => format!("{name} {}", self.position()),
            12 => self.position(),
            13 => format!("[FEN \"{}\"]\n[Rules \"{name}\"]\n\n{}\n", self.position(), self.comment()),
            14 => self.words(),
            _ => format!("startpos{}{}", self.pick(&["", ";", " moves", " "]), self.words()),
        };
        self.perhaps_mutated(text.into_bytes(), 3)
    }

    /// Words in no order.
    pub fn words(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..self.below(8) {
            text += &match self.below(6) {
                0 => self.number().to_owned(),
                1 => self.any_move(),
                2 => self.position(),
                _ => self.word().to_owned(),
            };
            text.push(' ');
        }
        text
    }

    /// The same bytes, or mutated ones with a chance of one in so many.
    pub fn perhaps_mutated(&mut self, bytes: Vec<u8>, count: usize) -> Vec<u8> {
        if self.one_in(count) { self.mutated(bytes) } else { bytes }
    }

    /// The bytes with some of them changed.
    pub fn mutated(&mut self, mut bytes: Vec<u8>) -> Vec<u8> {
        for _ in 0..1 + self.below(3) {
            let at = self.below(bytes.len() + 1);
            let to = (at + self.below(6)).min(bytes.len());
            match self.below(9) {
                0 => drop(bytes.drain(at..to)),
                1 => bytes.insert(at, self.below(256) as u8),
                2 => drop(bytes.splice(at..at, self.word().bytes())),
                3 => drop(bytes.splice(at..to, self.word().bytes())),
                4 => bytes.truncate(at),
                5 => {
                    let again = bytes[at..].to_vec();
                    bytes.extend(again);
                }
                6 => drop(bytes.splice(at..at, self.number().bytes())),
                7 => bytes.iter_mut().skip(at).take(3).for_each(|byte| *byte ^= 0x20),
                _ if self.one_in(40) => {
                    let again = bytes[at..to].repeat(1 + self.below(4_000));
                    drop(bytes.splice(at..at, again));
                }
                _ => {
                    let letter = self.pick(b"{}[]()\";#\\ \t\r.-x$\xff\xe9\0");
                    bytes.insert(at, letter);
                }
            }
        }
        bytes
    }
}
