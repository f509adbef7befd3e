//! Writing JSON (RFC 8259): a value that prints itself, over several lines or on one.

use std::fmt::{self, Write};

/// A JSON value.
#[derive(Clone, PartialEq, Debug)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A natural number.
    Count(u64),
    /// Any number; JSON has none that are infinite or undefined, which become `null`.
    Number(f64),
    /// A string, written with its quotes and escapes.
    Text(String),
    /// An array; on one line if it has neither arrays nor objects in it.
    List(Vec<Json>),
    /// An object, its members in the order in which they are written.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// An object with these members.
    pub fn object<const N: usize>(members: [(&str, Self); N]) -> Self {
        Self::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// A string.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A number, or `null` for none.
    pub fn optional_number(number: Option<f64>) -> Self {
        number.map_or(Self::Null, Self::Number)
    }

    /// A string, or `null` for none.
    pub fn optional_text(text: Option<impl Into<String>>) -> Self {
        text.map_or(Self::Null, Self::text)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, layout: JsonLayout) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Count(number) => write!(f, "{number}"),
            Self::Number(number) if number.is_finite() => write!(f, "{number}"),
            Self::Number(_) => f.write_str("null"),
            Self::Text(text) => write_text(f, text),
            Self::List(items) => {
                let is_flat = items.iter().all(|item| !matches!(item, Self::List(_) | Self::Object(_)));
                let own = if is_flat { JsonLayout::OneLine } else { layout };
                write_items(f, own, ['[', ']'], items, |f, item| item.write(f, own.inner()))
            }
            Self::Object(members) => write_items(f, layout, ['{', '}'], members, |f, (name, value)| {
                write_text(f, name)?;
                f.write_str(": ")?;
                value.write(f, layout.inner())
            }),
        }
    }
}

/// Where the items of an array or object go.
#[derive(Copy, Clone)]
enum JsonLayout {
    OneLine,
    /// A line for each, the brackets indented by this many steps of two blanks.
    Lines(usize),
}

impl JsonLayout {
    /// For the values in it.
    const fn inner(self) -> Self {
        match self {
            Self::OneLine => Self::OneLine,
            Self::Lines(indent) => Self::Lines(indent + 1),
        }
    }
}

fn write_items<T>(
    f: &mut fmt::Formatter<'_>,
    layout: JsonLayout,
    [open, close]: [char; 2],
    items: &[T],
    mut write: impl FnMut(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    f.write_char(open)?;
    for (index, item) in items.iter().enumerate() {
        match layout {
            JsonLayout::OneLine if index > 0 => f.write_str(", ")?,
            JsonLayout::OneLine => {}
            JsonLayout::Lines(indent) => {
                let comma = if index > 0 { "," } else { "" };
                write!(f, "{comma}\n{:width$}", "", width = 2 * (indent + 1))?;
            }
        }
        write(f, item)?;
    }
    if let (JsonLayout::Lines(indent), false) = (layout, items.is_empty()) {
        write!(f, "\n{:width$}", "", width = 2 * indent)?;
    }
    f.write_char(close)
}

fn write_text(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for letter in text.chars() {
        match letter {
            '"' | '\\' => write!(f, "\\{letter}")?,
            '\n' => f.write_str("\\n")?,
            control if u32::from(control) < 0x20 => write!(f, "\\u{:04x}", u32::from(control))?,
            other => f.write_char(other)?,
        }
    }
    f.write_char('"')
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, JsonLayout::Lines(0))
    }
}

/// Prints a value on one line, as JSON Lines needs it.
pub struct OneLine<'a>(pub &'a Json);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f, JsonLayout::OneLine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_print_as_json() {
        let value = Json::object([
            ("a\"b\\\n\u{1}", Json::List(vec![Json::Count(1), Json::Number(0.5), Json::Number(f64::INFINITY)])),
            ("c", Json::List(vec![Json::object([("d", Json::Bool(true))])])),
            ("e", Json::Object(Vec::new())),
        ]);
        let text = "{\n  \"a\\\"b\\\\\\n\\u0001\": [1, 0.5, null],\n  \"c\": [\n    {\n      \"d\": true\n    }\n  ],\n  \"e\": {}\n}";
        assert_eq!(value.to_string(), text);
        let line = "{\"a\\\"b\\\\\\n\\u0001\": [1, 0.5, null], \"c\": [{\"d\": true}], \"e\": {}}";
        assert_eq!(OneLine(&value).to_string(), line);
    }
}
