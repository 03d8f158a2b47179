//! Galleries, and the identifiers of images in them.

use thiserror::Error;

/// Where the images of an operating system are published.
#[derive(Debug, PartialEq, Eq)]
pub struct Gallery {
    /// The gallery that is open to everyone.
    pub community: &'static str,
    /// The resource group of the shared gallery.
    pub resource_group: &'static str,
    /// The shared gallery; also the name of the operating system in lists of versions.
    pub name: &'static str,
}

/// Ubuntu.
pub const UBUNTU: Gallery = Gallery {
    community: "AKSUbuntu-38d80f77-467a-481f-a8d4-09b6d4220bd2",
    resource_group: "AKS-Ubuntu",
    name: "AKSUbuntu",
};

/// Azure Linux.
pub const AZURE_LINUX: Gallery = Gallery {
    community: "AKSAzureLinux-f7c7cda5-1c9a-4bdc-a222-9614c968580b",
    resource_group: "AKS-AzureLinux",
    name: "AKSAzureLinux",
};

/// Which galleries a launcher takes images from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access<'a> {
    /// The community galleries.
    Community,
    /// The shared galleries, which only AKS itself can use.
    Shared {
        /// The subscription that holds them.
        subscription: &'a str,
    },
}

impl Gallery {
    /// The identifier of a version of an image.
    pub fn image_id(&self, access: Access<'_>, definition: &str, version: &str) -> String {
        match access {
            Access::Community => {
                format!("/CommunityGalleries/{}/images/{definition}/versions/{version}", self.community)
            }
            Access::Shared { subscription } => format!(
                "/subscriptions/{subscription}/resourceGroups/{}/providers/Microsoft.Compute/galleries/{}/images/{definition}/versions/{version}",
                self.resource_group, self.name
            ),
        }
    }
}

/// The identifier without its version: the same for all versions of an image.
pub(super) fn without_version(id: &str) -> &str {
    id.rfind('/').map_or(id, |at| &id[..at])
}

/// Why an image has no name that an AKS machine takes.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NoMachineImage {
    /// It is of a community gallery.
    #[error(
        "{0} is of a community gallery, and AKS machines take images of shared galleries only: set useSIG, or do not launch through the machine API"
    )]
    Community(String),
    /// It is no image of a gallery.
    #[error("{0:?} is not the identifier of an image version in a shared gallery")]
    NotAnImage(String),
}

/// The name by which AKS machines know a version of an image: `<gallery>-<definition>-<version>`.
pub fn machine_image_version(id: &str) -> Result<String, NoMachineImage> {
    const WORDS: [(usize, &str); 8] = [
        (0, ""),
        (1, "subscriptions"),
        (3, "resourceGroups"),
        (5, "providers"),
        (6, "Microsoft.Compute"),
        (7, "galleries"),
        (9, "images"),
        (11, "versions"),
    ];
    let parts: Vec<&str> = id.split('/').collect();
    if parts.get(1).is_some_and(|word| word.eq_ignore_ascii_case("CommunityGalleries")) {
        return Err(NoMachineImage::Community(id.to_owned()));
    }
    let fits = parts.len() == 13
        && WORDS.iter().all(|(at, word)| parts[*at].eq_ignore_ascii_case(word))
        && parts[1..].iter().all(|part| !part.is_empty());
    if !fits {
        return Err(NoMachineImage::NotAnImage(id.to_owned()));
    }
    Ok([parts[8], parts[10], parts[12]].join("-"))
}
