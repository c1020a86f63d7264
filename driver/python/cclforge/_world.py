"""Worlds: the ranks that a process has."""

import ctypes
import operator
import threading
import weakref

from . import errors
from ._abi import BUILD, C, Options
from ._comm import Comm


def _text(name, value):
    if value is None:
        return None
    if not isinstance(value, str):
        raise TypeError("{} must be a string, not {!r}".format(name, value))
    if "\0" in value:
        raise ValueError("{} has a null character: {!r}".format(name, value))
    return value.encode()


def _number(name, value):
    value = operator.index(value)
    if not 0 <= value < 2**31:
        raise errors.ArgumentError("{} is {}; must be 0 to {}".format(name, value, 2**31 - 1))
    return value


class World:
    """The open ranks of this process: all of a world, or, under mpirun and srun, one. All processes open it.

    `text` names it, as `-on=` of the tools: a platform's name, "sim:host:port", "verilated:platform",
    "card:file.xclbin". Without it the environment does: CCLFORGE_WORLD. `platform` (CCLFORGE_PLATFORM) names that of
    a world whose text does not, `variables` sets its variables, as text of an HCL object. `ranks` is the number of
    ranks if this process has all, 4 unless given; with `alone` it has all under a launcher, too. `timeout` bounds
    the wait for other processes, in seconds. `rx_buffers` and `rx_bytes` are number and size of rx buffers.

    A program that knows its place without mpirun and srun says `rank` and `size`, `local_rank` among the processes of
    its host, and to `meet`, "host:port" of rank 0, and `secret`, the same in all processes.

    A context manager closes the world. Arrays stay valid then, without the engine's memory.
    """

    def __init__(self, text=None, *, ranks=0, platform=None, variables=None, address=None, protocol=None, timeout=0,
                 alone=False, rx_buffers=0, rx_bytes=0, rank=0, size=0, local_rank=0, meet=None, secret=None):
        options = Options(
            world=_text("text", text), platform=_text("platform", platform), variables=_text("variables", variables),
            address=_text("address", address), protocol=_text("protocol", protocol), ranks=_number("ranks", ranks),
            timeout_ms=_number("timeout in ms", int(timeout * 1000)), alone=bool(alone),
            rx_buffers=_number("rx_buffers", rx_buffers), rx_bytes=_number("rx_bytes", rx_bytes),
            rank=_number("rank", rank), size=_number("size", size), local_rank=_number("local_rank", local_rank),
            meet=_text("meet", meet), secret=_text("secret", secret))
        handle = ctypes.c_int64()
        C.open(BUILD, ctypes.byref(options), ctypes.byref(handle))
        self._flying = set()  # requests, whose arrays must not go
        self._close = weakref.finalize(self, C.close, handle.value)
        n = ctypes.c_int()
        C.local(handle, ctypes.byref(n))
        #: The communicator of all ranks, once for each rank of this process.
        self.comms = tuple(Comm._of_world(self, handle, local) for local in range(n.value))

    @property
    def comm(self):
        """The communicator of all ranks of a process that has one rank, else as its first rank has it."""
        return self.comms[0]

    def each(self, program):
        """Runs program(comm) on all ranks of this process, each in a thread, and returns the results.

        The error of the first rank that fails is raised when all are done.
        """
        results, failed = [None] * len(self.comms), {}

        def run(i):
            try:
                results[i] = program(self.comms[i])
            except BaseException as error:
                failed[i] = error

        threads = [threading.Thread(target=run, args=(i,)) for i in range(len(self.comms))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failed:
            raise failed[min(failed)]
        return results

    def close(self):
        """Closes the world. Calls in flight end with an error."""
        self._close()
        self._flying.clear()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
