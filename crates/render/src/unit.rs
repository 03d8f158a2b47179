//! Texts of systemd units and drop-ins.

/// A unit file, written top to bottom.
#[derive(Debug, Default)]
pub struct UnitText(String);

impl UnitText {
    /// Begins a text with a section, such as `Service`.
    pub fn section(name: &str) -> Self {
        Self(format!("[{name}]\n"))
    }

    /// Begins another section.
    #[must_use]
    pub fn and(mut self, name: &str) -> Self {
        self.0.push_str("\n[");
        self.0.push_str(name);
        self.0.push_str("]\n");
        self
    }

    /// A setting. A line break in the value cannot start another one: it becomes a space.
    #[must_use]
    pub fn set(mut self, key: &str, value: &str) -> Self {
        self.0.push_str(key);
        self.0.push('=');
        self.0.extend(value.chars().map(|c| if c.is_control() { ' ' } else { c }));
        self.0.push('\n');
        self
    }

    /// A variable in the environment of the unit's programs, whatever is in it.
    #[must_use]
    pub fn environment(self, name: &str, value: &str) -> Self {
        let mut word = String::with_capacity(name.len() + value.len() + 8);
        for character in value.chars() {
            match character {
                '"' | '\\' => word.extend(['\\', character]),
                // A percent sign alone begins a specifier.
                '%' => word.push_str("%%"),
                '\n' => word.push_str("\\n"),
                _ => word.push(character),
            }
        }
        self.set("Environment", &format!("\"{name}={word}\""))
    }

    /// The text.
    pub fn finish(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_value_starts_another_setting() {
        let text = UnitText::section("Service")
            .set("Slice", "a\nExecStart=/bin/x")
            .environment("NAME", "a\"b\\c%d\nExecStart=x")
            .and("Install")
            .set("WantedBy", "multi-user.target")
            .finish();
        assert_eq!(
            text,
            "[Service]\nSlice=a ExecStart=/bin/x\nEnvironment=\"NAME=a\\\"b\\\\c%%d\\nExecStart=x\"\n\n\
             [Install]\nWantedBy=multi-user.target\n"
        );
    }
}
