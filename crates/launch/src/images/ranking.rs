//! The images that a node class can use, best first, and why the others fell out.

use std::fmt;

use serde::{Serialize, Serializer};

use super::definition::{DEFINITIONS, Definition, Variant};
use super::family::Family;
use super::gallery::Access;
use super::version::Catalogue;
use crate::Fidelity;
use crate::sizes::{ARCHITECTURE, Architecture, Generation, HYPERV_GENERATION, Requirement};

/// What a node class asks of its images.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The family that the node class names.
    pub image_family: Option<&'a str>,
    /// Whether only validated cryptography will do.
    pub is_fips: bool,
    /// Whether VMs have trusted launch.
    pub is_trusted_launch: bool,
    /// The cluster's version.
    pub kubernetes_version: &'a str,
    /// Which galleries the launcher uses.
    pub access: Access<'a>,
}

/// An image that a node class can use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Its identifier, with a version.
    pub id: String,
    /// What it is a version of.
    pub definition: &'static Definition,
}

impl Image {
    /// What a size must be for this image, in the order in which node classes record it.
    pub fn requirements(&self) -> [Requirement; 2] {
        [
            Requirement::is(ARCHITECTURE, self.definition.architecture.name()),
            Requirement::is(HYPERV_GENERATION, self.definition.generation.name()),
        ]
    }

    /// Whether a size of this architecture and these generations can use the image.
    pub fn fits(&self, architecture: Architecture, generations: &[Generation]) -> bool {
        self.definition.architecture == architecture && generations.contains(&self.definition.generation)
    }
}

/// Images that fit, best first, and the rest of AKS's images with what speaks against them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranking {
    /// The family.
    pub family: Family,
    /// The images that fit, best first.
    pub images: Vec<Image>,
    /// The others.
    pub rejected: Vec<Rejected>,
}

/// An image that fell out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rejected {
    /// The definition's name.
    pub definition: &'static str,
    /// Why.
    pub reason: Rejection,
}

/// Why an image fell out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rejection {
    /// Of another family than the one that the node class resolves to.
    OtherFamily(Family),
    /// Of another variant.
    OtherVariant {
        /// Whether FIPS is wanted.
        is_fips: bool,
        /// Whether trusted launch is wanted.
        is_trusted_launch: bool,
    },
    /// FIPS images are in the shared galleries only.
    SharedGalleryOnly,
    /// The gallery has no version of it.
    NoVersion,
    /// For another architecture than the size's.
    OtherArchitecture(Architecture),
    /// For a generation that the size does not boot.
    OtherGeneration(Vec<Generation>),
    /// Another one that fits is preferred.
    Outranked(&'static str),
}

impl fmt::Display for Rejection {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherFamily(family) => write!(out, "the node class resolves to {}", family.name()),
            Self::OtherVariant { is_fips, is_trusted_launch } => write!(
                out,
                "the node class wants images {} FIPS and {} trusted launch",
                with(*is_fips),
                with(*is_trusted_launch)
            ),
            Self::SharedGalleryOnly => {
                out.write_str("FIPS images are in the shared galleries only; useSIG is off")
            }
            Self::NoVersion => out.write_str("the gallery has no version of it"),
            Self::OtherArchitecture(architecture) => write!(out, "the size is {}", architecture.name()),
            Self::OtherGeneration(generations) => {
                let names: Vec<_> = generations.iter().map(|generation| generation.name()).collect();
                write!(
                    out,
                    "the size boots generation {}",
                    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
                )
            }
            Self::Outranked(better) => write!(out, "{better} fits and is preferred"),
        }
    }
}

fn with(wanted: bool) -> &'static str {
    if wanted { "with" } else { "without" }
}

impl Serialize for Rejection {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The definitions that fit, best first, and why the others do not; galleries are not looked at.
pub fn definitions(
    wanted: &Wanted<'_>,
    fidelity: Fidelity,
) -> (Family, Vec<&'static Definition>, Vec<Rejected>) {
    let family = Family::of(wanted);
    let mut fitting = Vec::with_capacity(3);
    let mut rejected = Vec::new();
    for definition in &DEFINITIONS {
        match against(definition, family, wanted, fidelity) {
            None => fitting.push(definition),
            Some(reason) => rejected.push(Rejected { definition: definition.name, reason }),
        }
    }
    (family, fitting, rejected)
}

/// The images that a node class can use with what galleries have.
///
/// A definition without versions falls out; the peer names an image with an empty version for community galleries.
pub fn rank(wanted: &Wanted<'_>, catalogue: &Catalogue<'_>, fidelity: Fidelity) -> Ranking {
    let (family, fitting, mut rejected) = definitions(wanted, fidelity);
    let gallery = family.gallery();
    let mut images = Vec::with_capacity(fitting.len());
    for definition in fitting {
        let newest = catalogue.newest(gallery.name, definition.name);
        let version = match wanted.access {
            Access::Community if fidelity == Fidelity::Compat => Some(newest.unwrap_or("")),
            _ => newest,
        };
        match version {
            Some(version) => {
                images.push(Image {
                    id: gallery.image_id(wanted.access, definition.name, version),
                    definition,
                });
            }
            None => rejected.push(Rejected { definition: definition.name, reason: Rejection::NoVersion }),
        }
    }
    Ranking { family, images, rejected }
}

/// The image for a size: the first that fits. What does not, or comes later, is added to the rejected ones.
pub fn select(
    ranking: Ranking,
    architecture: Architecture,
    generations: &[Generation],
) -> (Option<Image>, Vec<Rejected>) {
    let mut selected: Option<Image> = None;
    let mut rejected = ranking.rejected;
    for image in ranking.images {
        let reason = match &selected {
            _ if image.definition.architecture != architecture => Rejection::OtherArchitecture(architecture),
            _ if !generations.contains(&image.definition.generation) => {
                Rejection::OtherGeneration(generations.to_vec())
            }
            Some(better) => Rejection::Outranked(better.definition.name),
            None => {
                selected = Some(image);
                continue;
            }
        };
        rejected.push(Rejected { definition: image.definition.name, reason });
    }
    (selected, rejected)
}

/// What speaks against a definition.
fn against(
    definition: &Definition,
    family: Family,
    wanted: &Wanted<'_>,
    fidelity: Fidelity,
) -> Option<Rejection> {
    if definition.family != family {
        return Some(Rejection::OtherFamily(family));
    }
    let Wanted { is_fips, is_trusted_launch, .. } = *wanted;
    // The peer hands out FIPS images of Azure Linux that do not boot with the trusted launch that was asked for.
    let overlooks_trusted_launch = fidelity == Fidelity::Compat
        && definition.variant == Variant::Fips
        && matches!(family, Family::AzureLinux2 | Family::AzureLinux3);
    let fits = definition.variant.is_fips() == is_fips
        && (definition.variant.is_trusted_launch() == is_trusted_launch || overlooks_trusted_launch);
    if !fits {
        return Some(Rejection::OtherVariant { is_fips, is_trusted_launch });
    }
    (is_fips && wanted.access == Access::Community).then_some(Rejection::SharedGalleryOnly)
}
