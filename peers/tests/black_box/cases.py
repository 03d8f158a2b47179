#!/usr/bin/env python3
"""Holds a binary against recordings of aks-node-controller, in its real paths.

Each case runs in an overlay of this machine's root, without network, and is compared with what the Go program did:
exit code, standard output, log messages, events, files and their modes. Error texts that come from Go's libraries are
not compared. Needs root.

usage: cases.py BINARY CASES.json
"""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

EVENTS = "/var/log/azure/Microsoft.Azure.Extensions.CustomScript/events"
LOG = "/var/log/azure/aks-node-controller.log"
TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\.?\d*(?:Z|[+-]\d\d:\d\d)?")
DATE = re.compile(r"\w{3} \w{3} +\d+ \d\d:\d\d:\d\d (AM |PM )?\w+ \d{4}")
RANDOM = re.compile(r"-update-\w+|-hotfix-\d+")
AT_ONCE = 3
LONGEST_RUN_MS = 20_000


def plain(text):
    """A text without what differs from run to run."""
    text = DATE.sub("<DATE>", TIME.sub("<TIME>", text))
    return RANDOM.sub("-<RANDOM>", re.sub(r"durationMs=\d+", "durationMs=<N>", text))


def put(root, path, spec):
    """Makes a file, directory, link or pipe as a case describes it."""
    spec = {"content": spec} if isinstance(spec, str) else spec
    real, kind = root + path, spec.get("type")
    os.makedirs(os.path.dirname(real), exist_ok=True)
    if kind == "dir":
        os.makedirs(real, exist_ok=True)
    elif kind == "symlink":
        os.symlink(spec["target"], real)
    elif kind == "fifo":
        os.mkfifo(real)
    else:
        octets = bytes.fromhex(spec["content_hex"]) if "content_hex" in spec else spec.get("content", "").encode()
        written = real + ".tmp" if kind == "rename" else real
        with open(written, "wb") as file:
            file.write(octets)
        os.rename(written, real)
    if "mode" in spec:
        os.chmod(real, int(str(spec["mode"]), 8))


def tree(top):
    """Every regular file below a directory, with mode and content."""
    found = {}
    for directory, _, names in os.walk(top):
        for name in names:
            path = os.path.join(directory, name)
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    found[path[len(top):]] = (f"{os.stat(path).st_mode & 0o777:04o}", file.read())
    return found


def machine(area, case):
    """An overlay of this machine's root, prepared as the case says."""
    upper, work, root = (os.path.join(area, name) for name in ("upper", "work", "root"))
    for directory in (upper, work, root):
        os.makedirs(directory)
    layers = f"lowerdir=/,upperdir={upper},workdir={work}"
    subprocess.run(["mount", "-t", "overlay", "overlay", "-o", layers, root], check=True)
    for directory in ("/proc", "/dev", "/sys"):
        subprocess.run(["mount", "--rbind", directory, root + directory], check=True)
    subprocess.run(["hostname", "vector-node"], check=True)
    os.umask(0o022)
    for path in ("/usr/bin/containerd", "/usr/local/bin/containerd"):
        if os.path.exists(root + path):
            os.unlink(root + path)
    for path in ("/opt/azure", "/var/log/azure"):
        shutil.rmtree(root + path, ignore_errors=True)
    if case["containers_dir_exists"]:
        os.makedirs(f"{root}/opt/azure/containers", exist_ok=True)
    for path, spec in case["files"].items():
        put(root, path, spec)
    if case.get("containerd_output") is not None:
        script = f"#!/bin/sh\nprintf '%s' '{case['containerd_output']}'\n"
        put(root, "/usr/bin/containerd", {"content": script, "mode": "755"})
    return upper, root


def run(binary, case, area):
    """Runs a case inside its namespaces; gives what happened."""
    upper, root = machine(area, case)
    os.makedirs(f"{root}/usr/lib/anc", exist_ok=True)
    shutil.copy(binary, f"{root}/usr/lib/anc/aks-node-controller")
    before, start = tree(upper), time.time()
    process = subprocess.Popen(
        ["/usr/lib/anc/aks-node-controller", *case["argv"]],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PATH": "/usr/bin:/bin", **case["env"]},
        preexec_fn=lambda: (os.chroot(root), os.chdir("/root")),
    )

    def later():
        for step in sorted(case["later"], key=lambda step: step["after_ms"]):
            time.sleep(max(0, start + step["after_ms"] / 1000 - time.time()))
            if "signal" in step:
                process.send_signal(step["signal"])
            else:
                put(root, step["path"], step)

    threading.Thread(target=later, daemon=True).start()
    try:
        out, err = process.communicate(timeout=(case["stop_after_ms"] or LONGEST_RUN_MS) / 1000)
        code = process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        code = None
    written = {path: file for path, file in tree(upper).items() if before.get(path) != file}
    messages = []
    for line in err.decode(errors="replace").splitlines():
        try:
            messages.append(json.loads(line).get("msg"))
        except ValueError:
            pass
    events = [file for path, file in sorted(written.items()) if path.startswith(EVENTS)]
    return {
        "exit_code": code,
        "stdout": out.decode(errors="replace"),
        "log": messages,
        "events": [plain(text.decode()) for _, text in events],
        "event_modes": [mode for mode, _ in events],
        "files": {
            path: (mode, plain(text.decode(errors="replace")))
            for path, (mode, text) in written.items()
            if not path.startswith(EVENTS)
        },
    }


def compared(files, moved):
    """The files that are compared: not the log, which standard error repeats, and not what the case itself puts there."""
    left_out = ("/root/", "/usr/bin/")
    return {
        path: file for path, file in files.items() if path != LOG and path not in moved and not path.startswith(left_out)
    }


def differences(case, got):
    """In which parts a run differs from the recording."""
    want = case["expect"]
    moved = {step.get("path") for step in case["later"]}
    wordless = lambda event: re.sub(r"(error|exited with error).*?( \|)", r"\1\2", event)
    found = []
    if want["exit_code"] != got["exit_code"]:
        found.append(f"exit code {got['exit_code']}, not {want['exit_code']}")
    if isinstance(want["stdout"], str) and plain(want["stdout"]) != plain(got["stdout"]):
        found.append(f"stdout {got['stdout']!r}, not {want['stdout']!r}")
    messages = [record["msg"] for record in want["log"]]
    if messages != got["log"]:
        found.append(f"log {got['log']}, not {messages}")
    events = [wordless(event["text"]) for event in want["events"]]
    if events != [wordless(event) for event in got["events"]]:
        found.append(f"events {got['events']}, not {events}")
    if [event["mode"] for event in want["events"]] != got["event_modes"]:
        found.append(f"event modes {got['event_modes']}")
    recorded = {path: (file["mode"], file.get("content")) for path, file in want["files_written"].items() if not path.startswith(EVENTS)}
    theirs, ours = compared(recorded, moved), compared(got["files"], moved)
    for path in sorted(theirs.keys() ^ ours.keys()):
        found.append(f"{path} is {'missing' if path in theirs else 'not in the recording'}")
    for path in sorted(theirs.keys() & ours.keys()):
        (their_mode, their_text), (our_mode, our_text) = theirs[path], ours[path]
        if their_mode != our_mode:
            found.append(f"{path} has mode {our_mode}, not {their_mode}")
        if path.endswith("provision.json"):
            code = lambda text: json.loads(text)["ExitCode"] if text and text.strip().startswith("{") else text
            their_text, our_text = code(their_text), code(our_text)
        if their_text is not None and their_text != our_text:
            found.append(f"{path} is {our_text!r}, not {their_text!r}")
    return found


def outcome(binary, case):
    """Runs a case in private mount, network and host-name namespaces."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as area:
        with open(f"{area}/case", "w") as file:
            json.dump(case, file)
        inside = ["unshare", "-m", "-n", "-u", "--propagation", "private"]
        process = subprocess.run(
            [*inside, sys.executable, __file__, "--inside", binary, area], capture_output=True, text=True, timeout=60
        )
        if process.returncode != 0:
            return [f"the case could not be run: {process.stderr[-400:]}"]
        return differences(case, json.loads(process.stdout))


def main():
    if sys.argv[1] == "--inside":
        binary, area = sys.argv[2:]
        with open(f"{area}/case") as file:
            print(json.dumps(run(binary, json.load(file), area)))
        return 0
    binary, path = sys.argv[1:]
    with open(path) as file:
        cases = json.load(file)
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        outcomes = list(pool.map(lambda case: outcome(binary, case), cases))
    for case, found in zip(cases, outcomes):
        for difference in found:
            print(f"{case['name']}: {difference}")
    same = sum(not found for found in outcomes)
    print(f"{same} of {len(cases)} cases as recorded")
    return 0 if same == len(cases) else 1


if __name__ == "__main__":
    sys.exit(main())
