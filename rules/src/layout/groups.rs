//! The tokens of a table as groups of items, with the comments that belong to each.

use crate::parse::ron::{Token, Tokens};

/// A value with the comments in and around its parts.
pub(super) enum Node {
    Leaf(Place),
    Group(Group),
}

/// Bytes of the text.
pub(super) type Place = std::ops::Range<usize>;

pub(super) struct Group {
    /// From the name in front of the bracket, if there is one, to the closing bracket.
    pub(super) place: Place,
    /// The opening bracket, with the name.
    pub(super) open: Place,
    pub(super) close: Place,
    /// The author broke the line behind the opening bracket.
    pub(super) broken: bool,
    pub(super) items: Vec<Item>,
    /// Behind the last item.
    pub(super) tail: Vec<Comment>,
}

pub(super) struct Item {
    /// A blank line stands before it.
    pub(super) blank: bool,
    pub(super) lead: Vec<Comment>,
    pub(super) key: Option<Place>,
    pub(super) value: Node,
    /// On the same line behind it.
    pub(super) trail: Option<Comment>,
}

#[derive(Clone)]
pub(super) struct Comment {
    pub(super) place: Place,
    pub(super) blank: bool,
    /// It ends with the line, or stands alone on some.
    pub(super) own_line: bool,
}

impl Group {
    /// True if comments make it impossible to stand on one line.
    pub(super) fn must_break(&self) -> bool {
        self.tail.iter().any(|comment| comment.own_line)
            || self.items.iter().any(|item| {
                item.lead
                    .iter()
                    .chain(&item.trail)
                    .any(|comment| comment.own_line)
                    || matches!(&item.value, Node::Group(group) if group.must_break())
            })
    }

    /// Adds all comments inside of it, each for a line of its own.
    pub(super) fn copy_comments(&self, comments: &mut Vec<Comment>) {
        let alone = |comment: &Comment| Comment {
            own_line: true,
            blank: false,
            ..comment.clone()
        };
        for item in &self.items {
            comments.extend(item.lead.iter().map(alone));
            if let Node::Group(group) = &item.value {
                group.copy_comments(comments);
            }
            comments.extend(item.trail.iter().map(alone));
        }
        comments.extend(self.tail.iter().map(alone));
    }
}

/// A token and the line breaks before it.
#[derive(Clone)]
pub(super) struct Piece {
    token: Token,
    place: Place,
    breaks: usize,
    /// It is a comment over several lines.
    has_breaks: bool,
}

/// The tokens of a value, one after the other.
pub(super) struct Pieces {
    pieces: Vec<Piece>,
    next: usize,
}

impl Pieces {
    pub(super) fn new(text: &str, start: usize, end: usize) -> Self {
        let mut behind = start;
        let pieces = Tokens::new(&text[start..end])
            .map(|(token, token_start, token_end)| {
                let place = start + token_start..start + token_end;
                let breaks = text[behind..place.start].matches('\n').count();
                behind = place.end;
                let has_breaks = token == Token::BlockComment && text[place.clone()].contains('\n');
                Piece {
                    token,
                    place,
                    breaks,
                    has_breaks,
                }
            })
            .collect();
        Self { pieces, next: 0 }
    }

    fn peek(&self) -> Option<&Piece> {
        self.pieces.get(self.next)
    }

    fn next_if(&mut self, accepts: impl Fn(Token) -> bool) -> Option<Piece> {
        let piece = self.peek().filter(|piece| accepts(piece.token))?.clone();
        self.next += 1;
        Some(piece)
    }

    /// Takes comments.
    fn comments(&mut self, comments: &mut Vec<Comment>) {
        while let Some(piece) = self.next_if(is_comment) {
            let ends_line = self.peek().is_none_or(|next| next.breaks > 0);
            comments.push(Comment {
                own_line: piece.token == Token::LineComment || piece.has_breaks || ends_line,
                blank: piece.breaks > 1,
                place: piece.place,
            });
        }
    }

    /// Takes a comment that ends the line of what was just read.
    fn trail(&mut self) -> Option<Comment> {
        let piece = self
            .peek()
            .filter(|piece| is_comment(piece.token) && piece.breaks == 0)?;
        let ends_line = self.pieces.get(self.next + 1).is_none_or(|next| {
            next.breaks > 0 || next.token == Token::Close || next.token == Token::Comma
        });
        if piece.token == Token::BlockComment && !ends_line {
            return None;
        }
        let own_line = piece.token == Token::LineComment || piece.has_breaks;
        let place = piece.place.clone();
        self.next += 1;
        Some(Comment {
            own_line,
            place,
            blank: false,
        })
    }

    /// The next token that is no comment.
    fn significant(&self) -> Option<Token> {
        let rest = self.pieces[self.next..].iter().map(|piece| piece.token);
        rest.into_iter().find(|token| !is_comment(*token))
    }

    /// Reads a value; comments that stand in its middle go to `lead`.
    pub(super) fn node(&mut self, lead: &mut Vec<Comment>) -> Node {
        let is_value = |token| matches!(token, Token::Word | Token::Quoted | Token::Open);
        let mut place: Option<Place> = None;
        while self.significant().is_some_and(is_value) {
            self.comments(lead);
            let Some(piece) = self.next_if(is_value) else {
                break;
            };
            let start = place.map_or(piece.place.start, |place| place.start);
            if piece.token == Token::Open {
                return Node::Group(self.group(start, piece.place.end));
            }
            place = Some(start..piece.place.end);
        }
        Node::Leaf(place.unwrap_or(0..0))
    }

    fn group(&mut self, start: usize, open_end: usize) -> Group {
        let broken = self.peek().is_some_and(|piece| piece.breaks > 0);
        let mut items: Vec<Item> = Vec::new();
        loop {
            let mut lead = Vec::new();
            self.comments(&mut lead);
            let Some(next) = self.peek().cloned() else {
                return Group {
                    place: start..open_end,
                    open: start..open_end,
                    close: open_end..open_end,
                    broken,
                    items,
                    tail: lead,
                };
            };
            if next.token == Token::Close {
                self.next += 1;
                return Group {
                    place: start..next.place.end,
                    open: start..open_end,
                    close: next.place,
                    broken,
                    items,
                    tail: lead,
                };
            }
            if matches!(next.token, Token::Comma | Token::Colon) {
                self.next += 1;
                continue;
            }
            items.push(self.item(lead, next.breaks > 1));
        }
    }

    fn item(&mut self, mut lead: Vec<Comment>, blank: bool) -> Item {
        let mut value = self.node(&mut lead);
        let mut key = None;
        if self.significant() == Some(Token::Colon) {
            self.comments(&mut lead);
        }
        if self.next_if(|token| token == Token::Colon).is_some() {
            if let Node::Leaf(place) = value {
                key = Some(place);
            }
            value = self.node(&mut lead);
        }
        let mut trail = self.trail();
        if self.significant() == Some(Token::Comma) {
            // On lines of their own before the comma.
            self.comments(&mut lead);
        }
        if self.next_if(|token| token == Token::Comma).is_some() && trail.is_none() {
            trail = self.trail();
        }
        Item {
            blank,
            lead,
            key,
            value,
            trail,
        }
    }
}

fn is_comment(token: Token) -> bool {
    matches!(token, Token::LineComment | Token::BlockComment)
}
