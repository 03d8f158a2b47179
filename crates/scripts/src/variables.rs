//! All variables of one contract on one machine.

use std::borrow::Cow;
use std::fmt;

use slipway_contract::Contract;
use slipway_contract::codec::{Sensitivity, mask_url};
use slipway_model::{Facts, Mode, Secret};

use crate::computed::without_line_breaks;
use crate::field::Text;
use crate::input::Input;
use crate::notice::{Notice, notices};
use crate::refusal::VariableError;
use crate::table::TABLE;

/// The variables for the scripts, sorted by name. Printing them shows no secret.
pub struct Variables<'a> {
    values: Vec<Value<'a>>,
    /// What is worth knowing about them; always empty in [`Mode::Compat`].
    pub notices: Vec<Notice>,
}

/// One variable with its value.
pub struct Value<'a> {
    name: Cow<'static, str>,
    text: Text<'a>,
    /// Where in the table its rule stands; none for numbered variables, which are public.
    row: Option<usize>,
}

/// Derives all variables from a contract and what is known about the machine.
///
/// A component manifest that is not known counts as one without GPU images. The peer does not start without the
/// file; whoever reads it for [`Mode::Compat`] has to fail as the peer does.
pub fn variables<'a>(
    contract: &'a Contract,
    facts: &'a Facts,
    mode: Mode,
) -> Result<Variables<'a>, VariableError> {
    let input = Input::new(contract, facts, mode)
        .map_err(|error| VariableError { variable: "GPU_DRIVER_VERSION", refusal: error.into() })?;
    let mut values = Vec::with_capacity(TABLE.len() + contract.custom_ca_certs.len());
    for (row, variable) in TABLE.iter().enumerate() {
        let text =
            variable.derive(&input).map_err(|refusal| VariableError { variable: variable.name, refusal })?;
        values.push(Value { name: Cow::Borrowed(variable.name), text, row: Some(row) });
    }
    for (at, certificate) in contract.custom_ca_certs.iter().enumerate() {
        let name = Cow::Owned(format!("CUSTOM_CA_CERT_{at}"));
        values.push(Value { name, text: without_line_breaks(certificate).into(), row: None });
    }
    values.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    Ok(Variables { values, notices: notices(&input) })
}

impl<'a> Variables<'a> {
    /// The variables in the order of their names.
    pub fn iter(&self) -> std::slice::Iter<'_, Value<'a>> {
        self.values.iter()
    }

    /// The variable with this name.
    pub fn get(&self, name: &str) -> Option<&Value<'a>> {
        self.values.binary_search_by(|value| (*value.name).cmp(name)).ok().map(|at| &self.values[at])
    }
}

impl<'v, 'a> IntoIterator for &'v Variables<'a> {
    type Item = &'v Value<'a>;
    type IntoIter = std::slice::Iter<'v, Value<'a>>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Value<'_> {
    /// The variable's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The value, for the process or the payload that it is meant for.
    pub fn reveal(&self) -> &str {
        self.text.reveal()
    }

    /// The value as it may be shown to anybody.
    pub fn shown(&self) -> Cow<'_, str> {
        let text = self.reveal();
        match (&self.text, self.sensitivity()) {
            // That a secret is empty is no secret, and worth seeing.
            _ if text.is_empty() => Cow::Borrowed(text),
            (_, Sensitivity::Secret) | (Text::Secret(_), _) => Cow::Borrowed(Secret::<String>::MASK),
            // Several URLs in one text: whoever hides too little of one shows a password.
            (Text::Made(_), _) if text.contains(['@', '?']) => Cow::Borrowed(Secret::<String>::MASK),
            (Text::Plain(_), Sensitivity::Credentials) => Cow::Owned(mask_url(text)),
            _ => Cow::Borrowed(text),
        }
    }

    /// What may be shown of the value.
    pub fn sensitivity(&self) -> Sensitivity {
        self.row.map_or(Sensitivity::Public, |row| TABLE[row].sensitivity())
    }
}

impl fmt::Debug for Variables<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_map().entries(self.iter().map(|value| (value.name(), value.shown()))).finish()
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}={:?}", self.name, self.shown())
    }
}
