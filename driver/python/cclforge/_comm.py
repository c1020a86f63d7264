"""Communicators and their operations."""

import ctypes
import operator
import weakref

import numpy as np

from . import errors
from ._abi import C, FIELDS, STREAM as _STREAM, Call, Flag, Operation, Reduction
from ._request import Request


class _Stream:
    """The kernel stream of the engine, as an operand."""

    def __repr__(self):
        return "cclforge.STREAM"


STREAM = _Stream()

_OPERANDS = ("src", "other", "dst")


class _Shape:
    """What an operation reads of a call: its operands, and for each whether it has a block for each rank."""

    def __init__(self, fields):
        names = [f.split(":")[0].split()[0] for f in fields]
        self.operands = [(n.split("[")[0], n.endswith("[ranks]")) for n in names if n.split("[")[0] in _OPERANDS]
        self.reduces, self.tagged = "reduction" in names, "tag" in names
        self.peer = next((f.split()[-1] for f in fields if f.startswith("peer")), None)
        # src of others than the root is a result if there is no other place for it.
        self.in_place = self.peer == "root" and all(n != "dst" for n, _ in self.operands)


_SHAPES = {o: _Shape(fields) for o, fields in FIELDS.items()}


def _one_of(enum, value, error):
    """A member of an enum, by number or by name in either case."""
    try:
        return enum[value.upper()] if isinstance(value, str) else enum(value)
    except (KeyError, ValueError):
        raise error("{!r} is none of {}".format(value, ", ".join(m.name.lower() for m in enum))) from None


def _within(name, value, limit, error):
    """A number from 0 to limit - 1."""
    value = operator.index(value)
    if not 0 <= value < limit:
        raise error("{} is {}; must be 0 to {}".format(name, value, limit - 1))
    return value


def _address(array):
    return array.__array_interface__["data"][0]


def _check(name, array, written):
    if not isinstance(array, np.ndarray):
        raise TypeError("{} must be a numpy array, not {}".format(name, type(array).__name__))
    if not array.flags.c_contiguous:
        raise errors.OperandError("{} is not contiguous: numpy.ascontiguousarray copies it".format(name))
    if not array.dtype.isnative:
        raise errors.TypeError("{} has elements of another byte order: {!r}".format(name, array.dtype))
    if written and not array.flags.writeable:
        raise errors.OperandError("{} is read-only".format(name))
    return array


class _Calls:
    """Operations; how they are made is that of a derived class."""

    def __init__(self, comm):
        self._comm = comm

    def call(self, operation, *, src=None, other=None, dst=None, peer=0, reduction=None, count=None, dtype=None,
             wire=None, tag=None, from_device=False, other_from_device=False, to_device=False):
        """Makes a call of an operation, by its name: what the methods with these names do.

        `count` is of elements, of a block for each rank where an operand has them; without it, it is what the arrays
        have room for. `dtype` names the type of elements that numpy does not have: "bfloat16" in arrays of uint16.
        `wire` is the type to which data is compressed between ranks. Ranks that do not need an operand may leave it
        out. With `from_device` (`other_from_device`), src (other) is used as the engine has it, and with `to_device`
        the result stays there: `to_device` and `from_device` of the communicator copy.
        """
        comm = self._comm
        operation = _one_of(Operation, operation, errors.ArgumentError)
        shape = _SHAPES[operation]
        k = Call(operation=operation)
        if shape.peer:
            k.peer = _within(shape.peer, peer, comm.size, errors.RankError)
        if shape.reduces:
            k.reduction = _one_of(Reduction, Reduction.SUM if reduction is None else reduction, errors.ReductionError)
        if tag is not None:
            k.tag = _within("tag", tag, 1 << 32, errors.TagError)
        k.flags = ((Flag.TAGGED if tag is not None and operation is not Operation.STREAM_PUT else 0)
                   | (Flag.FROM_DEVICE if from_device else 0) | (Flag.TO_DEVICE if to_device else 0)
                   | (Flag.OTHER_FROM_DEVICE if other_from_device else 0))
        arrays = ()
        if shape.operands:
            arrays = self._operands(k, shape, {"src": src, "other": other, "dst": dst}, count, dtype)
            if wire is not None:
                k.wire_type = comm._type(wire)[0]
        return self._make(k, arrays)

    def _operands(self, k, shape, given, count, dtype):
        comm = self._comm
        arrays, room = {}, {}
        for name, blocks in shape.operands:
            a = given[name]
            if a is STREAM:
                setattr(k, name, _STREAM)
            elif a is not None:
                written = name == "dst" or shape.in_place and k.peer != comm.rank
                arrays[name] = _check(name, a, written)
                room[name] = a.size // comm.size if blocks else a.size
                setattr(k, name, _address(a))
        if count is None:
            if len(set(room.values())) != 1:
                raise errors.CountError("count is not given, and there is room for {}".format(
                    ", ".join("{} elements in {}".format(n, name) for name, n in room.items()) or "no elements"))
            count = next(iter(room.values()))
        k.count = count = _within("count", count, 1 << 32, errors.CountError)
        for name, n in room.items():
            if count > n:
                raise errors.CountError("{} has room for {} elements of {}{}".format(
                    name, n, count, " for each rank" if dict(shape.operands)[name] else ""))
        self._types(k, arrays, dtype)
        return tuple(arrays.values())

    def _types(self, k, arrays, dtype):
        comm = self._comm
        if dtype is not None:
            k.type, size = comm._type(dtype)
            for name, a in arrays.items():
                if a.dtype.itemsize != size:
                    raise errors.TypeError("{} has elements of {} bytes, {} has {}".format(
                        name, a.dtype.itemsize, dtype, size))
            return
        operands = [a for name, a in arrays.items() if name != "dst"]
        dst = arrays.get("dst")
        if not operands and dst is None:
            raise errors.TypeError("no array tells the type: dtype does")
        first = operands[0] if operands else dst
        k.type = comm._type(first.dtype)[0]
        for a in operands:
            if a.dtype != first.dtype:
                raise errors.TypeError("operands of {} and {}".format(first.dtype, a.dtype))
        if dst is not None and dst.dtype != first.dtype:
            k.result_type = comm._type(dst.dtype)[0]


def _method(operation):
    """The method of an operation: its operands, then root, source or destination, then the reduction."""
    shape, name, fields = _SHAPES[operation], operation.name.lower(), FIELDS[operation]
    operands = [operand for operand, _ in shape.operands]
    parameters = [o + ("=None" if o == "dst" and any(f.startswith(o) and f.endswith("of the root") for f in fields)
                       else "") for o in operands]
    passed = {o: o for o in operands}
    if shape.peer:
        parameters.append(shape.peer + ("=0" if shape.peer == "root" else ""))
        passed["peer"] = shape.peer
    if shape.reduces:
        parameters.append("reduction=Reduction.SUM")
    options = ["count=None", "dtype=None", "wire=None"] if operands else []
    options += ["tag=None"] if shape.tagged else []
    options += ["from_device=False"] if "src" in operands else []
    options += ["other_from_device=False"] if "other" in operands else []
    options += ["to_device=False"] if "dst" in operands or shape.in_place else []
    passed.update({p.split("=")[0]: p.split("=")[0] for p in parameters[len(passed):] + options})
    # Python itself checks arguments, as of a method that is written down.
    source = "def {}({}):\n    return self.call(operation, {})\n".format(
        name, ", ".join(["self"] + parameters + (["*"] if options else []) + options),
        ", ".join("{}={}".format(*p) for p in passed.items()))
    names = {"Reduction": Reduction, "operation": operation}
    exec(source, names)  # pylint: disable=exec-used
    method = names[name]
    method.__qualname__, method.__module__ = "Comm." + name, __name__
    method.__doc__ = "{}: {}. See call.".format(name, ", ".join(fields) or "no operands")
    return method


for _operation in Operation:
    setattr(_Calls, _operation.name.lower(), _method(_operation))


class _Started(_Calls):
    def _make(self, k, arrays):
        handle = ctypes.c_int64()
        C.start(self._comm._handle, ctypes.byref(k), ctypes.byref(handle))
        return Request(self._comm, handle, arrays, prepared=False)


class _Prepared(_Calls):
    def _make(self, k, arrays):
        handle = ctypes.c_int64()
        C.prepare(self._comm._handle, ctypes.byref(k), ctypes.byref(handle))
        return Request(self._comm, handle, arrays, prepared=True)


class Comm(_Calls):
    """A communicator, as a rank of this process has it. Its operations wait.

    `comm.start` has the same operations, which return a `Request` at once; `comm.prepare` has them, too, and returns
    a request that `Request.start` makes as often as wanted.
    """

    def __init__(self, world, handle, rank_handle, types):
        super().__init__(self)
        self.world = world
        self._handle, self._rank_handle, self._names = handle, rank_handle, types
        rank, size = ctypes.c_int(), ctypes.c_int()
        C.comm_rank(handle, ctypes.byref(rank), ctypes.byref(size))
        #: Rank of the engine in the communicator, and the number of ranks.
        self.rank, self.size = rank.value, size.value
        self.start, self.prepare = _Started(self), _Prepared(self)

    @classmethod
    def _of_world(cls, world, handle, local):
        made = ctypes.c_int64()
        C.comm_world(handle, local, ctypes.byref(made))
        return cls(world, made.value, made.value, {})

    def _make(self, k, arrays):
        C.run(self._handle, ctypes.byref(k))

    def _type(self, dtype):
        """Number and size of an element type, by numpy's type or by name."""
        known = self._names.get(dtype)
        if known is None:
            try:
                name = np.dtype(dtype).name
            except TypeError:
                if not isinstance(dtype, str):
                    raise
                name = dtype  # one that numpy does not have
            number, size = ctypes.c_int(), ctypes.c_int()
            C.type(self._handle, name.encode(), ctypes.byref(number), ctypes.byref(size))
            known = self._names[dtype] = number.value, size.value
        return known

    def create(self, ranks):
        """A communicator of ranks of this one, in this order; None on a rank that is not among them.

        All of them call it with the same ranks.
        """
        ranks = [_within("rank", r, self.size, errors.RankError) for r in ranks]
        made = ctypes.c_int64()
        C.comm_create(self._handle, len(ranks), (ctypes.c_int * max(len(ranks), 1))(*ranks), ctypes.byref(made))
        return self._made(made)

    def split(self, color, key=0):
        """A communicator of the ranks with the same color, by their keys. None if the color is negative.

        All ranks call it.
        """
        made = ctypes.c_int64()
        for name, n in (("color", color), ("key", key)):
            if not -2**31 <= operator.index(n) < 2**31:
                raise errors.ArgumentError("{} is {}; must have 32 bits".format(name, n))
        C.comm_split(self._handle, color, key, ctypes.byref(made))
        return self._made(made)

    def _made(self, handle):
        if not handle.value:
            return None
        return Comm(self.world, handle.value, self._rank_handle, self._names)

    def free(self):
        """Gives the communicator up. The engine keeps it for `create` of the same ranks."""
        C.comm_free(self._handle)

    def recover(self):
        """Makes the communicator usable again after a collective failed. All its ranks call it."""
        C.recover(self._handle)

    def zeros(self, shape, dtype=np.float32, address=None):
        """An array with a place in the engine's memory, all 0. `address` chooses the place, where that can be."""
        array = np.zeros(shape, dtype)
        self.register(array, address)
        self.to_device(array)
        return array

    def register(self, array, address=None):
        """Gives an array a place in the engine's memory for as long as it lives: calls need not look for one."""
        _check("array", array, False)
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        if array.nbytes == 0:
            return array
        if address is None:
            C.register(self._rank_handle, _address(array), array.nbytes)
        else:
            C.register_at(self._rank_handle, _address(array), array.nbytes, address)
        weakref.finalize(owner, _forget, self._rank_handle, _address(array)).atexit = False
        return array

    def address(self, array):
        """Where the engine has an array that has a place in its memory."""
        address = ctypes.c_uint64()
        C.address(self._rank_handle, _address(array), ctypes.byref(address))
        return address.value

    def to_device(self, array):
        """Copies an array that has a place in the engine's memory there, for `from_device` of a call."""
        _check("array", array, False)
        if array.nbytes:
            C.to_device(self._rank_handle, _address(array), array.nbytes)

    def from_device(self, array):
        """Copies an array from its place in the engine's memory, after `to_device` of a call."""
        _check("array", array, True)
        if array.nbytes:
            C.from_device(self._rank_handle, _address(array), array.nbytes)

    def statistics(self):
        """What the rank's engine has done: (calls, bytes) by operation and name of the type, "" if it has none."""
        out = {}
        names = {number: np.dtype(t).name if not isinstance(t, str) else t
                 for t, (number, _) in self._names.items()}
        names[0] = ""
        for operation in Operation:
            for number, name in names.items():
                calls, size = ctypes.c_uint64(), ctypes.c_uint64()
                C.statistics(self._rank_handle, operation, number, ctypes.byref(calls), ctypes.byref(size))
                if calls.value:
                    out[operation.name.lower(), name] = calls.value, size.value
        return out


def _forget(handle, address):
    try:
        C.free(handle, address)
    except errors.Error:
        pass  # the world is closed
