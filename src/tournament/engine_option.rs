//! The options that an engine announces, and whether a value is one that it takes.

use crate::notation::quoted;

/// Names and values that a message lists; the rest are counted.
const MAX_LISTED: usize = 24;

/// An option as an engine announces it: `option name N type T …`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnnouncedOption {
    pub name: String,
    kind: OptionKind,
}

/// The type of an option, with its range.
#[derive(Clone, PartialEq, Eq, Debug)]
enum OptionKind {
    Check,
    /// The least and the greatest number, where they are given.
    Spin(Option<i64>, Option<i64>),
    Combo(Vec<String>),
    /// A button, a string, or a type that is not known: any value.
    Any,
}

impl AnnouncedOption {
    /// The option that a line of the engine announces; `None` if the line is another one.
    pub fn parse(line: &str) -> Option<Self> {
        let rest = line.trim().strip_prefix("option name ")?;
        let (name, rest) = rest.split_once(" type ").unwrap_or((rest, ""));
        let words: Vec<&str> = rest.split_whitespace().collect();
        let number = |key: &str| {
            let at = words.iter().position(|word| *word == key)?;
            words.get(at + 1)?.parse().ok()
        };
        let kind = match words.first() {
            Some(&"check") => OptionKind::Check,
            Some(&"spin") => OptionKind::Spin(number("min"), number("max")),
            Some(&"combo") => {
                OptionKind::Combo(rest.split(" var ").skip(1).map(|value| value.trim().to_owned()).collect())
            }
            _ => OptionKind::Any,
        };
        Some(Self { name: name.trim().to_owned(), kind })
    }

    pub fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Whether it takes this value.
    ///
    /// # Errors
    /// Says what was found and expected.
    fn check(&self, value: &str) -> Result<(), String> {
        let number = value.parse::<i64>().ok();
        let expected = match &self.kind {
            OptionKind::Check if !["true", "false"].contains(&value) => "true or false".to_owned(),
            OptionKind::Spin(min, max)
                if number.is_none_or(|number| {
                    min.is_some_and(|min| number < min) || max.is_some_and(|max| number > max)
                }) =>
            {
                let bound = |word: &str, bound: &Option<i64>| bound.map_or(String::new(), |n| format!(" {word} {n}"));
                format!("a number{}{}", bound("from", min), bound("to", max))
            }
            OptionKind::Combo(values) if !values.iter().any(|known| known.eq_ignore_ascii_case(value)) => {
                format!("one of {}", listed(values.iter().map(String::as_str)))
            }
            _ => return Ok(()),
        };
        Err(format!("found {}, expected {expected}", quoted(value)))
    }
}

/// Whether an engine that has announced these options takes a value for one of them.
///
/// # Errors
/// Says what was found and expected, after the option's key.
pub fn check_value(announced: &[AnnouncedOption], name: &str, value: &str) -> Result<(), String> {
    let checked = match announced.iter().find(|option| option.is_named(name)) {
        Some(option) => option.check(value),
        None if announced.is_empty() => Err("found this option, expected none: the engine announces none".to_owned()),
        None => {
            let names = listed(announced.iter().map(|option| option.name.as_str()));
            Err(format!("found no option of this name, expected one of {names}"))
        }
    };
    checked.map_err(|why| format!("option.{}: {why}", name.escape_debug()))
}

/// A list for a message, with commas between its entries.
fn listed<'a>(entries: impl ExactSizeIterator<Item = &'a str>) -> String {
    let count = entries.len();
    let list: Vec<String> = entries.take(MAX_LISTED).map(quoted).collect();
    let more = if count > MAX_LISTED { format!(" and {} more", count - MAX_LISTED) } else { String::new() };
    list.join(", ") + &more
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: &str, line: &str) -> String {
        let option = AnnouncedOption::parse(line).unwrap();
        check_value(std::slice::from_ref(&option), &option.name, value).err().unwrap_or_default()
    }

    #[test]
    fn values_are_checked_by_type_and_range() {
        let hash = "option name Hash type spin default 64 min 1 max 65536";
        assert_eq!(check("16", hash), "");
        for value in ["0", "65537", "x", ""] {
            let expected = format!("option.Hash: found '{value}', expected a number from 1 to 65536");
            assert_eq!(check(value, hash), expected);
        }
        assert_eq!(check("9", "option name A B type spin default 1"), "");
        let variant = "option name UCI_Variant type combo default chess var chess var two words";
        assert_eq!(check("Two Words", variant), "");
        let expected = "option.UCI_Variant: found 'x', expected one of 'chess', 'two words'";
        assert_eq!(check("x", variant), expected);
        assert_eq!(
            check("yes", "option name P type check default false").split_once(": ").unwrap().1,
            "found 'yes', expected true or false"
        );
        assert_eq!(check("/any thing", "option name File type string default <empty>"), "");
        assert_eq!(check("", "option name Clear Hash type button"), "");
        assert_eq!(AnnouncedOption::parse("info string option name Hash"), None);
    }

    #[test]
    fn a_misspelt_name_is_told_with_those_that_there_are() {
        let line = |name: &str| AnnouncedOption::parse(&format!("option name {name} type string")).unwrap();
        let announced = [line("Hash"), line("Clear Hash")];
        assert_eq!(check_value(&announced, "clear hash", ""), Ok(()));
        let error = check_value(&announced, "Hahs", "1").unwrap_err();
        assert_eq!(error, "option.Hahs: found no option of this name, expected one of 'Hash', 'Clear Hash'");
        assert!(check_value(&[], "Hahs", "1").unwrap_err().ends_with("the engine announces none"));
        let many: Vec<_> = (0..100).map(|number| line(&number.to_string())).collect();
        assert!(check_value(&many, "x", "").unwrap_err().ends_with("'23' and 76 more"));
    }
}
