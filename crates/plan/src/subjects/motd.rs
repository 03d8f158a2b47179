//! The message of the day.

use slipway_model::{ExitReason, Facts, Node, Sources};

use crate::draft::Draft;
use crate::step::{Step, StepId};

pub(crate) fn steps(node: &Node, _facts: &Facts, draft: &mut Draft) {
    let mut of = Sources::none();
    let message = of.read(&node.system.message_of_the_day);
    if message.is_empty() {
        return;
    }
    draft.add(
        Step::bake(StepId("message-of-the-day"), "greet people who log in")
            .or_degrade(ExitReason::Unspecified)
            .because(&of)
            .file(of, "/etc/motd", 0o644, message.as_str()),
    );
}

#[cfg(test)]
mod tests {
    use crate::outline::{assert_named, file, plan};

    #[test]
    fn people_are_greeted_as_asked() {
        let asked = r#"{"version":"v1","message_of_the_day":"aGVsbG8K"}"#;
        assert_eq!(file(&plan(asked, "{}"), "/etc/motd"), "hello\n");
        assert_named("message_of_the_day", asked, r#"{"version":"v1"}"#, "{}");
    }
}
