"""Exceptions: a class for each error of the C library, and for each bit of an engine's return code.

All are `Error`, whose `number` is that of cclf_error and whose `bits` are the return code. The answer of an engine
is a `CallError`, and also of the class of each of its bits: `except cclforge.errors.ReceiveTimeout`. Mistakes of
the caller are also `ValueError` or `TypeError`, an engine that does not answer is also the `TimeoutError` of Python.
"""

import builtins

_numbers = {}
_bits = {}

#: What Python calls these.
_BUILTIN = {"COUNT": ValueError, "RANK": ValueError, "OPERAND": ValueError, "REDUCTION": ValueError, "TAG": ValueError,
            "OPTION": ValueError, "ALIGNMENT": ValueError, "ARGUMENT": ValueError, "WORLD": ValueError,
            "TYPE": builtins.TypeError, "TIMEOUT": builtins.TimeoutError, "UNSUPPORTED": NotImplementedError}


class Error(Exception):
    """An error of the library. `bits` is empty unless an engine has answered a return code."""

    number = 0
    bits = 0


def _camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def define(numbers, bits):
    """Makes the classes: `CountError`, …, `CallError`, and `ReceiveTimeout`, … for bits."""
    Error.bits = bits(0)
    for name, number, doc in numbers:
        bases = (Error, _BUILTIN[name]) if name in _BUILTIN else (Error,)
        made = type(_camel(name) + "Error", bases, {"number": number, "__doc__": doc, "__module__": __name__})
        globals()[made.__name__] = _numbers[number] = made
    for name, bit in bits.__members__.items():
        if bit not in _bits:
            _bits[bit] = type(_camel(name), (globals()["CallError"],), {"__module__": __name__})
        globals()[_camel(name)] = _bits[bit]
    define.bits = bits


def of(number, code, text):
    """The exception for an error of C. One with a return code is of the classes of its bits, too."""
    kind = _numbers.get(number, Error)
    parts = tuple(made for bit, made in _bits.items() if code & bit)
    if parts:
        bases = parts if issubclass(parts[0], kind) else (kind,) + parts
        kind = type(kind.__name__, bases, {"number": number, "__module__": __name__})
    error = kind(text)
    error.bits = define.bits(code)
    return error
