"""Package cclforge against numpy."""

import gc
import inspect
import os
import socket
import subprocess
import sys
import threading
import unittest

import numpy as np

import cclforge
from cclforge import STREAM, Operation, errors

RANKS = 3
SHAPE_TYPES = [np.float16, np.float32, np.float64, np.int32, np.int64]
REDUCE = {"sum": np.add, "max": np.maximum, "min": np.minimum, "prod": np.multiply}


def data(rank, n, dtype):
    """Small whole numbers, so that reductions are exact in every type, in any order."""
    return ((np.arange(n) * 7 + rank * 3) % 5 - 2).astype(dtype)


class Base(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = cclforge.World(ranks=RANKS)

    @classmethod
    def tearDownClass(cls):
        cls.world.close()

    def each(self, program):
        return self.world.each(program)

    def same(self, got, want, what=""):
        np.testing.assert_array_equal(got, want, err_msg=str(what))


class Places(unittest.TestCase):
    def test_programs_that_know_their_place(self):
        """Ranks meet without a launcher and its variables, as those of other launchers of their own do."""
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            meet = "127.0.0.1:{}".format(s.getsockname()[1])
        sums = {}

        def run(rank):
            with cclforge.World(rank=rank, size=2, local_rank=rank, meet=meet, secret="of two that know it") as world:
                a = np.full(3, rank + 1, np.int32)
                world.comm.allreduce(a, a)
                sums[rank] = a.tolist()

        both = [threading.Thread(target=run, args=(rank,)) for rank in range(2)]
        for thread in both:
            thread.start()
        for thread in both:
            thread.join()
        self.assertEqual(sums, {0: [3, 3, 3], 1: [3, 3, 3]})
        with self.assertRaisesRegex(errors.RankError, "rank 2 of 2 processes"):
            cclforge.World(rank=2, size=2)


class Operations(Base):
    """A reference for each operation: what a rank passes, and what it has afterwards."""

    def reference(self, o, n, dtype, root, reduction):
        """Source, size of the destination, and what is there afterwards, of each rank; None if nothing is."""
        blocks = [data(r, n, dtype) for r in range(RANKS)]
        wide = [data(r, n * RANKS, dtype).reshape(RANKS, n) for r in range(RANKS)]
        f = REDUCE[reduction]
        with np.errstate(all="ignore"):
            total, wide_total = f.reduce(blocks, dtype=dtype), f.reduce(wide, dtype=dtype)
            scan = f.accumulate(blocks, dtype=dtype)
        at_root = lambda value: [value if r == root else None for r in range(RANKS)]
        return {
            "copy": (blocks, n, blocks),
            "scatter": (wide, n, list(wide[root])),
            "gather": (blocks, n * RANKS, at_root(np.concatenate(blocks))),
            "reduce": (blocks, n, at_root(total)),
            "allgather": (blocks, n * RANKS, [np.concatenate(blocks)] * RANKS),
            "allreduce": (blocks, n, [total] * RANKS),
            "reduce_scatter": (wide, n, list(wide_total)),
            "alltoall": (wide, n * RANKS, [np.concatenate([wide[s][r] for s in range(RANKS)]) for r in range(RANKS)]),
            "scan": (blocks, n, list(scan)),
            "exscan": (blocks, n, [None] + list(scan[:-1])),
        }[o]

    def test_every_operation(self):
        """Each way of calling, on arrays with a place at the engine and on others."""
        apart = {"send", "recv", "stream_put", "bcast", "combine", "barrier", "nop"}
        tried = 0
        for operation in Operation:
            name = operation.name.lower()
            if name in apart:
                continue
            method = getattr(cclforge.Comm, name)
            for i, dtype in enumerate(SHAPE_TYPES):
                n, root, reduction = 5 + 40 * i, i % RANKS, ("sum", "max")[i % 2]  # which all types have
                options = {}
                if "root" in inspect.signature(method).parameters:
                    options["root"] = root
                if "reduction" in inspect.signature(method).parameters:
                    options["reduction"] = reduction
                source, size, want = self.reference(name, n, dtype, root, reduction)

                def program(comm, way):
                    src, dst = source[comm.rank].copy(), np.zeros(size, dtype)
                    if way != "wait":
                        place = comm.zeros(src.shape, dtype)
                        place[...] = src
                        src, dst = place, comm.zeros(size, dtype)
                    if way == "prepare":
                        request = getattr(comm.prepare, name)(src, dst, **options)
                        for _ in range(2):
                            dst[:] = 0
                            request.start().wait()
                        request.free()
                    elif way == "start":
                        with getattr(comm.start, name)(src, dst, **options):
                            pass
                    else:
                        getattr(comm, name)(src, dst, **options)
                    return dst

                for way in "wait", "start", "prepare":
                    try:
                        got = self.each(lambda comm: program(comm, way))
                    except errors.UnsupportedError:
                        self.assertIn(name, ("scan", "exscan"))
                        continue
                    for r in range(RANKS):
                        if want[r] is not None:
                            self.same(got[r], want[r], (name, dtype.__name__, way, reduction, r))
                            tried += 1
        self.assertGreaterEqual(tried, 300)

    def test_bcast(self):
        def program(comm):
            a = data(comm.rank, 100, np.float32)
            comm.bcast(a, 1)
            return a
        for got in self.each(program):
            self.same(got, data(1, 100, np.float32))

    def test_combine(self):
        comm, n = self.world.comm, 33
        a, b = data(0, n, np.int32), data(1, n, np.int32)
        for name, f in REDUCE.items():
            out = np.zeros(n, np.int32)
            try:
                comm.combine(a, b, out, name)
            except errors.ReductionError:
                self.assertIn(name, ("min", "prod"))  # of some platforms
                continue
            self.same(out, f(a, b), name)

    def test_messages_by_tag(self):
        def program(comm):
            if comm.rank == 0:
                comm.send(np.full(9, 5.0, np.float32), 1, tag=5)
                comm.send(np.full(9, 6.0, np.float32), 1, tag=6)
            if comm.rank == 1:
                five, six = np.zeros(9, np.float32), np.zeros(9, np.float32)
                comm.recv(five, 0, tag=5)
                comm.recv(six, 0)
                return five[0], six[8]
        self.assertEqual(self.each(program)[1], (5, 6))

    def test_wait_any_and_test(self):
        go = threading.Event()

        def program(comm):
            if comm.rank != 1:
                go.wait()
                comm.send(np.full(4, comm.rank + 10, np.float32), 1)
                return None
            a, b = np.zeros(4, np.float32), np.zeros(4, np.float32)
            requests = [comm.start.recv(a, 2), comm.start.recv(b, 0)]
            self.assertFalse(requests[0].test())
            go.set()
            self.assertEqual({cclforge.wait_any(requests), cclforge.wait_any(requests)}, {0, 1})
            self.assertIsNone(cclforge.wait_any(requests))
            self.assertTrue(requests[0].test())
            return a[0], b[3]
        self.assertEqual(self.each(program)[1], (12, 10))

    def test_compression(self):
        def program(comm):
            a, out = np.full(50, 1 + 2**-12, np.float32), np.zeros(50, np.float32)
            comm.allreduce(a, out, wire="float16")
            return out
        for got in self.each(program):
            self.same(got, np.full(50, RANKS, np.float32))  # 1 + 2**-12 is 1 in float16

    def test_conversion(self):
        wide = np.arange(20, dtype=np.float32) / 3
        narrow = np.zeros(20, np.float16)
        self.world.comm.copy(wide, narrow)
        self.same(narrow, wide.astype(np.float16))

    def test_kernel_stream(self):
        """The stream of the platform leads back."""
        comm = self.world.comm
        a, b = data(0, 64, np.float32), np.zeros(64, np.float32)
        comm.copy(a, STREAM)
        comm.copy(STREAM, b)
        self.same(b, a)

    def test_memory_of_the_engine(self):
        comm = self.world.comm
        a, b = comm.zeros(10), comm.zeros(10)
        a[:] = 4
        comm.to_device(a)
        a[:] = 9
        comm.copy(a, b, from_device=True, to_device=True)
        self.same(b, np.zeros(10))
        comm.from_device(b)
        self.same(b, np.full(10, 4.0))
        self.assertEqual(comm.address(a[3:]) - comm.address(a), 12)

    def test_places_are_given_back(self):
        comm, places = self.world.comm, set()
        for _ in range(3):
            a = comm.zeros(1 << 20)
            places.add(comm.address(a))
            view = a[5:10]
            del a
            comm.address(view)  # a part keeps it
            del view
        self.assertEqual(len(places), 1)

    def test_types_that_numpy_lacks(self):
        try:
            out = np.zeros(4, np.uint16)
            self.world.comm.copy(np.arange(4, dtype=np.uint16), out, dtype="bfloat16")
            self.same(out, np.arange(4))
        except errors.TypeError as error:
            self.assertIn("bfloat16", str(error))

    def test_statistics(self):
        comm = self.world.comm
        calls, size = comm.statistics().get(("copy", "float64"), (0, 0))
        comm.copy(np.zeros(7), np.ones(7))
        self.assertEqual(comm.statistics()["copy", "float64"], (calls + 1, size + 56))

    def test_metrics(self):
        """A program that says where serves what its ranks have done."""
        child = ("import cclforge, numpy, os, urllib.request\n"
                 "w = cclforge.World(ranks=2)\n"
                 "for _ in range(3): w.comms[1].copy(numpy.zeros(7), numpy.ones(7))\n"
                 "url = 'http://127.0.0.1' + os.environ['CCLFORGE_METRICS'] + '/metrics'\n"
                 "print(urllib.request.urlopen(url, timeout=60).read().decode())\n")
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            env = dict(os.environ, CCLFORGE_METRICS=f":{s.getsockname()[1]}")
        done = subprocess.run([sys.executable, "-c", child], env=env, capture_output=True, text=True, check=False)
        self.assertIn('cclforge_calls_total{rank="1",operation="copy"} 3\n', done.stdout, done.stderr)
        self.assertIn('cclforge_call_bytes_total{rank="1",operation="copy"} 168\n', done.stdout)
        self.assertNotIn('rank="0",operation="copy"} 3', done.stdout)


class Communicators(Base):
    def test_split_and_create(self):
        def program(comm):
            some = comm.split(0 if comm.rank != 1 else -1, -comm.rank)
            pair = comm.create([2, 0])
            if comm.rank == 1:
                self.assertIsNone(some)
                self.assertIsNone(pair)
                return None
            self.assertEqual((some.rank, some.size), (0 if comm.rank == 2 else 1, 2))
            self.assertEqual((pair.rank, pair.size), (some.rank, 2))
            out = np.zeros(2, np.int32)
            pair.allgather(np.array([comm.rank], np.int32), out)
            some.free()
            return list(out)
        self.assertEqual(self.each(program), [[2, 0], None, [2, 0]])


class Errors(Base):
    def test_bad_input(self):
        comm = self.world.comm
        a, b = np.zeros(8, np.float32), np.zeros(8, np.float32)
        fixed = np.zeros(8, np.float32)
        fixed.flags.writeable = False
        for call, error, text in [
            (lambda: comm.copy(a, b, count=9), errors.CountError, "src has room for 8 elements of 9"),
            (lambda: comm.copy(a, b, count=-1), errors.CountError, "count is -1"),
            (lambda: comm.copy(a, b[:4]), errors.CountError, "8 elements in src, 4 elements in dst"),
            (lambda: comm.allgather(a, b), errors.CountError, "8 elements in src, 2 elements in dst"),
            (lambda: comm.copy(a[::2], b), errors.OperandError, "src is not contiguous"),
            (lambda: comm.copy(a, fixed), errors.OperandError, "dst is read-only"),
            (lambda: comm.bcast(fixed, 1), errors.OperandError, "src is read-only"),
            (lambda: comm.copy(a.astype(">f4"), b), errors.TypeError, "byte order"),
            (lambda: comm.copy([1.0], b), TypeError, "must be a numpy array, not list"),
            (lambda: comm.copy(a.astype(np.uint8), b), errors.TypeError, 'no "uint8"'),
            (lambda: comm.copy(a.astype(complex), b), errors.TypeError, 'no "complex128"'),
            (lambda: comm.combine(a, a.astype(np.int32), b), errors.TypeError, "float32 and int32"),
            (lambda: comm.copy(a, b, dtype="float64"), errors.TypeError, "elements of 4 bytes, float64 has 8"),
            (lambda: comm.copy(a, None), errors.OperandError, "result"),
            (lambda: comm.copy(STREAM, STREAM), errors.CountError, "no elements"),
            (lambda: comm.copy(STREAM, STREAM, count=4), TypeError, "dtype"),
            (lambda: comm.gather(STREAM, b, count=1, dtype="float32"), errors.OperandError, "stream"),
            (lambda: comm.send(a, 3), errors.RankError, "destination is 3; must be 0 to 2"),
            (lambda: comm.send(a, -1), ValueError, "destination is -1"),
            (lambda: comm.send(a, 2**32 + 1), errors.RankError, "destination"),
            (lambda: comm.send(a, 1, tag=2**32), errors.TagError, "tag"),
            (lambda: comm.reduce(a, b, 0, "average"), errors.ReductionError, "'average' is none of sum, "),
            (lambda: comm.reduce(a, b, 0, 99), ValueError, "99"),
            (lambda: comm.call("sort", src=a), errors.ArgumentError, "'sort' is none of copy, "),
            (lambda: comm.copy(a, b, wire="float17"), errors.TypeError, "float17"),
            (lambda: comm.copy(a), TypeError, "dst"),
            (lambda: comm.copy(a, b, from_device=True), errors.OptionError, "src"),
            (lambda: comm.copy(a, b, to_device=True), errors.OptionError, "dst"),
            (lambda: comm.combine(a, a, b, other_from_device=True), errors.OptionError, "other"),
            (lambda: comm.bcast(a, 1, to_device=True), errors.OptionError, "src"),
            (lambda: comm.copy(a, b, cont=3), TypeError, "cont"),
            (lambda: comm.create([0, 0]), errors.RankError, "twice"),
            (lambda: comm.create([7]), errors.RankError, "rank is 7"),
            (lambda: comm.split(2**40), ValueError, "color"),
            (lambda: comm.to_device(a), errors.ArgumentError, "registered"),
            (lambda: comm.address(a), ValueError, "registered"),
            (lambda: cclforge.World("nothing:here"), errors.WorldError, "nothing:here"),
            (lambda: cclforge.World("u55c_tcp", ranks=-1), ValueError, "ranks is -1"),
            (lambda: cclforge.World("u55c_tcp", ranks=10**9), errors.Error, "1000000000"),
            (lambda: cclforge.World("u55c_tcp", rx_bytes=100), errors.Error, "100"),
            (lambda: cclforge.World("u55c_tcp", protocol="udp"), errors.UnsupportedError, "udp"),
            (lambda: cclforge.World("no_such_platform"), errors.Error, "no_such_platform"),
            (lambda: cclforge.World("u55c_tcp", variables="{"), errors.Error, ""),
            (lambda: cclforge.World("sim:127.0.0.1:1", ranks=1), errors.Error, "127.0.0.1:1"),
            (lambda: cclforge.World(3), TypeError, "text must be a string"),
        ]:
            with self.assertRaises(error) as raised:
                call()
            self.assertIn(text, str(raised.exception))

    def test_bits_of_the_return_code(self):
        """Ranks that make different calls hear of it, and recover."""
        def program(comm):
            a, b = np.zeros(RANKS * 8, np.float32), np.zeros(RANKS * 8, np.float32)
            try:
                if comm.rank == 0:
                    comm.allreduce(a, b, count=8)
                else:
                    comm.allgather(a, b, count=8)
                error = None
            except errors.CallError as raised:
                error = raised
            comm.recover()
            comm.allreduce(a, b)
            return error
        failed = [e for e in self.each(program) if e is not None]
        self.assertTrue(failed)
        for e in failed:
            self.assertTrue(e.bits and e.number)
        met = [e for e in failed if cclforge.Bit.COLLECTIVE_MISMATCH in e.bits]
        self.assertTrue(met, failed)
        for e in met:
            self.assertIsInstance(e, errors.CollectiveMismatch)
            self.assertNotIsInstance(e, errors.DmaDecode)
            self.assertIn("COLLECTIVE_MISMATCH", str(e))

    def test_errors_of_several_bits(self):
        e = errors.of(errors.CallError.number, 0x804, "text")
        for kind in errors.Error, errors.CallError, errors.ReceiveTimeout, errors.DmaDecode:
            self.assertIsInstance(e, kind)
        refused = errors.of(errors.BrokenError.number, 0x804, "text")
        self.assertIsInstance(refused, errors.BrokenError)
        self.assertIsInstance(refused, errors.ReceiveTimeout)
        self.assertIsInstance(errors.of(errors.TimeoutError.number, 0, "text"), TimeoutError)

    def test_closed(self):
        world = cclforge.World("u55c_tcp", ranks=1)
        comm, kept = world.comm, world.comm.zeros(4)
        world.close()
        world.close()
        kept[:] = 1  # an array as any other
        with self.assertRaises(errors.HandleError):
            comm.copy(kept, kept)
        del kept
        gc.collect()

    def test_prepared_requests(self):
        comm = self.world.comm
        a = np.zeros(4, np.float32)
        request = comm.prepare.recv(a, 1, tag=77)
        request.wait()
        request.start()
        with self.assertRaises(errors.BusyError):
            request.start()
        with self.assertRaises(errors.BusyError):
            request.free()
        self.world.comms[1].send(np.ones(4, np.float32), 0, tag=77)
        request.wait()
        request.free()
        request.free()
        self.same(a, np.ones(4))
        with self.assertRaises(errors.HandleError):
            request.start()

    def test_parts_of_the_process(self):
        """A child of fork is told; a process without the library, too; output has nothing of the library."""
        run = [sys.executable, "-c"]
        child = ("import cclforge, os\n"
                 "w = cclforge.World(ranks=1)\n"
                 "if os.fork() == 0:\n"
                 "    try: w.comm.nop()\n"
                 "    except cclforge.errors.ForkedError: os._exit(7)\n"
                 "    os._exit(1)\n"
                 "print(os.WEXITSTATUS(os.wait()[1]))\n")
        self.assertEqual(subprocess.run(run + [child], capture_output=True, text=True, check=True).stdout, "7\n")
        env = dict(os.environ, CCLFORGE_LIBRARY="/nowhere")
        lost = subprocess.run(run + ["import cclforge"], env=env, capture_output=True, text=True, check=False)
        self.assertIn("libcclforge is not at /nowhere: `cclforge library` builds it", lost.stderr)


if __name__ == "__main__":
    unittest.main()
