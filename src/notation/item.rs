//! One position, game or match record from its text.

use crate::game::{Game, GameResult};
use crate::notation::match_record::Record;
use crate::notation::record::{GameText, one_line, parse_result, result_text};
use crate::notation::{TextError, line, quoted};
use crate::position::Position;
use crate::rules::{RuleSet, Side};
use std::collections::BTreeSet;

/// Tags that name the rule set.
const RULES_TAGS: [&str; 2] = ["Rules", "Variant"];

/// What a text holds.
pub struct ParsedRecord {
    pub record: Record,
    /// What is odd about it and does not keep it from being read.
    pub warnings: Vec<TextError>,
    /// Whether the result stands at its end.
    pub has_result: bool,
    /// The columns of a line that are neither a position nor moves.
    pub columns: Vec<String>,
}

/// Reads a position, a game or a match record; by `rules` where it names none.
///
/// # Errors
/// Says where the text stops being one.
pub fn parse(text: &str, rules: &'static RuleSet) -> Result<ParsedRecord, TextError> {
    let mut comments = Vec::new();
    let mut at = blanks(text, 0);
    while let Some(rest) = rest(text, at).strip_prefix('{') {
        let end = rest.find('}').ok_or_else(|| TextError::new(text, at, "no end of the comment", "'}'"))?;
        comments.push(one_line(rest.get(..end).unwrap_or_default()));
        at = blanks(text, at + end + 2);
    }
    if rest(text, at).starts_with('[') {
        return tagged(text, at, rules, comments);
    }
    let read = line::read(text, at, rules)?;
    comments.extend(read.start.comment);
    let (position, tags) = (read.start.position, read.start.tags);
    let (result, end) = read.text.result.map_or((None, text.len()), |(result, at)| (result, at));
    let parsed = assembled(position, tags, comments, read.text, result);
    check_end(text, &parsed.record, None, end)?;
    Ok(ParsedRecord { columns: read.columns, ..parsed })
}

fn rest(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or_default()
}

/// The offset of what is no blank from an offset on.
fn blanks(text: &str, at: usize) -> usize {
    at + rest(text, at).len() - rest(text, at).trim_start().len()
}

fn assembled(
    start: Position,
    tags: Vec<(String, String)>,
    comments: Vec<String>,
    mut text: GameText,
    result: Option<GameResult>,
) -> ParsedRecord {
    text.preface.splice(0..0, comments);
    let (preface, comments, reason) = text.comments();
    let mut game = Game::new(start);
    text.moves.iter().for_each(|played| game.play(played.mv));
    let annotations = text.moves.into_iter().map(|played| played.annotation).collect();
    ParsedRecord {
        record: Record { tags, game, preface, comments, annotations, reason, result },
        warnings: text.warning.into_iter().collect(),
        has_result: text.result.is_some(),
        columns: Vec::new(),
    }
}

/// A tag and where it stands.
struct Tag {
    name: String,
    value: String,
    /// Offset of its bracket.
    at: usize,
    /// Offset of its value.
    value_at: usize,
}

/// Reads the match record whose tags begin at an offset.
fn tagged(text: &str, at: usize, rules: &'static RuleSet, comments: Vec<String>) -> Result<ParsedRecord, TextError> {
    let (tags, at) = tags(text, at)?;
    let start = start(text, &tags, rules)?;
    let game = GameText::parse(&start, text, at)?;
    let (result, missing) = result(text, &tags, &game)?;
    let ends = (tags.iter().find(|tag| tag.name == "Points"), game.result.map_or(text.len(), |(_, at)| at));
    let follows = |tag: &Tag| ["Rules", "FEN", "Result"].contains(&tag.name.as_str());
    let (points, end) = (ends.0.map(|tag| (tag.value.clone(), tag.at)), ends.1);
    let kept = tags.into_iter().filter(|tag| !follows(tag)).map(|tag| (tag.name, tag.value)).collect();
    let mut parsed = assembled(start, kept, comments, game, result);
    parsed.warnings.extend(missing);
    check_end(text, &parsed.record, points, end)?;
    Ok(parsed)
}

/// The tags, and where the moves begin.
fn tags(text: &str, mut at: usize) -> Result<(Vec<Tag>, usize), TextError> {
    let mut tags: Vec<Tag> = Vec::new();
    let mut names = BTreeSet::new();
    while rest(text, at).starts_with('[') {
        let tag = tag(text, at)?;
        if !names.insert(tag.name.clone()) {
            return Err(TextError::new(text, at, format!("tag {} twice", quoted(&tag.name)), "it once"));
        }
        tags.push(tag);
        let line = rest(text, at).lines().next().unwrap_or_default();
        at = blanks(text, at + line.len());
    }
    Ok((tags, at))
}

/// A tag: `[Name "value"]`, alone on its line.
fn tag(text: &str, at: usize) -> Result<Tag, TextError> {
    let line = rest(text, at).lines().next().unwrap_or_default().trim_end();
    let expected = "a tag as [Name \"value\"]";
    let parts = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')?.trim_end().strip_suffix('"'));
    let (name, value) = parts
        .and_then(|inner| inner.split_once('"'))
        .filter(|(name, _)| name.ends_with(char::is_whitespace) && is_tag_name(name.trim()))
        .ok_or_else(|| TextError::new(text, at, quoted(line), expected))?;
    let mut letters = value.chars();
    let mut read = String::new();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => read.push(letters.next().unwrap_or(letter)),
            '"' => {
                return Err(TextError::new(text, at, quoted(line), "one tag on a line, as [Name \"value\"]"));
            }
            letter => read.push(letter),
        }
    }
    Ok(Tag { name: name.trim().to_owned(), value: read, at, value_at: at + 1 + name.len() + 1 })
}

/// Whether a tag may have this name.
pub fn is_tag_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|letter| letter.is_ascii_alphanumeric() || b"_-+#=:".contains(&letter))
}

/// Where the game starts, by the tags.
fn start(text: &str, tags: &[Tag], usual: &'static RuleSet) -> Result<Position, TextError> {
    let mut named: Option<(&'static RuleSet, &str)> = None;
    for tag in tags.iter().filter(|tag| RULES_TAGS.contains(&tag.name.as_str())) {
        let found = format!("{} {}", tag.name.to_lowercase(), quoted(&tag.value));
        let error = |expected: String| TextError::new(text, tag.at, &found, expected);
        let rules = RuleSet::named(&tag.value).ok_or_else(|| error(format!("one of {}", RuleSet::names())))?;
        match named {
            Some((known, name)) if known != rules => return Err(error(format!("'{}' as in tag {name}", known.name))),
            _ => named = Some((rules, &tag.name)),
        }
    }
    let rules = named.map_or(usual, |(rules, _)| rules);
    let Some(tag) = tags.iter().find(|tag| tag.name == "FEN") else { return Ok(Position::start(rules)) };
    let place = |error: TextError| error.within(text, tag.value_at);
    let read = line::read(&tag.value, 0, rules).map_err(place)?;
    let mut game = Game::new(read.start.position);
    read.text.moves.iter().for_each(|played| game.play(played.mv));
    match named {
        Some((rules, name)) if game.rules() != rules => {
            let found = format!("rules '{}'", game.rules().name);
            Err(TextError::new(text, tag.value_at, found, format!("'{}' as in tag {name}", rules.name)))
        }
        _ => Ok(*game.position()),
    }
}

/// The result, and a warning if it stands in the tag at most.
#[allow(clippy::type_complexity)]
fn result(text: &str, tags: &[Tag], game: &GameText) -> Result<(Option<GameResult>, Option<TextError>), TextError> {
    const RESULTS: &str = "a result: 1-0, 0-1, 1/2-1/2 or *";
    let tag = tags.iter().find(|tag| tag.name == "Result");
    let tagged = tag.map(|tag| parse_result(&tag.value));
    match (game.result, tag, tagged) {
        (Some((result, at)), Some(tag), Some(tagged)) if tagged != Some(result) => {
            let found = format!("{} after tag Result {}", result_text(result), quoted(&tag.value));
            Err(TextError::new(text, at, found, "the same result in both places"))
        }
        (Some((result, _)), ..) => Ok((result, None)),
        (None, Some(tag), Some(None)) => Err(TextError::new(text, tag.value_at, quoted(&tag.value), RESULTS)),
        (None, _, tagged) => {
            let missing = TextError::new(text, text.trim_end().len(), "the end", RESULTS);
            Ok((tagged.flatten().flatten(), Some(missing)))
        }
    }
}

/// Sees whether a game that has ended on the board has the result and the points that the rules give it.
fn check_end(text: &str, record: &Record, points: Option<(String, usize)>, end: usize) -> Result<(), TextError> {
    let game = &record.game;
    let (Some(outcome), Some(claimed)) = (game.outcome_on_board(), record.result) else { return Ok(()) };
    let due = match outcome.winner() {
        Some(Side::White) => GameResult::Win,
        Some(Side::Black) => GameResult::Loss,
        // What is drawn may have been played for other draws than ours, or been played on.
        None => return Ok(()),
    };
    if claimed != due {
        let expected = format!("{} ({outcome})", result_text(Some(due)));
        return Err(TextError::new(text, end, result_text(Some(claimed)), expected));
    }
    let (white, black) = game.points(outcome);
    let right = format!("{white}-{black}");
    match points.filter(|(found, _)| game.rules().scored && *found != right) {
        Some((found, at)) => {
            let found = format!("Points {}", quoted(&found));
            Err(TextError::new(text, at, found, format!("'{right}' ({outcome})")))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::reader::read_all;
    use crate::notation::record::Annotation;
    use crate::notation::{coordinates, fen};
    use crate::rng::SplitMix64;

    fn sample(rules: &str, start: Option<&str>, moves: &str) -> Record {
        let rules = RuleSet::named(rules).unwrap();
        let start = start.map_or(Position::start(rules), |text| fen::parse(rules, text).unwrap());
        let mut game = Game::new(start);
        for word in moves.split_whitespace() {
            game.play(coordinates::parse(game.position(), word).unwrap());
        }
        let comments = (0..game.moves().len()).map(|ply| format!("+0.{ply}/12 0.45s")).collect();
        let tags = vec![("White".to_owned(), "a \"b\" \\c".to_owned()), ("Game".to_owned(), "7".to_owned())];
        let (reason, result) = ("White wins: because".to_owned(), Some(GameResult::Win));
        Record { tags, comments, reason, result, ..Record::new(game) }
    }

    fn assert_same(read: &Record, written: &Record) {
        assert_eq!(read.tags, written.tags);
        assert_eq!((read.game.start(), read.game.moves()), (written.game.start(), written.game.moves()));
        assert_eq!(read.preface, written.preface);
        assert_eq!((&read.comments, &read.reason, read.result), (&written.comments, &written.reason, written.result));
    }

    #[test]
    fn a_record_reads_as_its_game() {
        let record = sample("super", None, "e4e5 b3b4 e4e3 b4d4");
        let text = record.write();
        assert_eq!(
            text,
            "[White \"a \\\"b\\\" \\\\c\"]\n[Game \"7\"]\n[Rules \"super\"]\n[Result \"1-0\"]\n\n\
             1. e5 {+0.0/12 0.45s}; b4 {+0.1/12 0.45s} 2. e4-e3 {+0.2/12 0.45s}; b4xd4 {+0.3/12 0.45s} {White\n\
             wins: because} 1-0\n\n"
        );
        assert_same(&read_all(&text).unwrap()[0], &record);
    }

    #[test]
    fn several_records_and_other_starts_read_back() {
        let black = sample("baghbandi", Some("5/2E1E/1t1t1/1AD1E/5 b 0 7"), "b3b1 e4e5 b1a1");
        let mut empty = sample("baghguti", None, "");
        empty.result = None;
        let text = black.write() + &empty.write();
        let read = read_all(&text).unwrap();
        assert_eq!(read.len(), 2);
        assert_same(&read[0], &black);
        assert_same(&read[1], &empty);
    }

    #[test]
    fn records_by_hand_need_neither_tags_nor_comments() {
        let read = read_all("1.e5;b4 2.e4-e3 {good};b4xd4 *\n").unwrap();
        assert_eq!((read[0].game.moves().len(), read[0].comments[2].as_str()), (4, "good"));
    }

    #[test]
    fn comments_stay_where_they_are() {
        for (text, preface, comments, reason) in [
            ("{a} {b} 1. e5 {c}; b4 {d} *", "a b", ["c", "d"].as_slice(), ""),
            ("1. e5 {a} {b}; b4 {c} {d} {e} *", "", &["a b", "c d"], "e"),
            ("[White \"x\"]\n{a} {b} *", "", &[], "a b"),
            ("{a} 1. e5; b4 *", "a", &["", ""], ""),
        ] {
            let read = read_all(text).unwrap().remove(0);
            assert_eq!((read.preface.as_str(), read.reason.as_str()), (preface, reason), "{text}");
            assert_eq!(read.comments, comments, "{text}");
            assert_same(&read_all(&read.write()).unwrap()[0], &read);
        }
        let black = "[FEN \"5/2E1E/1t1t1/1AD1E/5 b 0 7\"]\n\n{a} 7. ...; b3xb1 *\n";
        assert!(read_all(black).unwrap()[0].write().ends_with("\n\n{a} 7. ...; b3xb1 *\n\n"));
    }

    #[test]
    fn the_result_of_a_finished_game_is_that_of_the_rules() {
        let game = |tags: &str, result: &str| {
            let fen = "[FEN \"1AA2/AA1A1/AtAA1/t1AA1/AAA1A w 55 44\"]";
            read_all(&format!("[Rules \"super\"]\n{fen}\n{tags}\n44. c1-b2 {result}\n")).map(|found| found.len())
        };
        for (tags, result) in [("", "1-0"), ("", "*"), ("[Points \"12-0\"]\n", "1-0")] {
            assert_eq!(game(tags, result), Ok(1), "{tags} {result}");
        }
        for (tags, result, why) in [
            ("", "0-1", "line 4, column 11: found 0-1, expected 1-0 (White wins: the tigers can't move)"),
            ("", "1/2-1/2", "line 4, column 11: found 1/2-1/2, expected 1-0 (White wins"),
            ("[Points \"11-0\"]\n", "1-0", "line 3, column 1: found Points '11-0', expected '12-0' (White wins"),
        ] {
            let found = game(tags, result).unwrap_err().to_string();
            assert!(found.starts_with(why), "{found}");
        }
    }

    #[test]
    fn a_bad_record_is_refused_with_the_place() {
        for (text, reason) in [
            ("[Rules \"chess\"]\n\n*", "column 1: found rules 'chess', expected one of baghbandi"),
            ("[FEN \"x\"]\n*", "column 7: found 'x', expected a rule set, a position or moves"),
            ("[A \"b\"] [C \"d\"]\n*", r#"column 1: found '[A \"b\"] [C \"d\"]', expected one tag on a line"#),
            ("[White a]\n*", "column 1: found '[White a]', expected a tag"),
            ("1. e5; {x}\nx4 *", "line 2, column 1: found 'x4', expected a move"),
            ("1. e5 {x; b4 *", "column 7: found no end of the comment"),
            ("[A \"b\"]\n[B \"c\"]\n[A \"b\"]\n*", "line 3, column 1: found tag 'A' twice, expected it once"),
            (
                "[Variant \"super\"]\n[Rules \"moderno\"]\n*",
                "line 2, column 1: found rules 'moderno', expected 'super'",
            ),
            (
                "[FEN \"super startpos\"]\n[Rules \"moderno\"]\n*",
                "column 7: found rules 'super', expected 'moderno' as",
            ),
            ("[FEN \"5/2E1E/1t1t1/2F1E/5 w\"]\n*", "column 21: found 'F', expected a digit"),
            ("[Result \"x\"]\n1. e5", "column 10: found 'x', expected a result"),
            ("[Result \"1-0\"]\n1. e5 0-1", "line 2, column 7: found 0-1 after tag Result '1-0'"),
        ] {
            let found = read_all(text).unwrap_err().to_string();
            assert!(found.starts_with(reason), "{text}: {found}");
        }
    }

    /// A text of hostile pieces.
    fn hostile(random: &mut SplitMix64) -> String {
        const PIECES: [&str; 24] = [
            "[White \"X\"]",
            "[Event \"y\"]",
            "{",
            "}",
            "\n",
            "\r",
            " ",
            "\\",
            "\"",
            "#",
            ";",
            "1-0",
            "*",
            "$1",
            "(",
            ")",
            "é",
            "\u{85}",
            "\u{FEFF}",
            "[",
            "]",
            "word",
            "a-very-long-word-that-makes-lines-break-where-nobody-expects-it",
            "\t",
        ];
        let count = random.below(12) * random.below(5);
        (0..count).map(|_| PIECES[random.below(PIECES.len() as u64) as usize]).collect()
    }

    /// A random game with hostile tags and comments.
    fn random_record(random: &mut SplitMix64) -> Record {
        let rules = &RuleSet::all()[random.below(7) as usize];
        let mut game = Game::new(Position::start(rules));
        for _ in 0..random.below(30) {
            let moves = game.position().legal_moves();
            let Some(&mv) = moves.get(random.below(moves.len().max(1) as u64) as usize) else { break };
            game.play(mv);
        }
        let mut record = Record::new(game);
        record.tags = (0..random.below(5)).map(|number| (format!("Tag{number}"), hostile(random))).collect();
        (record.preface, record.reason) = (hostile(random), hostile(random));
        for comment in &mut record.comments {
            *comment = hostile(random);
            let mut annotation = Annotation::default();
            if random.below(3) == 0 {
                annotation.signs = ["!?", "$14", "±"].map(str::to_owned).to_vec();
                annotation.variations.push("(1. e5 {[x \"y\"] ) } (b4))".to_owned());
            }
            record.annotations.push(annotation);
        }
        record.result = [None, Some(GameResult::Draw)][random.below(2) as usize];
        if record.game.outcome_on_board().is_some() {
            record.result = None;
        }
        record
    }

    #[test]
    fn what_is_written_reads_back_and_is_written_the_same_again() {
        for seed in 0..2_000 {
            let mut random = SplitMix64(seed);
            let written: Vec<Record> = (0..3).map(|_| random_record(&mut random)).collect();
            let texts: Vec<String> = written.iter().map(Record::write).collect();
            let read = read_all(&texts.concat()).unwrap_or_else(|error| panic!("{seed}: {error}\n{}", texts.concat()));
            assert_eq!(read.len(), written.len(), "{seed}");
            for ((read, written), text) in read.iter().zip(&written).zip(&texts) {
                assert_eq!(read.write(), *text, "{seed}");
                assert_eq!((read.game.start(), read.game.moves()), (written.game.start(), written.game.moves()));
                assert_eq!((read.result, &read.annotations), (written.result, &written.annotations), "{seed}");
            }
        }
    }
}
