//! The GPU images of an image's component manifest.

use serde_json::value::RawValue;

use crate::json::Members;

/// Driver version and build of the GPU images that the manifest names; empty where it names none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GpuImages {
    /// For data centre GPUs, with long-term support.
    pub cuda_lts: GpuImage,
    /// For virtualised GPUs.
    pub grid: GpuImage,
    /// For virtualised GPUs of the newest generation.
    pub grid_v20: GpuImage,
}

/// The version of a GPU image, in its two parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GpuImage {
    /// The driver's version.
    pub driver: String,
    /// The build of the image that installs it.
    pub build: String,
}

/// A manifest that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the component manifest cannot be read: {0}")]
pub struct ManifestError(#[from] serde_json::Error);

impl GpuImages {
    /// Reads a manifest. Keys match in any case and the last entry of a name wins, as the peer has it.
    pub fn from_manifest(text: &str) -> Result<Self, ManifestError> {
        let mut images = Self::default();
        let manifest: Option<Members<'_>> = serde_json::from_str(text)?;
        for list in named(manifest.as_ref(), "GPUContainerImages") {
            let entries: Option<Vec<Option<Members<'_>>>> = serde_json::from_str(list.get())?;
            for entry in entries.iter().flatten() {
                images.add(&text_in(entry.as_ref(), "downloadURL")?, &latest_version(entry.as_ref())?);
            }
        }
        Ok(images)
    }

    fn add(&mut self, url: &str, version: &str) {
        let name = url.rsplit('/').next().unwrap_or_default();
        let image = match name.split(':').next().unwrap_or_default() {
            "aks-gpu-cuda-lts" => &mut self.cuda_lts,
            "aks-gpu-grid" => &mut self.grid,
            "aks-gpu-grid-v20" => &mut self.grid_v20,
            _ => return,
        };
        if let Some((driver, build)) = version.split_once('-').filter(|(_, build)| !build.contains('-')) {
            *image = GpuImage { driver: driver.to_owned(), build: build.to_owned() };
        }
    }
}

fn latest_version(entry: Option<&Members<'_>>) -> Result<String, serde_json::Error> {
    let mut version = String::new();
    for value in named(entry, "gpuVersion") {
        let members: Option<Members<'_>> = serde_json::from_str(value.get())?;
        version = text_in(members.as_ref(), "latestVersion")?;
    }
    Ok(version)
}

fn text_in(members: Option<&Members<'_>>, name: &str) -> Result<String, serde_json::Error> {
    let mut text = String::new();
    for value in named(members, name) {
        if let Some(found) = serde_json::from_str(value.get())? {
            text = found;
        }
    }
    Ok(text)
}

fn named<'a>(members: Option<&Members<'a>>, name: &str) -> impl Iterator<Item = &'a RawValue> {
    members.into_iter().flat_map(move |members| members.named(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_well_formed_entry_of_a_name_wins() {
        let images = GpuImages::from_manifest(
            r#"{"ContainerImages":[{"downloadURL":7}],"gpucontainerimages":[
                {"downloadURL":"mcr/aks/aks-gpu-cuda-lts:*","gpuVersion":{"latestVersion":"1.0-a"}},
                {"DOWNLOADURL":"aks-gpu-cuda-lts","GPUVersion":{"LatestVersion":"580.1-2026"},"x":1},
                {"downloadURL":"aks-gpu-cuda-lts:1:2","gpuVersion":{"latestVersion":"9-9-9"}},
                {"downloadURL":"a/aks-gpu-grid:*","gpuVersion":{"latestVersion":"570"}},
                {"downloadURL":"a/aks-gpu-other:*","gpuVersion":{"latestVersion":"1-2"}}, null, {}]}"#,
        )
        .unwrap();
        assert_eq!(images.cuda_lts, GpuImage { driver: "580.1".into(), build: "2026".into() });
        assert_eq!(images.grid, GpuImage::default());
    }

    #[test]
    fn a_manifest_without_gpus_is_fine_and_one_that_is_no_object_is_not() {
        for text in [
            "null",
            "{}",
            r#"{"GPUContainerImages":null}"#,
            r#"{"GPUContainerImages":[{"gpuVersion":null}]}"#,
        ] {
            assert_eq!(GpuImages::from_manifest(text).unwrap(), GpuImages::default(), "{text}");
        }
        for text in
            ["", "[]", "{", r#"{"GPUContainerImages":{}}"#, r#"{"GPUContainerImages":[{"downloadURL":1}]}"#]
        {
            assert!(GpuImages::from_manifest(text).is_err(), "{text}");
        }
    }
}
