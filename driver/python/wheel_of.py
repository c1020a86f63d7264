"""Makes the wheel, for pip: the packages and, where it is built, the library with its engines."""

import base64
import hashlib
import os
import sysconfig
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
INFO = "cclforge-0.dist-info/"
METADATA = """Metadata-Version: 2.1
Name: cclforge
Version: 0
Summary: Collectives on engines of FPGAs, with numpy arrays; pyaccl, the interface of ACCL's Python driver
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: numpy
"""


def _files():
    """Places in the wheel, and where the files are."""
    for package in "cclforge", "pyaccl":
        folder = os.path.join(HERE, package)
        for name in sorted(os.listdir(folder)):
            if name.endswith(".py"):
                yield package + "/" + name, os.path.join(folder, name)
    given = os.environ.get("CCLFORGE_LIBRARY")
    lib = given or os.path.join(HERE, "../../out/lib")
    if given or os.path.exists(os.path.join(lib, "cclforge.h")):
        for name in "cclforge.h", "libcclforge.so", "libcclforge-engines.so":
            yield "cclforge/lib/" + name, os.path.join(lib, name)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    files = dict(_files())
    platform = sysconfig.get_platform().replace("-", "_") if "cclforge/lib/cclforge.h" in files else "any"
    tag = "py3-none-" + platform
    name = "cclforge-0-{}.whl".format(tag)
    record = ""
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:

        def add(place, data):
            nonlocal record
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += "{},sha256={},{}\n".format(place, digest, len(data))
            wheel.writestr(place, data)

        for place, path in files.items():
            with open(path, "rb") as f:
                add(place, f.read())
        add(INFO + "METADATA", METADATA.encode())
        add(INFO + "WHEEL", "Wheel-Version: 1.0\nGenerator: cclforge\nRoot-Is-Purelib: {}\nTag: {}\n".format(
            str(platform == "any").lower(), tag).encode())
        wheel.writestr(INFO + "RECORD", record + INFO + "RECORD,,\n")
    return name
