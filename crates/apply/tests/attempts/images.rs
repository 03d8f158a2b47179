//! Container images from files, and swap areas: done once, seen, taken back.

use std::path::Path;
use std::time::Duration;

use slipway_host::{Host, Recorded, Swap, UnitState};
use slipway_model::{Attributes, Verb};
use slipway_plan::{Action, Change, Edit, Image, Plan};

use crate::site::{apply, link, plan, reset, step, tree, unit};

const SOCKET: &str = "/run/containerd/containerd.sock";
const ARCHIVE: &str = "/var/lib/slipway/store/ab";
/// What the archive's bytes add up to.
const LAYERS: &str = "e3b816898ca5ba5fbe6b8e6ee8e5d028da790352f5e65ac760fb59635882f6cd";
const NAME: &str = "r.example/pause:3.10";
const FSTAB: &str = "UUID=1 / ext4 rw 0 1\n/dev/sda2\tnone swap pri=5 0 0\n# swap\n";

fn importing(outlived: bool) -> Plan {
    let image = Image {
        name: NAME.to_owned(),
        archive: ARCHIVE.into(),
        sha256: LAYERS.to_owned(),
        socket: SOCKET.into(),
        outlived,
    };
    plan(vec![
        step("start-containerd", &[], vec![unit("containerd.service", Some(Verb::Restart), None)]),
        step("import-images", &["start-containerd"], vec![Action::Image(image)]),
    ])
}

/// A machine whose owner has a runtime with an image.
fn machine() -> Recorded {
    let runs = UnitState { exists: true, active: "active".to_owned(), ..UnitState::default() };
    Recorded::live()
        .with_unit_state("containerd.service", runs)
        .with_images(SOCKET, &["r.example/own:1"])
        .with_files([(ARCHIVE, "layers", 0o600)])
}

fn calls(host: &Recorded, word: &str) -> Vec<String> {
    host.changes().into_iter().filter(|call| call.starts_with(word)).collect()
}

#[test]
fn an_image_is_brought_once_and_leaves_a_runtime_that_was_there_before() {
    let host = machine();
    assert_eq!(apply(&importing(true), &host).failure, None);
    assert!(host.has_image(Path::new(SOCKET), NAME).unwrap());
    assert_eq!(apply(&importing(true), &host).changed(), 0);
    assert_eq!(calls(&host, "import-image"), [format!("import-image {NAME} {ARCHIVE}")]);
    let report = reset(&host);
    assert_eq!((&report.kept[..], &report.failed[..]), (&[][..], &[][..]));
    assert!(!host.has_image(Path::new(SOCKET), NAME).unwrap());
    assert!(host.has_image(Path::new(SOCKET), "r.example/own:1").unwrap());
}

#[test]
fn an_image_that_was_there_and_one_that_goes_with_its_runtime_are_not_removed() {
    let host = machine().with_images(SOCKET, &[NAME]);
    apply(&importing(true), &host);
    reset(&host);
    assert!(host.has_image(Path::new(SOCKET), NAME).unwrap(), "it was its owner's");
    let host = machine();
    apply(&importing(false), &host);
    reset(&host);
    assert_eq!(calls(&host, "remove-image"), Vec::<String>::new());
}

#[test]
fn an_image_whose_archive_is_gone_says_so() {
    let host = machine();
    host.remove(Path::new(ARCHIVE)).unwrap();
    let failure = apply(&importing(true), &host).failure.unwrap();
    let said = format!("{failure:?}");
    assert!(said.contains("its archive /var/lib/slipway/store/ab is not there"), "{said}");
    assert!(said.contains("--bundle"), "{said}");
}

#[test]
fn an_image_whose_archive_is_another_one_stays_out_of_the_runtime() {
    let host = machine();
    host.remove(Path::new(ARCHIVE)).unwrap();
    let host = host.with_files([(ARCHIVE, "lawyer", 0o600)]);
    let failure = apply(&importing(true), &host).failure.unwrap();
    let said = format!("{failure:?}");
    assert!(said.contains("its archive /var/lib/slipway/store/ab is damaged"), "{said}");
    assert_eq!(calls(&host, "import-image"), Vec::<String>::new());
}

/// Swap of a partition in the table, and of one that systemd finds by itself.
fn swap_off() -> Plan {
    let change = Change::Comment { place: 2, word: "swap".to_owned() };
    let attributes = Attributes::root(0o644);
    let edit = Edit { path: "/etc/fstab".into(), attributes, exact: false, change };
    plan(vec![step(
        "swap-off",
        &[],
        vec![
            link("/etc/systemd/system/swap.swap", "/dev/null"),
            link("/etc/systemd/system/dev-sdb3.swap", "/dev/null"),
            Action::Edit(edit),
            Action::SwapOff("/dev/sda2".into()),
            Action::SwapOff("/swap".into()),
        ],
    )])
}

fn swapping() -> Recorded {
    Recorded::live().with_swap("/dev/sda2", 5).with_swap("/swap", -2).with_files([
        ("/etc/fstab", FSTAB, 0o664),
        ("/etc/systemd/system/swap.swap", "[Swap]\nWhat=/swap\n", 0o640),
        ("/dev/sda2", "", 0o660),
        ("/swap", "", 0o600),
    ])
}

fn areas(host: &Recorded) -> Vec<Swap> {
    let mut areas = host.swaps().unwrap();
    areas.sort_by(|one, other| one.path.cmp(&other.path));
    areas
}

#[test]
fn swap_is_off_now_and_at_each_boot_until_a_reset_puts_every_byte_back() {
    let host = swapping();
    let (before, used) = (tree(&host), areas(&host));
    assert_eq!(apply(&swap_off(), &host).failure, None);
    assert_eq!(areas(&host), []);
    let table = String::from_utf8(host.read(Path::new("/etc/fstab")).unwrap()).unwrap();
    assert_eq!(table, FSTAB.replace("/dev/sda2", "#/dev/sda2"));
    assert_eq!(host.read_link(Path::new("/etc/systemd/system/swap.swap")).unwrap(), Path::new("/dev/null"));
    assert_eq!(apply(&swap_off(), &host).changed(), 0);
    let report = reset(&host);
    assert_eq!((&report.kept[..], &report.failed[..]), (&[][..], &[][..]));
    assert_eq!((tree(&host), areas(&host)), (before, used));
}

#[test]
fn swap_that_came_back_goes_again_and_what_is_on_already_is_left_on() {
    let host = swapping();
    apply(&swap_off(), &host);
    let own = Swap { path: "/swap".into(), priority: -2 };
    host.swap_on(&own, Duration::ZERO).unwrap();
    assert_eq!(apply(&swap_off(), &host).changed(), 1);
    assert_eq!(areas(&host), []);
    host.swap_on(&own, Duration::ZERO).unwrap();
    host.remove(Path::new("/dev/sda2")).unwrap();
    let report = reset(&host);
    assert_eq!(report.failed, []);
    assert_eq!(report.kept.iter().map(|kept| kept.what.as_str()).collect::<Vec<_>>(), ["swap /dev/sda2"]);
    assert_eq!(areas(&host), [own]);
}
