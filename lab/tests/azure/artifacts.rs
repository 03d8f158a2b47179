//! Files by path.

use slipway_lab::azure::Service;

use crate::Lab;
use crate::client::{Reply, ask};

fn get(lab: &Lab, path: &str, headers: &[(&str, &str)]) -> Reply {
    ask(lab.azure.address(Service::Artifacts), "GET", path, headers)
}

fn with_files() -> Lab {
    let lab = Lab::new();
    let files = lab.directory.path().join("files");
    std::fs::create_dir(files.join("kube")).unwrap();
    std::fs::write(files.join("kube/kubelet+v1"), "0123456789").unwrap();
    std::fs::write(files.join("empty"), "").unwrap();
    std::fs::write(lab.directory.path().join("secret"), "outside").unwrap();
    lab
}

#[test]
fn a_file_comes_whole_or_in_the_part_that_was_asked_for() {
    let lab = with_files();
    for (range, status, body, content_range) in [
        (None, 200, "0123456789", None),
        (Some("bytes=2-4"), 206, "234", Some("bytes 2-4/10")),
        (Some("bytes=7-"), 206, "789", Some("bytes 7-9/10")),
        (Some("bytes=7-99"), 206, "789", Some("bytes 7-9/10")),
        (Some("bytes=-4"), 206, "6789", Some("bytes 6-9/10")),
        (Some("bytes=-99"), 206, "0123456789", Some("bytes 0-9/10")),
        (Some("bytes=10-"), 416, "", Some("bytes */10")),
        (Some("bytes=-0"), 416, "", Some("bytes */10")),
        (Some("bytes=4-2"), 200, "0123456789", None),
        (Some("bytes=0-1,4-5"), 200, "0123456789", None),
        (Some("lines=1-2"), 200, "0123456789", None),
    ] {
        let headers: Vec<_> = range.iter().map(|range| ("Range", *range)).collect();
        let reply = get(&lab, "/kube/kubelet%2bv1", &headers);
        assert_eq!((reply.status, reply.text()), (status, body), "{range:?}");
        assert_eq!(reply.header("content-range"), content_range, "{range:?}");
    }
    assert_eq!(get(&lab, "/empty", &[("Range", "bytes=0-")]).status, 416);
    assert_eq!(get(&lab, "/empty", &[]).text(), "");
}

#[test]
fn a_tag_tells_whether_the_file_is_the_one_the_client_has() {
    let lab = with_files();
    let tag = get(&lab, "/kube/kubelet+v1", &[]).header("etag").unwrap().to_owned();
    assert_eq!(get(&lab, "/kube/kubelet+v1", &[("If-None-Match", &tag)]).status, 304);
    let resume: &[(&str, &str)] = &[("Range", "bytes=5-"), ("If-Range", &tag)];
    assert_eq!(get(&lab, "/kube/kubelet+v1", resume).text(), "56789");
    std::fs::write(lab.directory.path().join("files/kube/kubelet+v1"), "another file").unwrap();
    assert_eq!(get(&lab, "/kube/kubelet+v1", &[("If-None-Match", &tag)]).status, 200);
    assert_eq!(get(&lab, "/kube/kubelet+v1", resume).text(), "another file");
}

#[test]
fn every_file_has_a_digest_beside_it_unless_there_is_a_file_of_that_name() {
    let lab = with_files();
    let expected = "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882  kubelet+v1\n";
    assert_eq!(get(&lab, "/kube/kubelet+v1.sha256", &[]).text(), expected);
    std::fs::write(lab.directory.path().join("files/kube/kubelet+v1.sha256"), "wrong").unwrap();
    assert_eq!(get(&lab, "/kube/kubelet+v1.sha256", &[]).text(), "wrong");
    assert_eq!(get(&lab, "/nothing.sha256", &[]).status, 404);
}

#[test]
fn nothing_outside_the_directory_is_served() {
    let lab = with_files();
    for path in
        ["/../secret", "/kube/../../secret", "/%2e%2e/secret", "//etc/hostname", "/kube", "/", "/nothing"]
    {
        assert_eq!(get(&lab, path, &[]).status, 404, "{path}");
    }
    assert_eq!(ask(lab.azure.address(Service::Artifacts), "PUT", "/empty", &[]).status, 405);
}
