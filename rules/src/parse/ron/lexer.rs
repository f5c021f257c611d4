//! Text as pieces of RON: brackets, commas, colons, quoted text, words, comments, with their places.

/// A piece of RON.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    /// `(`, `[`, `{`
    Open,
    /// `)`, `]`, `}`
    Close,
    /// `,`
    Comma,
    /// `:`
    Colon,
    /// `".."`, `r".."`, `'c'` and the byte forms.
    Quoted,
    /// A run of anything else: numbers, identifiers.
    Word,
    /// `// ..` up to the end of the line.
    LineComment,
    /// `/* .. */`
    BlockComment,
}

/// Cuts RON into tokens; what is no RON gives some tokens too.
#[derive(Clone)]
pub(crate) struct Tokens<'a> {
    pub(super) text: &'a str,
    pub(super) position: usize,
}

impl<'a> Tokens<'a> {
    /// The tokens of a text.
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, position: 0 }
    }

    /// The next token that is no comment.
    pub(super) fn next_significant(&mut self) -> Option<(Token, usize, usize)> {
        loop {
            let next = self.next()?;
            if !matches!(next.0, Token::LineComment | Token::BlockComment) {
                return Some(next);
            }
        }
    }

    /// Passes over everything up to the bracket that closes the one just read; the byte behind it.
    ///
    /// Most of a table is passed over so, once for each level it lies deep: only bytes that can
    /// open or close something are looked at.
    pub(super) fn skip_group(&mut self) -> usize {
        let bytes = self.text.as_bytes();
        let mut open = 1_usize;
        let mut index = self.position;
        while open > 0 {
            let Some(length) = bytes[index..]
                .iter()
                .position(|byte| BORDERS[usize::from(*byte)])
            else {
                index = bytes.len();
                break;
            };
            index += length;
            match bytes[index] {
                b'(' | b'[' | b'{' => open += 1,
                b')' | b']' | b'}' => open -= 1,
                b'/' => {
                    index += comment_length(&bytes[index..]).unwrap_or(1);
                    continue;
                }
                _ => {
                    let hashes = bytes[..index]
                        .iter()
                        .rev()
                        .take_while(|byte| **byte == b'#')
                        .count();
                    let is_raw = bytes[..index - hashes].ends_with(b"r");
                    let start = if is_raw { index - hashes - 1 } else { index };
                    index = start + quoted_length(&bytes[start..]);
                    continue;
                }
            }
            index += 1;
        }
        self.position = index;
        index
    }
}

/// The bytes that open or close a bracket, a string or a comment.
const BORDERS: [bool; 256] = {
    let mut borders = [false; 256];
    let bytes = b"()[]{}\"'/";
    let mut index = 0;
    while index < bytes.len() {
        borders[bytes[index] as usize] = true;
        index += 1;
    }
    borders
};

impl Iterator for Tokens<'_> {
    /// Token, first byte and byte after the last.
    type Item = (Token, usize, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.text.as_bytes();
        let mut start = self.position;
        let token = loop {
            match *bytes.get(start)? {
                b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C => start += 1,
                b'(' | b'[' | b'{' => break Token::Open,
                b')' | b']' | b'}' => break Token::Close,
                b',' => break Token::Comma,
                b':' => break Token::Colon,
                b'"' | b'\'' => break Token::Quoted,
                b'/' if bytes.get(start + 1) == Some(&b'/') => break Token::LineComment,
                b'/' if bytes.get(start + 1) == Some(&b'*') => break Token::BlockComment,
                b'b' | b'r' if quote_after_prefix(&bytes[start..]).is_some() => {
                    break Token::Quoted;
                }
                0x80.. => match blank_length(&self.text[start..]) {
                    0 => break Token::Word,
                    length => start += length,
                },
                _ => break Token::Word,
            }
        };
        let end = match token {
            Token::Open | Token::Close | Token::Comma | Token::Colon => start + 1,
            Token::Quoted => start + quoted_length(&bytes[start..]),
            Token::LineComment | Token::BlockComment => {
                start + comment_length(&bytes[start..]).unwrap_or(1)
            }
            Token::Word => start + word_length(&self.text[start..]),
        };
        self.position = end;
        Some((token, start, end))
    }
}

/// Bytes of the blank that the text begins with, beyond the ASCII ones.
fn blank_length(text: &str) -> usize {
    match text.chars().next() {
        Some(
            blank @ ('\u{85}' | '\u{200E}' | '\u{200F}' | '\u{2028}' | '\u{2029}' | '\u{feff}'),
        ) => blank.len_utf8(),
        _ => 0,
    }
}

fn word_length(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((index, c)) = chars.next() {
        let ends = match c {
            '(' | ')' | '[' | ']' | '{' | '}' | ',' | ':' | '"' | '\'' => true,
            '/' => matches!(chars.peek(), Some((_, '/' | '*'))),
            _ if c.is_ascii() => matches!(c, ' ' | '\t'..='\r'),
            _ => blank_length(&text[index..]) > 0,
        };
        if ends {
            return index;
        }
    }
    text.len()
}

/// True if the bytes begin with `r"`, `r#"` and so on.
pub(super) fn is_raw_string(bytes: &[u8]) -> bool {
    bytes[1..].iter().find(|byte| **byte != b'#') == Some(&b'"')
}

/// The index of the quote in `r#".."#`, `b".."`, `br".."` or `b'c'`.
pub(super) fn quote_after_prefix(bytes: &[u8]) -> Option<usize> {
    let prefix = match bytes {
        [b'b', b'r', ..] => 2,
        [b'b', b'"' | b'\'', ..] => return Some(1),
        [b'r', ..] => 1,
        _ => return None,
    };
    let hashes = bytes[prefix..]
        .iter()
        .take_while(|byte| **byte == b'#')
        .count();
    (bytes.get(prefix + hashes) == Some(&b'"')).then_some(prefix + hashes)
}

/// The length of the string or character that the bytes begin with; all of them if it is not closed.
fn quoted_length(bytes: &[u8]) -> usize {
    let open = quote_after_prefix(bytes).unwrap_or(0);
    let quote = bytes[open];
    let is_raw = bytes[..open].contains(&b'r');
    if is_raw {
        let hashes = bytes[..open].iter().filter(|byte| **byte == b'#').count();
        let mut index = open + 1;
        while index < bytes.len() {
            let rest = &bytes[index + 1..];
            if bytes[index] == b'"'
                && rest.len() >= hashes
                && rest[..hashes].iter().all(|byte| *byte == b'#')
            {
                return index + 1 + hashes;
            }
            index += 1;
        }
        return bytes.len();
    }
    let mut index = open + 1;
    loop {
        let rest = bytes.get(index..).unwrap_or_default();
        let found = rest
            .iter()
            .position(|byte| *byte == quote || *byte == b'\\');
        match found.map(|length| index + length) {
            None => return bytes.len(),
            Some(end) if bytes[end] == quote => return end + 1,
            Some(backslash) => index = backslash + 2,
        }
    }
}

/// The length of the comment that the bytes begin with, if it is one; all of them if it is not
/// closed.
fn comment_length(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [b'/', b'/', ..] => Some(
            bytes
                .iter()
                .position(|byte| *byte == b'\n')
                .unwrap_or(bytes.len()),
        ),
        [b'/', b'*', ..] => {
            let mut open = 0_usize;
            let mut index = 0;
            while index < bytes.len() {
                match &bytes[index..] {
                    [b'/', b'*', ..] => open += 1,
                    [b'*', b'/', ..] => open -= 1,
                    _ => {
                        index += 1;
                        continue;
                    }
                }
                index += 2;
                if open == 0 {
                    return Some(index);
                }
            }
            Some(bytes.len())
        }
        _ => None,
    }
}
