//! A strict reader of XML 1.0 without DTD: what it takes is well-formed, and comes back as a tree.

/// An element with what is in it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Element {
    pub name: String,
    pub attributes: Vec<(String, String)>,
    pub children: Vec<Node>,
}

/// What an element holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    Element(Element),
    Text(String),
}

impl Element {
    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// All elements of a name, this one included, in the order of the document.
    pub fn all<'a>(&'a self, name: &str) -> Vec<&'a Element> {
        let mut found = Vec::new();
        if self.name == name {
            found.push(self);
        }
        for child in &self.children {
            if let Node::Element(element) = child {
                found.extend(element.all(name));
            }
        }
        found
    }

    /// All text in it.
    pub fn text(&self) -> String {
        let piece = |child: &Node| match child {
            Node::Element(element) => element.text(),
            Node::Text(text) => text.clone(),
        };
        self.children.iter().map(piece).collect()
    }
}

/// The root element of a document, which may begin with `<!DOCTYPE html>`.
///
/// # Errors
/// Says what is wrong and what stands there.
pub fn parse(text: &str) -> Result<Element, String> {
    if let Some(bad) = text.chars().find(|letter| !is_character(*letter)) {
        return Err(format!("character {bad:?}"));
    }
    let mut reader = Reader { rest: text.strip_prefix("<!DOCTYPE html>").unwrap_or(text) };
    reader.skip_blanks();
    let root = reader.element()?;
    reader.skip_blanks();
    if reader.rest.is_empty() { Ok(root) } else { Err(reader.error("more than one root")) }
}

fn is_character(letter: char) -> bool {
    matches!(letter, '\t' | '\n' | '\r') || letter >= ' ' && !matches!(letter, '\u{fffe}' | '\u{ffff}')
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn error(&self, what: &str) -> String {
        format!("{what} at '{}'", self.rest.chars().take(60).collect::<String>())
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eat(&mut self, word: &str) -> bool {
        let eaten = self.rest.strip_prefix(word);
        self.rest = eaten.unwrap_or(self.rest);
        eaten.is_some()
    }

    fn due(&mut self, word: &str) -> Result<(), String> {
        if self.eat(word) { Ok(()) } else { Err(self.error(&format!("no {word}"))) }
    }

    fn take_until(&mut self, ends: &[char]) -> String {
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken.to_owned()
    }

    fn name(&mut self) -> Result<String, String> {
        let is_inside = |letter: char| letter.is_ascii_alphanumeric() || "-_:.".contains(letter);
        let end = self.rest.find(|letter| !is_inside(letter)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if !name.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            return Err(self.error("no name"));
        }
        self.rest = rest;
        Ok(name.to_owned())
    }

    fn element(&mut self) -> Result<Element, String> {
        self.due("<")?;
        let mut element = Element { name: self.name()?, ..Element::default() };
        loop {
            let before = self.rest.len();
            self.skip_blanks();
            if self.eat("/>") {
                return Ok(element);
            }
            if self.eat(">") {
                break;
            }
            if self.rest.len() == before {
                return Err(self.error("no blank before an attribute"));
            }
            let (name, value) = self.attribute()?;
            if element.attribute(&name).is_some() {
                return Err(self.error(&format!("attribute {name} twice")));
            }
            element.attributes.push((name, value));
        }
        self.content(&mut element)?;
        Ok(element)
    }

    fn attribute(&mut self) -> Result<(String, String), String> {
        let name = self.name()?;
        self.due("=")?;
        let quote = if self.eat("\"") { '"' } else { '\'' };
        if quote == '\'' {
            self.due("'")?;
        }
        let value = self.take_until(&[quote, '<']);
        self.due(&quote.to_string())?;
        Ok((name, resolved(&value)?))
    }

    fn content(&mut self, element: &mut Element) -> Result<(), String> {
        loop {
            let text = self.take_until(&['<']);
            if text.contains("]]>") {
                return Err(self.error("']]>' in text"));
            }
            if !text.is_empty() {
                element.children.push(Node::Text(resolved(&text)?));
            }
            if self.eat("</") {
                let name = self.name()?;
                if name != element.name {
                    return Err(self.error(&format!("</{name}> after <{}>", element.name)));
                }
                self.skip_blanks();
                return self.due(">");
            }
            element.children.push(Node::Element(self.element()?));
        }
    }
}

/// Text with its references resolved.
fn resolved(text: &str) -> Result<String, String> {
    let mut parts = text.split('&');
    let mut resolved = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(';').ok_or_else(|| format!("'&{part}' has no end"))?;
        resolved.push(match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            number => number
                .strip_prefix('#')
                .and_then(|digits| digits.parse().ok())
                .and_then(char::from_u32)
                .filter(|letter| is_character(*letter))
                .ok_or_else(|| format!("reference '&{name};'"))?,
        });
        resolved += rest;
    }
    Ok(resolved)
}

#[test]
fn what_is_not_well_formed_is_refused() {
    let tree = parse("<!DOCTYPE html>\n<a b=\"1&amp;2\" c='x'><d/>t&#39;<e>u</e ></a>\n").unwrap();
    assert_eq!((tree.attribute("b"), tree.text().as_str(), tree.all("e").len()), (Some("1&2"), "t'u", 1));
    for bad in [
        "",
        "<a>",
        "<a></b>",
        "<a b></a>",
        "<a b=1/>",
        "<a b='<'/>",
        "<a b='1' b='2'/>",
        "<a b='1'c='2'/>",
        "<a>&nbsp;</a>",
        "<a>&</a>",
        "<a/><b/>",
        "<a>\u{1}</a>",
        "<a>]]></a>",
        "<a><br></a>",
        "text",
    ] {
        assert!(parse(bad).is_err(), "{bad}");
    }
}
