"""The driver of an engine."""

import operator
import warnings

import numpy as np

from cclforge import STREAM, Operation, Reduction, errors

from ._session import Session, world_of
from .buffer import ACCLBuffer
from .constants import TAG_ANY, ACCLStreamFlags


class ACCLArithConfig:
    """An arithmetic configuration for the ACCL hardware datapath.

    It says which pair of types the driver uses. Engines are configured from their platform, whose functions have their
    IDs; those that are None are the platform's, and others have no effect.
    """

    def __init__(self, uncompressed_elem_bytes, compressed_elem_bytes, elem_ratio_log, compressor_tdest,
                 decompressor_tdest, arith_is_compressed, arith_tdest):
        self.uncompressed_elem_bytes = uncompressed_elem_bytes
        self.compressed_elem_bytes = compressed_elem_bytes
        self.elem_ratio_log = elem_ratio_log
        self.compressor_tdest = compressor_tdest
        self.decompressor_tdest = decompressor_tdest
        self.arith_is_compressed = arith_is_compressed
        self.arith_tdest = arith_tdest


def _default(wide, narrow):
    return ACCLArithConfig(np.dtype(wide).itemsize, np.dtype(narrow).itemsize, 0, None, None, wide != narrow, None)


ACCL_DEFAULT_ARITH_CONFIG = {pair: _default(*pair) for pair in [
    ("float16", "float16"), ("float32", "float16"), ("float32", "float32"), ("float64", "float64"),
    ("int32", "int32"), ("int64", "int64")]}


def _tag(tag):
    return None if tag == TAG_ANY else tag


def _count(count):
    """A count, which may be a float that is whole: 1024/4."""
    return int(count) if isinstance(count, (float, np.floating)) and count == int(count) else operator.index(count)


class accl:
    """ACCL Python Driver"""

    def __init__(self, nranks, local_rank, ranks=None, protocol=None, nbufs=16, bufsize=1024,
                 arith_config=ACCL_DEFAULT_ARITH_CONFIG, sim_mode=False, xclbin=None, sim_sock=None, board_idx=None,
                 cclo_idx=0):
        nranks, local_rank = operator.index(nranks), operator.index(local_rank)
        if not 0 <= local_rank < nranks:
            raise errors.RankError("rank {} of {}".format(local_rank, nranks))
        if ranks is not None and len(ranks) != nranks:
            raise errors.RankError("a list of {} ranks of {}".format(len(ranks), nranks))
        if board_idx not in (None, 0, local_rank) or cclo_idx not in (0, local_rank):
            raise ValueError("rank {0} is on engine {0}, from the first card on, not on board {1}, engine {2}".format(
                local_rank, board_idx, cclo_idx))
        if any(c.compressor_tdest is not None for c in arith_config.values()):
            warnings.warn("TDESTs of arith_config have no effect: they are those of the platform")
        self.local_rank, self.nranks, self.arith_config = local_rank, nranks, arith_config
        self._communicators, self._closed = None, False
        self._session = Session.join(
            self, local_rank, world=world_of(sim_mode, sim_sock, xclbin, local_rank), nranks=nranks, nbufs=nbufs,
            bufsize=bufsize, protocol=None if protocol is None else str(protocol).lower())

    @property
    def communicators(self):
        """Communicators of this rank, by comm_id."""
        if self._closed:
            raise errors.ClosedError("rank {} is de-initialized".format(self.local_rank))
        if self._communicators is None:
            self._communicators = [self._session.comm(self.local_rank)]
        return self._communicators

    def _call(self, operation, run_async, comm_id=0, compress_dtype=None, count=0, **given):
        all_ = self.communicators
        if not 0 <= comm_id < len(all_):
            raise errors.ArgumentError("comm_id is {}; rank {} has {} communicators".format(
                comm_id, self.local_rank, len(all_)))
        dtype = next((given[o].dtype for o in ("src", "dst") if isinstance(given.get(o), np.ndarray)), None)
        if dtype is not None:
            pair = dtype.name, dtype.name if compress_dtype is None else np.dtype(compress_dtype).name
            if pair not in self.arith_config:
                raise errors.TypeError("arith_config has no pair of types {} and {}".format(*pair))
            if pair[0] == pair[1]:
                compress_dtype = None
        if "func" in given:
            given["reduction"] = self._reduction(given.pop("func"))
        if operation in (Operation.NOP, Operation.BARRIER):
            count = None
        else:
            count = _count(count)
        comm = all_[comm_id]
        return (comm.start if run_async else comm).call(operation, count=count, wire=compress_dtype, **given)

    @staticmethod
    def _reduction(func):
        try:
            return Reduction(operator.index(func) + 1)
        except (ValueError, TypeError):
            raise errors.ReductionError("{!r} is none of ACCLReduceFunctions".format(func)) from None

    def allocate(self, shape, dtype=np.float32, physical_address=None, prealloc=True):
        """Allocates an ACCLBuffer in the device memory associated with this CCLO instance."""
        return ACCLBuffer(shape, dtype, target=self.communicators[0], physical_address=physical_address,
                          prealloc=prealloc)

    def deinit(self):
        """De-initializes the instance. Buffers of allocate() stay valid as arrays."""
        if not self._closed:
            self._closed, self._communicators = True, None
            self._session.leave(self)

    def split_communicator(self, indices):
        """Creates a communicator of these ranks of the global one, with the next comm_id of a rank that is one of them.

        Returns its comm_id, None on other ranks.
        """
        made = self.communicators[0].create(indices)
        if made is None:
            return None
        self._communicators.append(made)
        return len(self._communicators) - 1

    def nop(self, run_async=False):
        """Calls the accelerator with no work"""
        return self._call(Operation.NOP, run_async)

    def barrier(self, comm_id=0):
        """Waits until all ranks of the communicator have called it"""
        return self._call(Operation.BARRIER, False, comm_id)

    def copy(self, srcbuf, dstbuf, count, from_fpga=False, to_fpga=False, run_async=False):
        """Copy data between two buffers"""
        return self._call(Operation.COPY, run_async, src=srcbuf, dst=dstbuf, count=count, from_device=from_fpga,
                          to_device=to_fpga)

    def combine(self, count, func, val1, val2, result, val1_from_fpga=False, val2_from_fpga=False, to_fpga=False,
                run_async=False):
        """Combine data from two buffers and put result in a third buffer"""
        return self._call(Operation.COMBINE, run_async, src=val1, other=val2, dst=result, count=count, func=func,
                          from_device=val1_from_fpga, other_from_device=val2_from_fpga, to_device=to_fpga)

    def send(self, srcbuf, count, dst, tag=TAG_ANY, comm_id=0, from_fpga=False, compress_dtype=None,
             stream_flags=ACCLStreamFlags.NO_STREAM, run_async=False):
        """Send data to a remote ACCL instance

        With OP0_STREAM the data is of the engine's kernel stream, and srcbuf tells its type; with RES_STREAM it goes
        to the kernel stream of the destination that the tag names.
        """
        flags = operator.index(stream_flags)
        if flags & ~(ACCLStreamFlags.OP0_STREAM | ACCLStreamFlags.RES_STREAM):
            raise errors.OptionError("stream_flags are {!r}".format(stream_flags))
        operation = Operation.STREAM_PUT if flags & ACCLStreamFlags.RES_STREAM else Operation.SEND
        given = {"src": srcbuf}
        if flags & ACCLStreamFlags.OP0_STREAM:
            given = {"src": STREAM, "dtype": np.float32 if srcbuf is None else srcbuf.dtype}
        return self._call(operation, run_async, comm_id, compress_dtype, count, peer=dst, tag=_tag(tag),
                          from_device=from_fpga, **given)

    def recv(self, dstbuf, count, src, tag=TAG_ANY, comm_id=0, to_fpga=False, compress_dtype=None, run_async=False):
        """Receive data from a remote ACCL instance"""
        return self._call(Operation.RECV, run_async, comm_id, compress_dtype, count, dst=dstbuf, peer=src,
                          tag=_tag(tag), to_device=to_fpga)

    def bcast(self, buf, count, root, comm_id=0, from_fpga=False, to_fpga=False, compress_dtype=None,
              run_async=False):
        """Broadcast data to all ACCL instances in a communicator"""
        return self._call(Operation.BCAST, run_async, comm_id, compress_dtype, count, src=buf, peer=root,
                          from_device=from_fpga, to_device=to_fpga)

    def scatter(self, sbuf, rbuf, count, root, comm_id=0, from_fpga=False, to_fpga=False, compress_dtype=None,
                run_async=False):
        """Scatter data to all ACCL instances in a communicator"""
        return self._call(Operation.SCATTER, run_async, comm_id, compress_dtype, count, src=sbuf, dst=rbuf,
                          peer=root, from_device=from_fpga, to_device=to_fpga)

    def gather(self, sbuf, rbuf, count, root, comm_id=0, from_fpga=False, to_fpga=False, compress_dtype=None,
               run_async=False):
        """Gathers data from all ACCL instances in a communicator"""
        return self._call(Operation.GATHER, run_async, comm_id, compress_dtype, count, src=sbuf, dst=rbuf,
                          peer=root, from_device=from_fpga, to_device=to_fpga)

    def reduce(self, sbuf, rbuf, count, root, func, comm_id=0, from_fpga=False, to_fpga=False, compress_dtype=None,
               run_async=False):
        """Combine data from multiple ACCL instances, using a reduction function"""
        return self._call(Operation.REDUCE, run_async, comm_id, compress_dtype, count, src=sbuf, dst=rbuf,
                          peer=root, func=func, from_device=from_fpga, to_device=to_fpga)

    def allgather(self, sbuf, rbuf, count, comm_id=0, from_fpga=False, to_fpga=False, compress_dtype=None,
                  run_async=False):
        """Fused gather-bcast"""
        return self._call(Operation.ALLGATHER, run_async, comm_id, compress_dtype, count, src=sbuf, dst=rbuf,
                          from_device=from_fpga, to_device=to_fpga)

    def allreduce(self, sbuf, rbuf, count, func, comm_id=0, from_fpga=False, to_fpga=False, compress_dtype=None,
                  run_async=False):
        """Fused reduce-bcast"""
        return self._call(Operation.ALLREDUCE, run_async, comm_id, compress_dtype, count, src=sbuf, dst=rbuf,
                          func=func, from_device=from_fpga, to_device=to_fpga)

    def reduce_scatter(self, sbuf, rbuf, count, func, comm_id=0, from_fpga=False, to_fpga=False, compress_dtype=None,
                       run_async=False):
        """Fused reduce-scatter"""
        return self._call(Operation.REDUCE_SCATTER, run_async, comm_id, compress_dtype, count, src=sbuf, dst=rbuf,
                          func=func, from_device=from_fpga, to_device=to_fpga)
