//! How analysed positions are printed: as text, JSON Lines or CSV. protocol.md describes all three.

use crate::commands::analyser::AnalysedPosition;
use crate::json::{Json, OneLine};
use crate::notation::TextError;
use crate::notation::fen::Fen;
use crate::notation::reader::Location;
use crate::search::Line;
use crate::search::score::{Mate, Score, ScoreKind};
use crate::tablebase::Wdl;
use clap::ValueEnum;
use std::fmt::Write;

/// How results are printed.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum ReportFormat {
    /// Words, as in the session's lines
    #[default]
    Text,
    /// One JSON object a line
    Json,
    /// Comma-separated values, with a line of names first
    Csv,
}

/// A position with its value, and where it comes from.
#[derive(Clone, Debug)]
pub struct Report {
    /// Where the position or its game begins.
    pub place: Location,
    /// Moves of the game up to the position.
    pub ply: usize,
    /// The position and its value.
    pub analysed: AnalysedPosition,
}

/// Names of the columns of [`ReportFormat::Csv`], which are the members in JSON as well; those of a fault come last.
const COLUMNS: [&str; 19] = [
    "file", "line", "ply", "rules", "position", "rank", "value", "cp", "result", "plies", "points", "exact", "best",
    "pv", "depth", "nodes", "time", "column", "error",
];

impl ReportFormat {
    /// What comes before all results, with its line's end.
    pub fn heading(self) -> String {
        if self == Self::Csv { COLUMNS.join(",") + "\n" } else { String::new() }
    }

    /// The lines of a result: one for each of the best lines, or one for what can't be read.
    pub fn lines(self, result: &Result<Report, TextError>) -> String {
        match result {
            Err(fault) => self.line(&fault_fields(fault), || format!("{}", FaultText(fault))),
            Ok(report) => {
                let lines = report.analysed.result.lines.iter().enumerate();
                lines
                    .map(|(index, line)| self.line(&fields(report, index + 1, line), || text(report, index + 1, line)))
                    .collect()
            }
        }
    }

    fn line(self, fields: &[(&'static str, Json)], text: impl Fn() -> String) -> String {
        match self {
            Self::Text => text() + "\n",
            Self::Json => {
                let members = fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
                format!("{}\n", OneLine(&Json::Object(members.collect())))
            }
            Self::Csv => {
                let value = |name| {
                    fields.iter().find(|(own, _)| *own == name).map_or_else(String::new, |(_, value)| cell(value))
                };
                COLUMNS.map(value).join(",") + "\n"
            }
        }
    }
}

/// A fault as a line of text: its place comes first, so that a program finds it there.
struct FaultText<'a>(&'a TextError);

impl std::fmt::Display for FaultText<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: error: {}", self.0.place(), self.0.message)
    }
}

fn place_fields(file: &str, line: usize) -> [(&'static str, Json); 2] {
    [("file", Json::text(file)), ("line", count_from_1(line))]
}

/// A number that counts from 1, 0 standing for none.
fn count_from_1(number: usize) -> Json {
    if number > 0 { Json::Count(number as u64) } else { Json::Null }
}

fn fault_fields(fault: &TextError) -> Vec<(&'static str, Json)> {
    let mut fields = place_fields(fault.file.as_deref().unwrap_or_default(), fault.line).to_vec();
    fields.extend([("column", count_from_1(fault.column)), ("error", Json::text(&fault.message))]);
    fields
}

fn fields(report: &Report, rank: usize, line: &Line) -> Vec<(&'static str, Json)> {
    let analysed = &report.analysed;
    let (position, stats) = (&analysed.position, &analysed.result.stats);
    let forced = forced(line.score);
    let count = |number: Option<u32>| number.map_or(Json::Null, |number| Json::Count(u64::from(number)));
    let evaluation = match line.score.kind() {
        ScoreKind::Evaluation(centigoats) => Some(f64::from(centigoats)),
        ScoreKind::Win(_) | ScoreKind::Loss(_) => None,
    };
    let certain = analysed.certain_wdl(rank, line);
    let mut fields = place_fields(&report.place.file, report.place.line).to_vec();
    fields.extend([
        ("ply", Json::Count(report.ply as u64)),
        ("rules", Json::text(position.rules().name)),
        ("position", Json::text(Fen(position).to_string())),
        ("rank", Json::Count(rank as u64)),
        ("value", Json::text(value(line.score, certain))),
        ("cp", Json::optional_number(evaluation)),
        ("result", Json::optional_text(certain.map(|wdl| wdl.to_string()))),
        ("plies", count(forced.map(|forced| forced.plies))),
        ("points", count(forced.filter(|_| position.rules().scored).map(|forced| forced.points))),
        ("exact", Json::Bool(certain.is_some())),
        ("best", Json::optional_text(line.moves.first().map(ToString::to_string))),
        ("pv", Json::List(line.moves.iter().map(|mv| Json::text(mv.to_string())).collect())),
        ("depth", Json::Count(u64::from(line.depth))),
        ("nodes", Json::Count(stats.nodes)),
        ("time", Json::Count(stats.time.as_millis() as u64)),
    ]);
    fields
}

/// The end of the game that the score is of, if it is forced.
fn forced(score: Score) -> Option<Mate> {
    match score.kind() {
        ScoreKind::Win(forced) | ScoreKind::Loss(forced) => Some(forced),
        ScoreKind::Evaluation(_) => None,
    }
}

/// A value as one word, for the side to move: `+0.31` in goats, `+M5` for a win in 5 plies, `-M4` for a loss in 4, or
/// what is certain without being seen to its end.
fn value(score: Score, certain: Option<Wdl>) -> String {
    match (score.kind(), certain) {
        (ScoreKind::Win(forced), _) => format!("+M{}", forced.plies),
        (ScoreKind::Loss(forced), _) => format!("-M{}", forced.plies),
        (ScoreKind::Evaluation(_), Some(wdl)) => wdl.to_string(),
        (ScoreKind::Evaluation(centigoats), None) => format!("{:+.2}", f64::from(centigoats) / 100.0),
    }
}

/// A result as a line of words, without the line's end.
fn text(report: &Report, rank: usize, line: &Line) -> String {
    let analysed = &report.analysed;
    let position = &analysed.position;
    let certain = analysed.certain_wdl(rank, line);
    let best = line.moves.first().map_or("(none)".to_owned(), ToString::to_string);
    let mut text = format!("{}: ", report.place);
    // Writing to a string can't fail, here and below.
    let _ = write!(text, "ply {} {} {}", report.ply, position.rules().name, Fen(position));
    let _ = write!(text, " rank {rank} value {} best {best}", value(line.score, certain));
    if let Some(forced) = forced(line.score).filter(|_| position.rules().scored) {
        let _ = write!(text, " points {}", forced.points);
    }
    let stats = &analysed.result.stats;
    let exact = if certain.is_some() { "yes" } else { "no" };
    let _ = write!(text, " exact {exact} depth {} nodes {} time {}", line.depth, stats.nodes, stats.time.as_millis());
    if !line.moves.is_empty() {
        text += " pv";
        line.moves.iter().for_each(|mv| text += &format!(" {mv}"));
    }
    text
}

/// A value as a field of comma-separated values (RFC 4180).
fn cell(value: &Json) -> String {
    let text = match value {
        Json::Null => String::new(),
        Json::Text(text) => text.clone(),
        Json::List(items) => items.iter().map(cell).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    };
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}
