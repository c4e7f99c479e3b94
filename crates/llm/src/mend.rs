//! Makes calls and results fit together before a conversation goes out: providers refuse a call without a result, and a
//! result without a call. A condenser, a bound that was reached in the middle of several calls, or a tool that ends the work
//! leaves such ends.

use seatrial_core::{Message, Part, Role};

/// Stands for the result of a call that nobody made.
const NOT_RUN: &str = "This call was not run.";

/// The conversation with all ends tied, and what was done in words; `None` when there is nothing to do.
pub(crate) fn mend(messages: &[Message]) -> Option<(Vec<Message>, String)> {
    let mut mender = Mender::default();
    for message in messages {
        mender.take(message);
    }
    mender.answer_open();
    let Mender {
        mended,
        not_run,
        strays,
        ..
    } = mender;
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let notes: Vec<String> = [
        (not_run > 0).then(|| format!("{not_run} call{} without a result got one", plural(not_run))),
        (strays > 0).then(|| format!("{strays} result{} without a call became text", plural(strays))),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!notes.is_empty()).then(|| (mended, notes.join(", ")))
}

#[derive(Default)]
struct Mender {
    mended: Vec<Message>,
    /// Ids of calls of the last turn of the model that have no result yet.
    open: Vec<String>,
    /// Results without a call, as texts, that wait for the results of open calls.
    strayed: Vec<Part>,
    not_run: usize,
    strays: usize,
}

impl Mender {
    fn take(&mut self, message: &Message) {
        let has_results = message.parts.iter().any(|part| matches!(part, Part::ToolResult { .. }));
        if has_results {
            let mut parts = Vec::new();
            for part in &message.parts {
                match part {
                    Part::ToolResult { id, content, .. } => match self.open.iter().position(|open| open == id) {
                        Some(at) => {
                            self.open.remove(at);
                            parts.push(part.clone());
                        }
                        None => self.strayed.push(Part::Text {
                            text: format!("The result of an earlier call:\n{content}"),
                        }),
                    },
                    other => parts.push(other.clone()),
                }
            }
            if !parts.is_empty() {
                self.mended.push(Message {
                    role: message.role,
                    parts,
                });
            }
            // What stands between calls and their results would part them.
            if self.open.is_empty() {
                self.tell_strayed();
            }
            return;
        }
        if message.role != Role::System {
            self.answer_open();
        }
        self.mended.push(message.clone());
        self.open.extend(message.tool_calls().map(|call| call.id.clone()));
    }

    fn answer_open(&mut self) {
        for id in std::mem::take(&mut self.open) {
            self.not_run += 1;
            self.mended.push(Message::tool_result(id, NOT_RUN, true));
        }
        self.tell_strayed();
    }

    fn tell_strayed(&mut self) {
        let parts = std::mem::take(&mut self.strayed);
        if !parts.is_empty() {
            self.strays += parts.len();
            self.mended.push(Message {
                role: Role::User,
                parts,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use seatrial_core::ToolCall;

    use super::*;

    fn calls(ids: &[&str]) -> Message {
        let call = |id: &&str| {
            Part::ToolCall(ToolCall {
                id: (*id).to_owned(),
                name: "shell".into(),
                arguments: "{}".into(),
            })
        };
        Message {
            role: Role::Assistant,
            parts: ids.iter().map(call).collect(),
        }
    }

    fn listing(messages: &[Message]) -> String {
        use std::fmt::Write as _;
        let mut text = String::new();
        for message in messages {
            for part in &message.parts {
                match part {
                    Part::ToolCall(call) => writeln!(text, "  calls {}", call.id).unwrap(),
                    Part::ToolResult { id, content, .. } => writeln!(text, "  {id}: {content}").unwrap(),
                    Part::Text { text: said } => writeln!(text, "  {:?}: {said:?}", message.role).unwrap(),
                    Part::Reasoning { .. } => {}
                }
            }
        }
        text
    }

    #[test]
    fn loose_ends_are_tied_and_whole_conversations_are_left_alone() {
        let result = |id: &str| Message::tool_result(id, "fine", false);
        let user = || Message::text(Role::User, "Go on.");
        let cases = [
            vec![
                user(),
                calls(&["a", "b"]),
                result("b"),
                result("a"),
                calls(&["a"]),
                result("a"),
            ],
            vec![user(), calls(&["a", "b"]), result("a"), user()],
            vec![user(), calls(&["a"])],
            vec![user(), result("lost"), calls(&["a"]), result("lost"), result("a")],
            vec![calls(&["a", "a"]), result("a"), calls(&["b"]), result("b")],
        ];
        let mut text = String::new();
        for messages in cases {
            match mend(&messages) {
                None => text.push_str("nothing to do\n"),
                Some((mended, note)) => {
                    text.extend([note.as_str(), "\n", &listing(&mended)]);
                    assert_eq!(mend(&mended), None, "{note}");
                }
            }
        }
        expect![[r#"
            nothing to do
            1 call without a result got one
              User: "Go on."
              calls a
              calls b
              a: fine
              b: This call was not run.
              User: "Go on."
            1 call without a result got one
              User: "Go on."
              calls a
              a: This call was not run.
            2 results without a call became text
              User: "Go on."
              User: "The result of an earlier call:\nfine"
              calls a
              a: fine
              User: "The result of an earlier call:\nfine"
            1 call without a result got one
              calls a
              calls a
              a: fine
              a: This call was not run.
              calls b
              b: fine
        "#]]
        .assert_eq(&text);
    }
}
