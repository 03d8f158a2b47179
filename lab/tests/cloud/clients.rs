//! Azure's own clients for Python, which know nothing of a lab.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use slipway_lab::azure::{SUBSCRIPTION, TENANT};
use slipway_lab::{Programs, Progress, Store};

use crate::scene::{CERTIFICATE, KEY, SECRET, Scene, application, scene};

/// What the machine has in its own network and at its own path, for a program that the machine does not have. The
/// arguments are the machine's name, its files, and the program.
const ON_MACHINE: &str = r#"set -e
name=$1 root=$2
shift 2
exec ip netns exec "$name" bash -ec '
root=$1
shift
mount -t tmpfs slipway-lab /var/opt
mkdir -p /var/opt/azcmagent/tokens
mount --bind "$root/var/opt/azcmagent/tokens" /var/opt/azcmagent/tokens
exec "$@"' machine "$root" "$@""#;

impl Scene {
    /// Runs a program for Python with what every client needs to know.
    fn python(&self, mut command: Command, program: &str) -> String {
        static MODULES: OnceLock<std::path::PathBuf> = OnceLock::new();
        let modules = MODULES
            .get_or_init(|| Programs::azure_clients(&Store::open().unwrap(), Progress::silent()).unwrap());
        let authority = self.file("authority.pem", &self.lab.cluster.authority().unwrap());
        let certificate = self.file("application.pem", &format!("{CERTIFICATE}{KEY}"));
        let output = command
            .args(["-c", program])
            .env("PYTHONPATH", modules)
            .env("REQUESTS_CA_BUNDLE", authority)
            .env("TENANT", TENANT)
            .env("SUBSCRIPTION", SUBSCRIPTION)
            .env("CLIENT", application().client_id)
            .env("PRINCIPAL", application().object_id)
            .env("SECRET", SECRET)
            .env("CERTIFICATE", certificate)
            .env("CLUSTER", self.lab.cluster.id().unwrap())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

#[test]
fn clients_sign_in_by_secret_and_by_certificate_and_are_told_when_they_cannot() {
    let scene = scene();
    scene.python(scene.lab.space.command("python3"), include_str!("sign_in.py"));
}

#[test]
fn clients_manage_machines_roles_and_clusters() {
    let scene = scene();
    scene.azure.set_page(2);
    scene.azure.set_patience(Duration::from_secs(1));
    scene.python(scene.lab.space.command("python3"), include_str!("manage.py"));
}

#[test]
fn a_client_on_the_machine_gets_its_token_by_the_key_file() {
    let scene = scene();
    let root = scene.lab.directory().join("area").join(&scene.machine.name).join("root");
    let mut command = scene.lab.space.command("bash");
    command.args(["-c", ON_MACHINE, "on-machine", &scene.machine.name]).arg(Path::new(&root)).arg("python3");
    let object = scene.python(command, include_str!("identity.py"));
    assert_eq!(Some(object.trim()), scene.azure.arc_principal(&scene.arc).as_deref());
}
