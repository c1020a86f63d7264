"""Module pyaccl against ACCL's API reference, and programs of its documents."""

import importlib.util
import inspect
import os
import shutil
import socket
import subprocess
import sys
import threading
import unittest

import numpy as np

import reference
import pyaccl
from cclforge import errors
from pyaccl import ACCLReduceFunctions, ACCLStreamFlags, accl

documented = unittest.skipUnless(
    os.path.isdir(reference.DOCUMENTS), "no documents of ACCL there: " + os.path.normpath(reference.DOCUMENTS))

RANKS = 3


class API(unittest.TestCase):
    def test_everything_of_the_reference_is_there(self):
        classes = reference.api()
        found = 0
        for (module, name), document in classes.items():
            importlib.import_module(module)
            made = getattr(sys.modules[module], name)
            self.assertIn(document["base"], [b.__name__ for b in made.__mro__], name)
            if document["base"] == "IntEnum":
                self.assertEqual({n: made[n].value for n in document["values"]}, document["values"])
                for member, value in document["values"].items():
                    self.assertEqual(made(value).name, member)  # and no alias
                found += len(document["values"])
                continue
            constructor = made.__new__ if name == "ACCLBuffer" else made.__init__
            self.compare(name, constructor, document["parameters"])
            for method, text in document["methods"].items():
                self.compare(name + "." + method, getattr(made, method), text)
                found += 1
            for prop in document["properties"]:
                self.assertIsInstance(getattr(made, prop), property)
                found += 1
        # What the document has: a parser that finds less fails.
        self.assertEqual((len(classes), found), (7, 55))

    def compare(self, what, function, text):
        want = reference.parameters(text)
        got = list(inspect.signature(function).parameters.values())[1:]
        self.assertEqual([p.name for p in got], [name for name, _ in want], what)
        for p, (_, default) in zip(got, want):
            if default is None:
                self.assertIs(p.default, inspect.Parameter.empty, what)
            elif default.startswith("{"):
                pairs = [pair for pair, _ in reference.parameters(default[1:-1].replace(": <", "=<"))]
                self.assertEqual([repr(pair) for pair in p.default], pairs, what)
                for value in p.default.values():
                    self.assertIsInstance(value, pyaccl.ACCLArithConfig)
            else:
                names = {"ACCLStreamFlags": ACCLStreamFlags}
                numpy_type = default == "<class 'numpy.float32'>"
                self.assertEqual(p.default, np.float32 if numpy_type else eval(default, names), what + p.name)


def each(program, **options):
    """Runs program(instance, rank) for all ranks."""
    instances = [accl(RANKS, r, sim_mode=True, **options) for r in range(RANKS)]
    failed = []

    def run(r):
        try:
            program(instances[r], r)
        except BaseException as error:
            failed.append(error)
    threads = [threading.Thread(target=run, args=(r,)) for r in range(RANKS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for instance in instances:
        instance.deinit()
    if failed:
        raise failed[0]


class Operations(unittest.TestCase):
    def test_against_numpy(self):
        n = 64
        ramp = [np.arange(n, dtype=np.float32) + r for r in range(RANKS)]
        total = sum(ramp)

        def program(a, r):
            s, d = a.allocate((n,)), a.allocate((n,))
            wide, all_ = a.allocate((RANKS, n)), a.allocate((RANKS * n,))
            s[:], wide[:] = ramp[r], ramp
            fresh = lambda b: b.fill(0)

            a.copy(s, d, n)
            np.testing.assert_array_equal(d, ramp[r])
            a.combine(n, ACCLReduceFunctions.SUM, s, wide[1], d)
            np.testing.assert_array_equal(d, ramp[r] + ramp[1])
            a.combine(n, ACCLReduceFunctions.MAX, s, wide[1], d)
            np.testing.assert_array_equal(d, np.maximum(ramp[r], ramp[1]))
            a.nop()
            a.barrier()
            a.allreduce(s, d, n, ACCLReduceFunctions.SUM)
            np.testing.assert_array_equal(d, total)
            handle = a.allreduce(s, d, n / 4, 0, compress_dtype=np.float16, run_async=True)
            handle.wait()
            np.testing.assert_array_equal(d[:n // 4], total[:n // 4])
            fresh(d)
            a.reduce(s, d, n, 1, ACCLReduceFunctions.SUM)
            np.testing.assert_array_equal(d, total if r == 1 else np.zeros(n))
            a.reduce_scatter(wide, d, n, ACCLReduceFunctions.SUM)
            np.testing.assert_array_equal(d, RANKS * ramp[r])
            a.gather(s, all_, n, 2)
            np.testing.assert_array_equal(all_, np.concatenate(ramp) if r == 2 else np.zeros(n * RANKS))
            fresh(all_)
            a.allgather(s, all_, n)
            np.testing.assert_array_equal(all_, np.concatenate(ramp))
            a.scatter(wide, d, n, 0)
            np.testing.assert_array_equal(d, ramp[r])
            d[:] = ramp[r]
            a.bcast(d, n, 1)
            np.testing.assert_array_equal(d, ramp[1])
            if r == 0:
                a.send(s, n, 1, tag=4)
                a.send(s, n, 2)
                self.assertIsNone(a.split_communicator([1, 2]))
                return
            a.recv(d, n, 0, tag=4 if r == 1 else 0xFFFFFFFF)
            np.testing.assert_array_equal(d, ramp[0])
            pair = a.split_communicator([1, 2])
            a.allreduce(s, d, n, 0, comm_id=pair)
            np.testing.assert_array_equal(d, ramp[1] + ramp[2])
        each(program, bufsize=4096, nbufs=8)

    def test_memory_of_the_engine(self):
        a = accl(1, 0, sim_mode=True)
        self.addCleanup(a.deinit)
        s, d = a.allocate((3, 4), dtype=np.int32), a.allocate((12,), np.int32)
        s[:] = 7
        s.sync_to_device()
        s[:] = 0
        a.copy(s, d, 12, from_fpga=True, to_fpga=True)
        self.assertEqual(d.sum(), 0)
        d[6:].sync_from_device()
        self.assertEqual(list(d), [0] * 6 + [7] * 6)
        self.assertEqual(s[1:].device_address - s.device_address, 16)
        there = a.allocate((16,), physical_address=s.device_address + (1 << 20), prealloc=False)
        self.assertEqual(there.device_address, s.device_address + (1 << 20))
        with self.assertRaises(ValueError):
            _ = (s + 1).device_address

    def test_kernel_streams(self):
        """A message of the stream of one engine to that of another, which leads back into it."""
        a = accl(1, 0, sim_mode=True)
        self.addCleanup(a.deinit)
        s, d = a.allocate((16,)), a.allocate((16,))
        s[:] = range(16)
        a.send(s, 16, 0, tag=9, stream_flags=ACCLStreamFlags.RES_STREAM)
        a.send(None, 16, 0, stream_flags=ACCLStreamFlags.OP0_STREAM, run_async=True)
        a.recv(d, 16, 0)
        np.testing.assert_array_equal(d, s)

    def test_running_server(self):
        """Each instance names its socket; a second program finds the engines as the first did."""
        port = os.environ.get("CCLFORGE_TEST_SERVER")
        if port is None:
            self.skipTest("the test in Go starts a server")
        for _ in range(2):
            instances = [accl(RANKS, r, sim_mode=True, sim_sock="tcp://127.0.0.1:{}".format(int(port) + r))
                         for r in range(RANKS)]
            s, d = instances[2].allocate((4,)), instances[0].allocate((4,))
            s[:] = 3
            instances[2].send(s, 4, 0)
            instances[0].recv(d, 4, 2)
            self.assertEqual(d.sum(), 12)
            for instance in instances:
                instance.deinit()

    def test_bad_input(self):
        a = accl(RANKS, 0, sim_mode=True, bufsize=2048)
        s = a.allocate((8,))
        for call, error, text in [
            (lambda: accl(RANKS, RANKS), errors.RankError, "rank 3 of 3"),
            (lambda: accl(RANKS, 1, ranks=[{}]), ValueError, "1 ranks of 3"),
            (lambda: accl(RANKS, 1, sim_mode=True, bufsize=4096), ValueError, "bufsize (2048 and 4096)"),
            (lambda: accl(RANKS, 1, sim_mode=True, sim_sock="localhost"), ValueError, "tcp://host:port"),
            (lambda: accl(RANKS, 1, sim_mode=True, cclo_idx=2), ValueError, "engine 2"),
            (lambda: a.copy(s, s, 2.5), TypeError, ""),
            (lambda: a.copy(s, s, 9), errors.CountError, "room for 8"),
            (lambda: a.allreduce(s, s, 8, 17), errors.ReductionError, "17"),
            (lambda: a.send(s, 8, 1, comm_id=1), ValueError, "comm_id is 1"),
            (lambda: a.send(s, 8, 1, stream_flags=4), errors.OptionError, "4"),
            (lambda: a.send(s, 8, 1, compress_dtype=np.int32), errors.TypeError, "float32 and int32"),
            (lambda: a.bcast(s.astype(np.int8), 8, 0), errors.TypeError, "int8"),
            (lambda: pyaccl.ACCLBuffer((3,)), ValueError, "allocate()"),
        ]:
            with self.assertRaises(error) as raised:
                call()
            self.assertIn(text, str(raised.exception))
        a.deinit()
        a.deinit()
        with self.assertRaises(errors.ClosedError):
            a.nop()
        wrong = accl(1, 0, sim_mode=True, protocol="RDMA")
        with self.assertRaises(errors.UnsupportedError):
            wrong.nop()


# Ranks that mpirun starts need a secret; `cclforge python` sets one.
os.environ.setdefault("CCLFORGE_SECRET", "of the tests of pyaccl")


class Programs(unittest.TestCase):
    """Programs of ACCL's documents, as they stand."""

    def python(self, launcher, *arguments):
        with socket.socket() as free:  # ranks of other jobs of the host meet elsewhere
            free.bind(("127.0.0.1", 0))
            meet = "127.0.0.1:{}".format(free.getsockname()[1])
        done = subprocess.run(launcher + [sys.executable] + list(arguments), env=dict(os.environ, CCLFORGE_MEET=meet),
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def mpirun(self, n):
        if shutil.which("mpirun") is None or importlib.util.find_spec("mpi4py") is None:
            self.skipTest("no mpirun with mpi4py: apt-get install openmpi-bin python3-mpi4py")
        return ["mpirun", "--oversubscribe", "--allow-run-as-root", "-np", str(n)]

    @documented
    def test_code_is_found(self):
        for name, timed in ("collectives-notebook.md", 0), ("performance-notebook.md", 12):
            code = reference.program(name)
            self.assertEqual((code.count("__timeit__"), code.count(".deinit()")), (timed, 1))

    @documented
    def test_collectives(self):
        names = reference.run("collectives-notebook.md")
        np.testing.assert_array_equal(names["res_buffers"][3], np.arange(1000, dtype=np.float32) * 4)

    @documented
    def test_performance(self):
        reference.run("performance-notebook.md")

    @documented
    def test_collectives_by_each_rank_of_mpirun(self):
        out = self.python(self.mpirun(2), reference.__file__, "collectives-notebook.md")
        self.assertEqual(out.count("ran collectives-notebook.md"), 2)

    def test_a_rank_in_each_process(self):
        program = os.path.join(os.path.dirname(reference.__file__), "mpi_program.py")
        self.assertEqual(self.python(self.mpirun(3), program), "3 ranks agree\n")


if __name__ == "__main__":
    unittest.main()
