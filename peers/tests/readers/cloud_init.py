"""What cloud-init makes of our user data. One JSON request on standard input, one JSON answer on standard output.

{"do": "parts", "document": base64}
    -> [{"type", "payload"}] as the user-data processor hands parts to its handlers; boothooks as their file.
{"do": "write_files", "document": base64}
    -> {"opens": [...], "runcmd": text}: the files are written for real, so run this in a mount namespace.
"""

import base64
import json
import os
import stat
import sys

from cloudinit import user_data, util
from cloudinit.config import cc_write_files

MARKER = "#cloud-boothook"


class Paths:
    """The part of cloud-init's paths that reading user data touches."""

    @staticmethod
    def get_ipath_cur(name=None):
        return "/nonexistent"

    get_ipath = get_cpath = get_ipath_cur
    cloud_dir = run_dir = "/nonexistent"


def parts(document):
    user_data.util.fetch_ssl_details = lambda paths: {}
    message = user_data.UserDataProcessor(Paths()).process(document)
    found = []
    for part in message.walk():
        if part.get_content_maintype() == "multipart":
            continue
        payload = util.fully_decoded_payload(part)
        if part.get_content_type() == "text/cloud-boothook":
            payload = util.strip_prefix_suffix(util.dos2unix(payload), prefix=MARKER).lstrip()
        found.append({"type": part.get_content_type(), "payload": payload})
    return found


def write_files(document):
    [config] = parts(document)
    assert config["type"] == "text/cloud-config", config["type"]
    config = util.load_yaml(config["payload"])
    opens = []

    def watch(event, arguments):
        if event != "open" or not str(arguments[0]).startswith("/opt/"):
            return
        try:
            before = os.stat(arguments[0])
            opens.append([arguments[0], stat.S_IMODE(before.st_mode), before.st_size])
        except FileNotFoundError:
            opens.append([arguments[0], None, None])

    sys.addaudithook(watch)
    os.umask(0)
    cc_write_files.write_files("write_files", config["write_files"], "root:root")
    answer = list(opens)
    files = {}
    for path in {opened[0] for opened in answer}:
        with open(path, "rb") as file:
            files[path] = [stat.S_IMODE(os.stat(path).st_mode), base64.b64encode(file.read()).decode()]
    return {"opens": answer, "files": files, "runcmd": util.shellify(config["runcmd"])}


request = json.load(sys.stdin)
document = base64.b64decode(request["document"])
json.dump({"parts": parts, "write_files": write_files}[request["do"]](document), sys.stdout)
