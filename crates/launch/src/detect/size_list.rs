//! Azure's list of sizes: `az vm list-skus`, or the answer of the API itself.

use serde_json::{Map, Value, json};

use super::{Sighting, Witness};

/// Why a list has no such size.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoSize {
    /// It is no list.
    #[error(
        "this is no list of sizes; `az vm list-skus --location REGION --resource-type virtualMachines` prints one"
    )]
    NoList,
    /// The size is not in it.
    #[error("the list of {count} sizes has no {name}; is it of the same region?")]
    Unknown {
        /// The size's name.
        name: String,
        /// How many there are.
        count: usize,
    },
}

/// The size of a request, as a list describes it.
pub fn size(list: &Value, name: &str) -> Result<Sighting, NoSize> {
    let sizes = list.as_array().or_else(|| list.get("value")?.as_array()).ok_or(NoSize::NoList)?;
    let found = sizes.iter().find(|size| {
        let is_vm = size.get("resourceType").is_none_or(|kind| kind == "virtualMachines");
        is_vm
            && size.get("name").and_then(Value::as_str).is_some_and(|known| known.eq_ignore_ascii_case(name))
    });
    let found = found.ok_or_else(|| NoSize::Unknown { name: name.to_owned(), count: sizes.len() })?;
    Ok(Sighting { path: "sku", witness: Witness::SizeList, value: sku(found) })
}

fn sku(size: &Value) -> Value {
    let text = |name: &str| size.get(name).cloned().unwrap_or(json!(""));
    let places = items(size, "locationInfo");
    let zones: Vec<&Value> = places.iter().flat_map(|place| items(place, "zones")).collect();
    let ultra: Vec<&Value> = places
        .iter()
        .flat_map(|place| items(place, "zoneDetails"))
        .filter(|details| has_ultra_disks(details))
        .filter_map(|details| details.get("name").or_else(|| details.get("Name")).and_then(Value::as_array))
        .flatten()
        .collect();
    let restrictions = items(size, "restrictions");
    let restricted = |kind: &'static str| {
        restrictions
            .iter()
            .filter(move |restriction| restriction.get("type").is_some_and(|known| known == kind))
    };
    let restricted_zones: Vec<&Value> = restricted("Zone")
        .filter_map(|restriction| restriction.get("restrictionInfo"))
        .flat_map(|info| items(info, "zones"))
        .collect();
    json!({
        "name": text("name"),
        "size": text("size"),
        "family": text("family"),
        "capabilities": capabilities(size),
        "zones": zones,
        "restrictedZones": restricted_zones,
        "ultraSSDZones": ultra,
        "locationRestricted": restricted("Location").next().is_some(),
    })
}

fn items<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn capabilities(value: &Value) -> Map<String, Value> {
    let pairs = items(value, "capabilities").iter();
    pairs
        .filter_map(|pair| Some((pair.get("name")?.as_str()?.to_owned(), pair.get("value")?.clone())))
        .collect()
}

fn has_ultra_disks(details: &Value) -> bool {
    let value = capabilities(details).remove("UltraSSDAvailable");
    value.is_some_and(|value| value.as_str().is_some_and(|text| text.eq_ignore_ascii_case("true")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_found_with_its_zones_and_restrictions() {
        let list = json!([{
            "resourceType": "virtualMachines", "name": "Standard_D4s_v5", "size": "D4s_v5", "family": "standardDSv5Family",
            "capabilities": [{"name": "vCPUs", "value": "4"}],
            "locationInfo": [{"location": "eastus", "zones": ["1", "2", "3"], "zoneDetails": [
                {"name": ["2"], "capabilities": [{"name": "UltraSSDAvailable", "value": "True"}]},
            ]}],
            "restrictions": [{"type": "Zone", "restrictionInfo": {"zones": ["3"]}}],
        }]);
        let found = size(&list, "standard_d4s_v5").unwrap();
        let expected = json!({
            "name": "Standard_D4s_v5", "size": "D4s_v5", "family": "standardDSv5Family", "capabilities": {"vCPUs": "4"},
            "zones": ["1", "2", "3"], "restrictedZones": ["3"], "ultraSSDZones": ["2"], "locationRestricted": false,
        });
        assert_eq!(found.value, expected);
        assert_eq!(size(&list, "X"), Err(NoSize::Unknown { name: "X".to_owned(), count: 1 }));
        assert_eq!(size(&json!({}), "X"), Err(NoSize::NoList));
    }
}
