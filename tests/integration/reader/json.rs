//! A strict reader of JSON (RFC 8259): anything that the grammar does not have is refused, and so are doubled names.

use std::collections::BTreeMap;

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Value>),
    Object(BTreeMap<String, Value>),
}

#[allow(dead_code)] // not every test looks at every kind
impl Value {
    /// A member of an object; `Null` where there is none.
    pub fn at(&self, name: &str) -> &Value {
        match self {
            Self::Object(members) => members.get(name).unwrap_or(&Self::Null),
            _ => &Self::Null,
        }
    }

    pub fn text(&self) -> &str {
        if let Self::Text(text) = self { text } else { panic!("no text: {self:?}") }
    }

    pub fn number(&self) -> f64 {
        if let Self::Number(number) = self { *number } else { panic!("no number: {self:?}") }
    }

    pub fn list(&self) -> &[Value] {
        if let Self::List(items) = self { items } else { panic!("no list: {self:?}") }
    }
}

/// The value that a text is.
pub fn read(text: &str) -> Result<Value, String> {
    let mut reader = Reader { rest: text };
    let value = reader.value()?;
    reader.skip();
    if reader.rest.is_empty() { Ok(value) } else { Err(format!("text behind the value: {}", reader.rest)) }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn take(&mut self, token: &str) -> bool {
        self.skip();
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.take(token) { Ok(()) } else { Err(format!("expected {token} at: {}", self.rest)) }
    }

    fn value(&mut self) -> Result<Value, String> {
        for (word, value) in [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))] {
            if self.take(word) {
                return Ok(value);
            }
        }
        if self.take("[") {
            return self.items("]", Self::value).map(Value::List);
        }
        if self.take("{") {
            let members = self.items("}", |reader| {
                let name = reader.text()?;
                reader.expect(":")?;
                Ok((name, reader.value()?))
            })?;
            let count = members.len();
            let object: BTreeMap<_, _> = members.into_iter().collect();
            return if object.len() == count { Ok(Value::Object(object)) } else { Err("a name twice".to_owned()) };
        }
        if self.rest.starts_with('"') { self.text().map(Value::Text) } else { self.number().map(Value::Number) }
    }

    fn items<T>(&mut self, end: &str, item: impl Fn(&mut Self) -> Result<T, String>) -> Result<Vec<T>, String> {
        let mut items = Vec::new();
        if self.take(end) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.take(end) {
                return Ok(items);
            }
            self.expect(",")?;
        }
    }

    fn text(&mut self) -> Result<String, String> {
        self.expect("\"")?;
        let mut text = String::new();
        let mut letters = self.rest.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(text);
                }
                '\\' => {
                    let (at, escape) = letters.next().ok_or("a text that ends with a backslash")?;
                    let simple = "\"\\/bfnrt".find(escape).and_then(|index| "\"\\/\u{8}\u{c}\n\r\t".chars().nth(index));
                    text.push(match (simple, escape) {
                        (Some(letter), _) => letter,
                        (None, 'u') => {
                            let digits = self.rest.get(at + 1..at + 5).ok_or("too few digits")?;
                            letters.nth(3);
                            let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
                            let code = u32::from_str_radix(digits, 16).ok().filter(|_| is_hex);
                            code.and_then(char::from_u32).ok_or(format!("no character: {digits}"))?
                        }
                        _ => return Err(format!("escape {escape}")),
                    });
                }
                control if control < ' ' => return Err(format!("control character {control:?}")),
                other => text.push(other),
            }
        }
        Err("a text without an end".to_owned())
    }

    fn number(&mut self) -> Result<f64, String> {
        let length = self.rest.find(|letter| !"+-.eE0123456789".contains(letter)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(length);
        let (mantissa, exponent) = word.split_once(['e', 'E']).unwrap_or((word, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
        let whole = whole.strip_prefix('-').unwrap_or(whole);
        let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|digit| digit.is_ascii_digit());
        let is_sound = are_digits(whole)
            && (whole == "0" || !whole.starts_with('0'))
            && are_digits(fraction)
            && are_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
        self.rest = rest;
        if is_sound { word.parse().map_err(|_| word.to_owned()) } else { Err(format!("no value: {word}{rest}")) }
    }
}

#[test]
fn json_is_read_strictly() {
    let value = read(" {\"a\": [1, -0.5e+2, null], \"b\\n\\u00e9\": \"\\\\\"} ").unwrap();
    assert_eq!((value.at("a").list()[1].number(), value.at("b\né").text()), (-50.0, "\\"));
    for bad in [
        "",
        "{",
        "[1,]",
        "{\"a\":1,}",
        "{\"a\" 1}",
        "{a:1}",
        "01",
        "1.",
        ".5",
        "+1",
        "-",
        "1e",
        "NaN",
        "nul",
        "'a'",
        "\"a",
        "\"\n\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\ud800\"",
        "[1 2]",
        "1 2",
        "{\"a\":1,\"a\":2}",
        "\"\\",
    ] {
        assert!(read(bad).is_err(), "{bad}");
    }
}
