"""The backend `cclforge` of torch.distributed.

    import cclforge.torch

    torch.distributed.init_process_group("cclforge")

Collectives of tensors of the CPU are done by the engines of the world that CCLFORGE_WORLD names. `Options(wire=...)`
of a group, as its `pg_options`, or CCLFORGE_TORCH_WIRE, compresses reductions of float32 between ranks.
"""

import copy
import datetime
import functools
import os
import secrets
import socket
import threading
import weakref

import numpy as np

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import ProcessGroup, Work

from . import errors
from ._order import Agreed, Call, Message, Order
from ._world import World

__all__ = ["ENV_WIRE", "Options", "ProcessGroupCclforge", "free_port"]

ENV_WIRE = "CCLFORGE_TORCH_WIRE"

#: Reductions: what engines call them, and what torch does with two tensors.
_REDUCTIONS = {
    "SUM": ("sum", torch.add), "AVG": ("sum", torch.add), "PRODUCT": ("prod", torch.mul),
    "MAX": ("max", torch.maximum), "MIN": ("min", torch.minimum), "BAND": (None, torch.bitwise_and),
    "BOR": (None, torch.bitwise_or), "BXOR": (None, torch.bitwise_xor),
}
_BY_SIZE = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
_KEPT = 256  # works that are done, which C++ may still ask
_SIXTEEN = (torch.float16, torch.bfloat16)


class Options:
    """Options of a group. `wire` is the type to which reductions of float32 are compressed between ranks."""

    def __init__(self, wire=None):
        self.wire = wire


def _name(dtype):
    return str(dtype).split(".")[-1]


def _raw(tensor):
    """The bytes of a contiguous tensor."""
    return tensor.detach().reshape(-1).view(torch.uint8).numpy()


def _bytes(tensor):
    return tensor.numel() * tensor.element_size()


class _Blocks:
    """Tensors of the same number of bytes, as the blocks of words that engines move.

    `whole` is a tensor that consists of them, `block` the bytes of a block if it is more than their largest."""

    def __init__(self, tensors, word, whole=None, block=None):
        self._tensors = tensors
        size = max(map(_bytes, tensors)) if block is None else block
        #: Words of a block.
        self.words = -(-size // word.itemsize)
        self._block = self.words * word.itemsize
        whole = tensors[0] if len(tensors) == 1 else whole
        self._staged = (whole is None or not whole.is_contiguous() or
                        _bytes(whole) != len(tensors) * self._block)
        raw = np.zeros(len(tensors) * self._block, np.uint8) if self._staged else _raw(whole)
        #: What the engine reads and writes.
        self.array = raw.view(word)

    def _of(self, i):
        return self.array.view(np.uint8)[i * self._block:i * self._block + _bytes(self._tensors[i])]

    def load(self):
        """Reads the tensors."""
        if self._staged:
            for i, t in enumerate(self._tensors):
                self._of(i)[:] = _raw(t.contiguous())
        return self.array

    def store(self):
        """Writes the tensors."""
        if self._staged:
            for i, t in enumerate(self._tensors):
                if t.numel():
                    t.copy_(torch.from_numpy(self._of(i).copy()).view(t.dtype).reshape(t.shape))


def _only(tensors, what):
    if len(tensors) != 1:
        raise ValueError("{}: {} tensors; a process has one rank, and passes one".format(what, len(tensors)))
    return tensors[0]


def _check(what, tensors):
    for t in tensors:
        if t.device.type != "cpu" or t.layout != torch.strided:
            raise ValueError("{}: a tensor on {}, {}; must be dense and on the CPU".format(what, t.device, t.layout))


def _same(what, tensors, like):
    for t in tensors:
        if t.numel() != like.numel() or t.dtype != like.dtype:
            raise ValueError("{}: {} elements of {} and {} of {}; must be the same".format(
                what, like.numel(), like.dtype, t.numel(), t.dtype))


def _whole(what, tensor, part, n):
    if tensor.numel() != n * part.numel() or tensor.dtype != part.dtype:
        raise ValueError("{}: {} elements of {} for {} of {} on each of {} ranks".format(
            what, tensor.numel(), tensor.dtype, part.numel(), part.dtype, n))


def _finished(future):
    """The result of a call; a callback, as only errors of callbacks are errors for C++, too."""
    result, error = future.value()
    if error is not None:
        raise error
    return result


class _Work(Work):
    """A call of a group. C++ of torch before 2.7 keeps no Python object alive: `kept` does, until C++ has asked."""

    def __init__(self, kept, aside):
        super().__init__()
        self._over, self._future, self._kept, self._aside = threading.Event(), None, kept, aside
        kept[id(self)] = self
        for key, work in list(kept.items())[:-_KEPT]:
            if work.is_completed():
                kept.pop(key, None)

    def _done(self, result, error):
        self._result, self._error = result, error
        self._over.set()

    def wait(self, timeout=datetime.timedelta(0)):
        if not self._over.wait(timeout.total_seconds() or None):
            raise TimeoutError("not done within {}".format(timeout))
        self._kept.pop(id(self), None)
        if self._error is not None:
            raise copy.copy(self._error)
        return True

    synchronize = wait

    def get_future(self):
        if self._future is None:
            future = torch.futures.Future()

            def end():
                self._over.wait()
                future.set_result((self._result, self._error))

            self._future = future.then(_finished)
            end() if self._over.is_set() else self._aside(end)
        self._kept.pop(id(self), None)
        return self._future

    def is_completed(self):
        return self._over.is_set()

    def is_success(self):
        return self._over.is_set() and self._error is None

    def exception(self):
        return self._error if self._over.is_set() else None

    def result(self):
        self.wait()
        return self._result

    def source_rank(self):
        """Of a receive."""
        self.wait()
        return self._result

    _source_rank = source_rank


class ProcessGroupCclforge(ProcessGroup):
    """A group of ranks with engines. Methods are those of torch's ProcessGroup; each returns a Work."""

    _device_types = [torch.device("cpu")]  # torch 2 knows only those of backends in C++

    def __init__(self, order, group, wire):
        super().__init__(group.rank, len(group.ranks))
        self._order, self._group, self._wire, self._kept = order, group, wire, {}
        self._coalesced = None  # works since _start_coalescing
        self._comm, self._n = group.lane.comm, len(group.ranks)
        self._word = np.dtype(next((t for t in ("int32", "float32", "int64", "float64", "float16")
                                    if self._can(t, None)), None) or "int32")
        if wire is not None:
            self._comm._type(wire)
            if not self._can("float32", "sum", wire):
                raise errors.TypeError("the platform does not sum float32 that is compressed to {}".format(wire))

    def getBackendName(self):
        return "cclforge"

    def getRank(self):
        return self._group.rank

    def getSize(self):
        return self._n

    @property
    def group_name(self):
        return self._group.name

    def _get_backend(self, device):
        return self if device.type == "cpu" else super()._get_backend(device)

    # What engines do

    def _can(self, name, reduction, wire=None):
        """Whether the platform has a type, or does a reduction of it: what a call without elements says."""
        known = self._order.__dict__.setdefault("can", {})
        if (name, reduction, wire) not in known:
            try:
                size = self._comm._type(name)[1]
                if reduction is not None:
                    none = np.empty(0, _BY_SIZE[size])
                    self._order.world.comm.prepare.allreduce(none, none, reduction, count=0, dtype=name,
                                                             wire=wire).free()
                known[name, reduction, wire] = True
            except (errors.TypeError, errors.ReductionError):
                known[name, reduction, wire] = False
        return known[name, reduction, wire]

    def _post(self, what, tensors, steps, result):
        """Makes a call of steps, whose result is that of its Work."""
        _check(what, tensors)
        work = self._work()
        self._order.post(Call(what, self._group, self._ended(steps, result), work._done))
        return work

    def _work(self):
        work = _Work(self._kept, self._order.aside)
        if self._coalesced is not None:
            self._coalesced.append(work)
        return work

    @staticmethod
    def _ended(steps, result):
        torch.set_grad_enabled(False)  # of this thread, which goes through the steps of several calls in turn
        yield from steps
        return result

    # Steps: generators of requests of the engine

    def _blocks(self, tensors, whole=None, block=None):
        return _Blocks(tensors, self._word, whole, block)

    def _move(self, name, src, dst, **root):
        """An operation that moves blocks; None where a rank has none."""
        yield getattr(self._comm.start, name)(src and src.load(), dst and dst.array, count=(src or dst).words, **root)
        if dst:
            dst.store()

    def _bcast(self, tensor, root):
        blocks = self._blocks([tensor])
        yield self._comm.start.bcast(blocks.load(), root)
        if root != self._group.rank:
            blocks.store()

    def _reduce(self, name, sources, result, op, **root):
        """Reduces a tensor, or one for each rank; result is None where there is none."""
        kind = next((k for k in _REDUCTIONS if op == getattr(dist.ReduceOp, k, None)), None)
        if kind is None:
            raise errors.ReductionError("{} is none of {}".format(op, ", ".join(_REDUCTIONS)))
        function, local = _REDUCTIONS[kind]
        dtype, count = sources[0].dtype, sources[0].numel()
        flat = [s.reshape(-1) for s in sources]
        via = next((t for t in ((dtype, torch.float32) if dtype in _SIXTEEN else (dtype,))
                    if function and self._can(_name(t), function)), None)
        if via is None:  # not a reduction of the engine: it moves, and torch reduces
            total = yield from self._moved(name, flat, result is not None, local, **root)
        else:
            src = (torch.cat(flat) if len(flat) > 1 else flat[0].contiguous()).to(via)
            total = None
            if result is not None:
                direct = result.is_contiguous() and result.dtype == via
                total = result.reshape(-1) if direct else torch.empty(count, dtype=via)
            words = _BY_SIZE[src.element_size()]
            yield getattr(self._comm.start, name)(
                _raw(src).view(words), None if total is None else _raw(total).view(words), reduction=function,
                count=count, dtype=_name(via), wire=self._wire if dtype == torch.float32 else None, **root)
        if result is None:
            return
        if kind == "AVG":
            total = total / self._n if total.is_floating_point() else torch.div(total, self._n, rounding_mode="trunc")
        if total.data_ptr() != result.data_ptr():
            result.copy_(total.reshape(result.shape))

    def _moved(self, name, flat, wanted, local, **root):
        """A reduction of which engines do the moving."""
        every = [torch.empty_like(flat[0]) for _ in range(self._n)]
        into = self._blocks(every) if wanted else None
        move = {"allreduce": "allgather", "reduce": "gather", "reduce_scatter": "alltoall"}[name]
        yield from self._move(move, self._blocks([f.contiguous() for f in flat]), into, **root)
        return functools.reduce(local, every) if wanted else None

    def _exchange(self, sources, results):
        """Blocks of different sizes, one to each rank: as large as the largest, which all have to know."""
        own = torch.tensor([_bytes(t) for t in sources + results])
        every = [torch.empty_like(own) for _ in range(self._n)]
        yield from self._move("allgather", self._blocks([own]), self._blocks(every))
        sizes = torch.stack(every)
        sent, received = sizes[:, :self._n], sizes[:, self._n:].T
        if not torch.equal(sent, received):
            s, r = map(int, (sent != received).nonzero()[0])
            raise Agreed(errors.CountError("alltoall: rank {} sends {} bytes to rank {}, which receives {}".format(
                s, int(sent[s, r]), r, int(received[s, r]))))
        block = int(sent.max())
        yield from self._move("alltoall", self._blocks(sources, block=block), self._blocks(results, block=block))

    @staticmethod
    def _in_turn(*steps):
        for s in steps:
            yield from s

    def _halves(self, what, tensor, like):
        """A contiguous tensor in which each rank has a part, and these parts."""
        _whole(what, tensor, like, self._n)
        whole = tensor.contiguous()
        return whole, list(whole.reshape(self._n, -1).unbind(0)) if whole.numel() else [whole] * self._n

    def _gather_into(self, output, input):
        whole, parts = self._halves("allgather", output, input)
        yield from self._move("allgather", self._blocks([input]), self._blocks(parts, whole))
        if whole is not output:
            output.copy_(whole)

    def _scatter_from(self, output, input, op):
        _, parts = self._halves("reduce_scatter", input, output)
        return self._reduce("reduce_scatter", parts, output, op)

    # Collectives, as torch calls them

    def allreduce(self, tensors, opts=None):
        op = opts.reduceOp if opts is not None else dist.ReduceOp.SUM
        steps = self._in_turn(*[self._reduce("allreduce", [t], t, op) for t in tensors])
        return self._post("allreduce", tensors, steps, tensors)

    allreduce_coalesced = allreduce

    def broadcast(self, tensors, opts):
        steps = self._in_turn(*[self._bcast(t, opts.rootRank) for t in tensors])
        return self._post("broadcast", tensors, steps, tensors)

    def reduce(self, tensors, opts):
        t, root = _only(tensors, "reduce"), opts.rootRank
        return self._post("reduce", tensors, self._reduce(
            "reduce", [t], t if root == self._group.rank else None, opts.reduceOp, root=root), tensors)

    def allgather(self, outputs, inputs, opts=None):
        t = _only(inputs, "allgather")
        into = self._each("allgather", outputs, t)
        return self._post("allgather", into + inputs, self._move("allgather", self._blocks([t]), self._blocks(into)),
                          outputs)

    def _allgather_base(self, output, input, opts=None):
        return self._post("allgather", [output, input], self._gather_into(output, input), output)

    def allgather_coalesced(self, outputs, inputs, opts=None):
        self._number("allgather", outputs)
        steps = []
        for i, t in enumerate(inputs):
            into = [of_rank[i] for of_rank in outputs]
            _same("allgather", into, t)
            steps.append(self._move("allgather", self._blocks([t]), self._blocks(into)))
        return self._post("allgather", inputs + [t for o in outputs for t in o], self._in_turn(*steps), outputs)

    def allgather_into_tensor_coalesced(self, outputs, inputs, opts=None):
        steps = self._in_turn(*map(self._gather_into, outputs, inputs))
        return self._post("allgather", outputs + inputs, steps, outputs)

    def gather(self, outputs, inputs, opts):
        t, root = _only(inputs, "gather"), opts.rootRank
        into = self._each("gather", outputs, t) if root == self._group.rank else None
        return self._post("gather", inputs + (into or []), self._move(
            "gather", self._blocks([t]), into and self._blocks(into), root=root), outputs)

    def scatter(self, outputs, inputs, opts):
        t, root = _only(outputs, "scatter"), opts.rootRank
        of = self._each("scatter", inputs, t) if root == self._group.rank else None
        return self._post("scatter", outputs + (of or []), self._move(
            "scatter", of and self._blocks(of), self._blocks([t]), root=root), outputs)

    def reduce_scatter(self, outputs, inputs, opts):
        t = _only(outputs, "reduce_scatter")
        of = self._each("reduce_scatter", inputs, t)
        return self._post("reduce_scatter", outputs + of, self._reduce("reduce_scatter", of, t, opts.reduceOp), outputs)

    def _reduce_scatter_base(self, output, input, opts):
        return self._post("reduce_scatter", [output, input], self._scatter_from(output, input, opts.reduceOp), output)

    def reduce_scatter_tensor_coalesced(self, outputs, inputs, opts):
        steps = [self._scatter_from(o, i, opts.reduceOp) for o, i in zip(outputs, inputs)]
        return self._post("reduce_scatter", outputs + inputs, self._in_turn(*steps), outputs)

    def alltoall(self, outputs, inputs, opts=None):
        self._number("alltoall", outputs)
        self._number("alltoall", inputs)
        return self._post("alltoall", outputs + inputs, self._exchange(inputs, outputs), outputs)

    def alltoall_base(self, output, input, output_sizes, input_sizes, opts=None):
        n = self._n
        if output_sizes or input_sizes:
            of = list(input.split(list(input_sizes) or input.size(0) // n))
            into = list(output.split(list(output_sizes) or output.size(0) // n))
            self._number("alltoall", of)
            self._number("alltoall", into)
            steps = self._exchange(of, into)
        else:
            _same("alltoall", [output], input)
            if input.numel() % n:
                raise ValueError("alltoall: {} elements for {} ranks".format(input.numel(), n))
            steps = self._evenly(output, input)
        return self._post("alltoall", [output, input], steps, output)

    def _evenly(self, output, input):
        part = input.reshape(-1)[:input.numel() // self._n]
        of, parts = self._halves("alltoall", input, part)
        into, places = self._halves("alltoall", output, part)
        yield from self._move("alltoall", self._blocks(parts, of), self._blocks(places, into))
        if into is not output:
            output.copy_(into)

    def barrier(self, opts=None):
        def steps():
            yield self._comm.start.barrier()
        return self._post("barrier", [], steps(), [])

    def _each(self, what, lists, like):
        """The one list there is, of a tensor for each rank, all like one."""
        tensors = _only(lists, what)
        self._number(what, tensors)
        _same(what, tensors, like)
        return tensors

    def _number(self, what, tensors):
        if len(tensors) != self._n:
            raise ValueError("{}: {} tensors for {} ranks".format(what, len(tensors), self._n))

    # Names of versions to come, or that have been

    all_gather_single = _allgather_base
    all_gather_single_coalesced = allgather_into_tensor_coalesced
    reduce_scatter_single = _reduce_scatter_base
    reduce_scatter_single_coalesced = reduce_scatter_tensor_coalesced
    all_to_all_single = alltoall_base

    def _start_coalescing(self, *device):
        self._coalesced = []

    def _end_coalescing(self, *given):
        """One work for all since the start, as of torch 2.1; until then the caller has a list of them."""
        works, self._coalesced = self._coalesced, None
        if any(isinstance(g, list) for g in given):
            return None
        work = self._work()

        def end():
            for w in works:
                w._over.wait()
                w._kept.pop(id(w), None)
            work._done([w._result for w in works], next((w._error for w in works if w._error), None))

        self._order.aside(end)
        return work

    start_coalescing, end_coalescing = _start_coalescing, _end_coalescing

    # Messages

    def _message(self, what, tensors, peers, tag, sends):
        t = _only(tensors, what)
        _check(what, tensors)
        for p in peers:
            if not 0 <= p < self._n or p == self._group.rank:
                raise errors.RankError("{}: rank {} with rank {} of {}".format(what, self._group.rank, p, self._n))

        def steps(peer):
            blocks, comm, of = self._blocks([t]), self._order.world.comm, self._group.ranks[peer]
            if sends:
                yield comm.start.send(blocks.load(), of)
            else:
                yield comm.start.recv(blocks.array, of)
                blocks.store()

        work = self._work()
        self._order.post(Message(what, self._group, sends, peers, tag, _bytes(t),
                                 lambda peer: self._ended(steps(peer), peer), work._done))
        return work

    def send(self, tensors, rank, tag=0):
        return self._message("send", tensors, [rank], tag, True)

    def recv(self, tensors, rank, tag=0):
        return self._message("recv", tensors, [rank], tag, False)

    def recv_anysource(self, tensors, tag=0):
        return self._message("recv", tensors, [p for p in range(self._n) if p != self._group.rank], tag, False)

    def statistics(self):
        """What the rank's engine has done: `cclforge.Comm.statistics`."""
        return self._comm.statistics()

    def shutdown(self):
        """Closes the world of a group that has opened it."""
        self._close()

    abort = shutdown


# The world

_theirs = None  # the order of the default group: that of its sub-groups, too


def free_port():
    """A port that is free now, for MASTER_PORT."""
    with socket.socket() as s:
        s.bind(("", 0))
        return s.getsockname()[1]


def _open(store, rank, size, timeout):
    """The world of a group. Its ranks find each other through the store."""
    if size == 1:
        return World(ranks=1, alone=True)
    own = socket.gethostname()
    if rank == 0:
        store.set("meet", "{} {}".format(free_port(), secrets.token_hex(16)))
    store.set("host/%d" % rank, own)
    port, secret = store.get("meet").decode().split()
    hosts = [store.get("host/%d" % r).decode() for r in range(size)]
    at = "127.0.0.1" if len(set(hosts)) == 1 else os.environ.get("MASTER_ADDR") or hosts[0]
    return World(rank=rank, size=size, local_rank=hosts[:rank].count(own), meet="{}:{}".format(at, port), secret=secret,
                 timeout=min(timeout, 2**31 // 1000 - 1))


def _create(given, options):
    """A group, for torch."""
    global _theirs
    rank, size, ranks = given.group_rank, given.group_size, list(given.global_ranks_in_group)
    if options is not None and not isinstance(options, Options):
        raise TypeError("pg_options must be cclforge.torch.Options, not {}".format(type(options).__name__))
    wire = (options.wire if options is not None else None) or os.environ.get(ENV_WIRE) or None
    timeout = given.timeout.total_seconds()
    order, opens = _theirs and _theirs(), False
    if not ranks or order is None:
        if not ranks and order is not None:
            order.close()  # of a default group that was destroyed, to which the program still refers
        ranks, opens = range(size), True
        order = Order(_open(given.store, rank, size, timeout), given.store)
        if not given.global_ranks_in_group:
            _theirs = weakref.ref(order)
    try:
        group = ProcessGroupCclforge(order, order.join(given.group_id, given.store, rank, list(ranks), timeout), wire)
    except BaseException:
        if opens:
            order.close()
        raise
    group._close = weakref.finalize(group, order.close) if opens else lambda: None
    return group


def _register():
    try:
        dist.Backend.register_backend("cclforge", _create, extended_api=True, devices=["cpu"])
    except TypeError:  # torch 1.13
        dist.Backend.register_backend("cclforge", _create, extended_api=True)


_register()
