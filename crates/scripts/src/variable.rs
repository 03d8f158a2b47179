//! What a row of the table is: a name, a rule, and where the value comes from.

use slipway_contract::Contract;
use slipway_contract::codec::{Kind, Message as _, Sensitivity};
use slipway_render::double;

use crate::field::Text;
use crate::input::Input;
use crate::refusal::Refusal;

/// A variable that the scripts read.
pub struct Variable {
    /// Its name in the scripts' environment.
    pub name: &'static str,
    /// The contract's fields and the facts (`facts.…`) that decide it; a message stands for all its fields.
    pub sources: &'static [&'static str],
    pub(crate) rule: Rule,
}

/// How a variable is derived.
pub(crate) enum Rule {
    /// Always the same.
    Constant(&'static str),
    /// A text of the contract, or this when it is empty.
    Text(for<'a> fn(&'a Contract) -> Option<Text<'a>>, &'static str),
    /// A switch of the contract, or this when it is unset.
    Switch(fn(&Contract) -> Option<bool>, bool),
    /// A whole number of the contract, or this when it is unset.
    Number(fn(&Contract) -> Option<i32>, i32),
    /// A number of the contract, or this when it is unset.
    Double(fn(&Contract) -> Option<f64>, f64),
    /// An enum of the contract, by the scripts' word for it.
    Word(fn(&Contract) -> &'static str),
    /// A decision.
    Decided(fn(&Input<'_>) -> bool),
    /// A text made from several things.
    Computed(for<'a> fn(&Input<'a>) -> Text<'a>),
    /// A text that not every contract has.
    Rendered(for<'a> fn(&Input<'a>) -> Result<Text<'a>, Refusal>),
}

impl Variable {
    /// What kind of derivation this is, in a word or two.
    pub fn kind(&self) -> &'static str {
        match self.rule {
            Rule::Constant(_) => "constant",
            Rule::Text(..) => "text",
            Rule::Switch(..) => "switch",
            Rule::Number(..) | Rule::Double(..) => "number",
            Rule::Word(_) => "word",
            Rule::Decided(_) => "decision",
            Rule::Computed(_) | Rule::Rendered(_) => "computed",
        }
    }

    /// What may be shown of the value: no more than of the most sensitive field that its text is made from.
    pub fn sensitivity(&self) -> Sensitivity {
        if !matches!(self.rule, Rule::Text(..) | Rule::Computed(_) | Rule::Rendered(_)) {
            return Sensitivity::Public;
        }
        let sensitivities = self.sources.iter().map(|path| sensitivity_of(path));
        sensitivities.max_by_key(|sensitivity| *sensitivity as u8).unwrap_or(Sensitivity::Public)
    }

    pub(crate) fn derive<'a>(&self, input: &Input<'a>) -> Result<Text<'a>, Refusal> {
        let contract = input.contract;
        Ok(match self.rule {
            Rule::Constant(text) => text.into(),
            Rule::Text(read, default) => read(contract).unwrap_or_else(|| default.into()),
            Rule::Switch(read, default) => truth(read(contract).unwrap_or(default)),
            Rule::Number(read, default) => read(contract).unwrap_or(default).to_string().into(),
            Rule::Double(read, default) => double(read(contract).unwrap_or(default)).into(),
            Rule::Word(read) => read(contract).into(),
            Rule::Decided(decide) => truth(decide(input)),
            Rule::Computed(compute) => compute(input),
            Rule::Rendered(render) => render(input)?,
        })
    }
}

fn truth(value: bool) -> Text<'static> {
    if value { "true" } else { "false" }.into()
}

/// What the contract's schema says about a field.
fn sensitivity_of(path: &str) -> Sensitivity {
    let mut table = Contract::default().table();
    for name in path.split('.') {
        match table.field(name) {
            Some(field) => match field.kind {
                Kind::Message(inner) => table = inner,
                _ => return field.sensitivity,
            },
            None => break,
        }
    }
    Sensitivity::Public
}
