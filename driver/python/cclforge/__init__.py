"""Collectives on engines of FPGAs, emulated ones included, with numpy arrays.

    import cclforge

    with cclforge.World("u55c_tcp", ranks=4) as world:
        def program(comm):
            a = comm.zeros(1000)                    # a numpy array with a place in the engine's memory
            a[:] = comm.rank
            comm.allreduce(a, a, "max")             # waits
            request = comm.start.bcast(a, root=0)   # does not
            request.wait()
            return a[0]
        print(world.each(program))

Any contiguous array of a type that the platform has may be an operand; those of `Comm.zeros` and `Comm.register` have
memory of the engine for as long as they live. Operations are those of the library, see `help(cclforge.Comm)`.
"""

from . import errors
from ._abi import BUILD, ENV_LIBRARY, ENV_PLATFORM, ENV_WORLD, Bit, Operation, Reduction
from ._comm import STREAM, Comm
from ._request import Request, wait_any
from ._world import World
from .errors import CallError, Error

__all__ = ["BUILD", "ENV_LIBRARY", "ENV_PLATFORM", "ENV_WORLD", "STREAM", "Bit", "CallError", "Comm", "Error",
           "Operation", "Reduction", "Request", "World", "errors", "wait_any"]
