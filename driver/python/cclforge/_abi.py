"""The C library, as its own header describes it: no number of the interface is written in Python.

`C` calls its functions and raises their errors. The header stands beside the library.
"""

import ctypes
import enum
import os
import re
import threading

from . import errors

ENV_LIBRARY = "CCLFORGE_LIBRARY"
ENV_PLATFORM = "CCLFORGE_PLATFORM"
ENV_WORLD = "CCLFORGE_WORLD"

_SCALARS = {"int": ctypes.c_int, "uint32_t": ctypes.c_uint32, "uint64_t": ctypes.c_uint64,
            "size_t": ctypes.c_size_t, "cclf_world": ctypes.c_int64, "cclf_comm": ctypes.c_int64,
            "cclf_request": ctypes.c_int64}


def _find():
    """The folder of the library: that of the environment, of this package, or of the checkout that it is in."""
    here = os.path.dirname(os.path.abspath(__file__))
    given = os.environ.get(ENV_LIBRARY)
    for folder in [given] if given else [os.path.join(here, "lib"), os.path.join(here, "../../../out/lib")]:
        if os.path.isfile(os.path.join(folder, "cclforge.h")):
            return os.path.realpath(folder)
    raise ImportError("libcclforge is not at {}: `cclforge library` builds it, and {} names its folder".format(
        given or "out/lib", ENV_LIBRARY))


def _header(folder):
    with open(os.path.join(folder, "cclforge.h"), encoding="utf-8") as f:
        return f.read()


def _members(kind):
    """Name, value and comment of the members of an enum; names without their prefix, as the header has them."""
    text = re.search(r"enum cclf_%s \{(.*?)\n\};" % kind, _TEXT, re.S).group(1)
    prefix = "CCLF_ERROR_" if kind == "error" else "CCLF_"
    for name, value, doc in re.findall(r"\n\s*(\w+) = (\d+),(?:\s*/\* (.*?) \*/)?", text, re.S):
        yield name[len(prefix):] if name.startswith(prefix) else "OK", int(value), doc


def _enum(name, kind, base=enum.IntEnum):
    return base(name, [(member, value) for member, value, _ in _members(kind)])


def _structure(name):
    text = re.search(r"typedef struct cclf_%s \{(.*?)\n\}" % name, _TEXT, re.S).group(1)
    fields = []
    for kind, pointer, field in re.findall(r"\n\s*(?:const )?(\w+) (\*?)(\w+);", text):
        if pointer:
            fields.append((field, ctypes.c_char_p if kind == "char" else ctypes.c_void_p))
        else:
            fields.append((field, _SCALARS[kind]))
    return type(name.capitalize(), (ctypes.Structure,), {"_fields_": fields})


_FOLDER = _find()
_TEXT = _header(_FOLDER)

Operation = _enum("Operation", "operation")
Reduction = _enum("Reduction", "reduction")
Flag = _enum("Flag", "flag", enum.IntFlag)
Bit = enum.IntFlag("Bit", [(name, int(value, 0)) for name, value in
                           re.findall(r"#define CCLF_BIT_(\w+) UINT32_C\((\w+)\)", _TEXT)])
Options = _structure("options")
Call = _structure("call")
BUILD = int(re.search(r"#define CCLF_BUILD UINT64_C\((\w+)\)", _TEXT).group(1), 0)
STREAM = int(re.search(r"#define CCLF_STREAM \(\(void \*\)(\d+)\)", _TEXT).group(1))

#: Fields of a call that each operation reads, as the header tells them: "src[ranks] of the root".
FIELDS = {Operation(value): re.split(r",\s+", doc) if doc else [] for _, value, doc in _members("operation")}

errors.define([(name, value, doc) for name, value, doc in _members("error") if value], Bit)


class _Library:
    """Functions of C, without their prefix. Arguments follow the header; the error becomes an exception."""

    def __init__(self):
        self._loading = threading.Lock()
        self._c = None

    def _load(self):
        with self._loading:
            if self._c is None:
                c = ctypes.CDLL(os.path.join(_FOLDER, "libcclforge.so"))
                c.cclf_error_text.restype = ctypes.c_char_p
                c.cclf_error_bits.restype = ctypes.c_uint32
                self._c = c
        return self._c

    def __getattr__(self, name):
        declared = re.search(r"\nint cclf_%s\((.*)\);" % name, _TEXT)
        if declared is None:
            raise AttributeError(name)
        c = self._load()
        function = c["cclf_" + name]
        function.argtypes = [ctypes.c_void_p if "*" in p else _SCALARS[p.split()[0]]
                             for p in declared.group(1).split(", ")]

        def call(*arguments):
            number = function(*arguments)
            if number:
                raise errors.of(number, c.cclf_error_bits(), c.cclf_error_text().decode("utf-8", "replace"))

        setattr(self, name, call)
        return call


C = _Library()
