//! Text inside XML and HTML: nothing that comes from a file may be taken for a tag.

use std::fmt::{self, Write};

/// A text that prints so that it can stand between tags and in quoted attributes.
///
/// Characters that XML 1.0 has no place for print as U+FFFD.
pub struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|letter| match letter {
            '&' => f.write_str("&amp;"),
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '"' => f.write_str("&quot;"),
            '\'' => f.write_str("&#39;"),
            '\t' | '\n' => f.write_char(letter),
            control if control < ' ' || ('\u{7f}'..='\u{9f}').contains(&control) => f.write_char('\u{fffd}'),
            '\u{fffe}' | '\u{ffff}' => f.write_char('\u{fffd}'),
            _ => f.write_char(letter),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_is_harmless() {
        let text = "</text><script>alert('x' & \"y\")</script>\u{0}\u{1b}é\u{ffff}";
        assert_eq!(
            Escaped(text).to_string(),
            "&lt;/text&gt;&lt;script&gt;alert(&#39;x&#39; &amp; &quot;y&quot;)&lt;/script&gt;\u{fffd}\u{fffd}é\u{fffd}"
        );
    }
}
