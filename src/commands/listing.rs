//! The output formats of `moves` and `eval`, and the members that their JSON objects begin with.

use crate::json::Json;
use crate::notation::fen::Fen;
use crate::notation::reader::InputItem;
use clap::ValueEnum;

/// How positions are listed.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum ListingFormat {
    /// Words
    Text,
    /// One JSON object a line
    Json,
}

/// Where a position was read (`file`, `line`), its `rules` and its text (`position`), as members of a JSON object.
pub fn place_members(item: &InputItem) -> Vec<(String, Json)> {
    let (place, position) = (&item.place, item.game().position());
    let Json::Object(members) = Json::object([
        ("file", Json::text(&*place.file)),
        ("line", Json::Count(place.line as u64)),
        ("rules", Json::text(position.rules().name)),
        ("position", Json::text(Fen(position).to_string())),
    ]) else {
        return Vec::new();
    };
    members
}
