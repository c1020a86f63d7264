# Plays the drivers of two ranks with libzmq, on a server of 2024 and on one of
# 2022, whose first ports are the arguments. The one of 2024 has a client at its
# kernel streams.
import json
import struct
import sys
import threading
import time

import zmq

LIMIT = 20000  # ms
context = zmq.Context()
words = "scenario count comm root_src_dst function arithcfg compression_flags stream_flags addr_0 addr_1 addr_2".split()
empty_call = dict({w: 0 for w in words}, type=5, tag=0xFFFFFFFF)


def connect(kind, port, **options):
    s = context.socket(kind)
    s.setsockopt(zmq.RCVTIMEO, LIMIT)
    s.setsockopt(zmq.LINGER, 0)
    for name, value in options.items():
        s.setsockopt(getattr(zmq, name), value)
    s.connect("tcp://127.0.0.1:%d" % port)
    return s


class Client:
    def __init__(self, base, rank, polls):
        self.socket, self.rank, self.polls, self.free = connect(zmq.REQ, base + rank), rank, polls, 0

    def ask(self, **message):
        self.socket.send_string(json.dumps(message))
        return json.loads(self.socket.recv())

    def good(self, **message):
        reply = self.ask(**message)
        assert reply["status"] == 0, (message, reply)
        return reply

    def read(self, at):
        return self.good(type=0, addr=at)["rdata"]

    def write(self, at, *values):
        for i, v in enumerate(values):
            self.good(type=1, addr=at + 4 * i, wdata=v)
        return at + 4 * len(values)

    def allocate(self, size):
        at, self.free = self.free, self.free + (size + 4095) // 4096 * 4096
        self.good(type=4, addr=at, len=size)
        return at

    def store(self, values):
        at = self.allocate(4 * len(values))
        self.good(type=3, addr=at, wdata=list(struct.pack("<%df" % len(values), *values)))
        return at

    def load(self, at, n):
        return list(struct.unpack("<%df" % n, bytes(self.good(type=2, addr=at, len=4 * n)["rdata"])))

    def call(self, **given):
        message = dict(empty_call, **given)
        if self.polls:
            self.good(ctrl_id=0, **message)
            while True:
                reply = self.ask(type=6, ctrl_id=0)
                if reply["status"] == 0:
                    break
                assert reply["status"] == 1, reply
        else:
            self.good(**message)
        code = self.read(0x1FFC)
        assert code == 0, (given, hex(code))

    def configure(self):
        buffers = 16
        if self.polls:
            self.call(function=0)
            at = 8
            for _ in range(buffers):
                at = self.write(at, 0, self.allocate(4096), 0, 0, 0, 0, 0)
            self.write(4, 4096)
        else:
            assert self.read(0x1FF4) == 0
            at = 4
            for _ in range(buffers):
                at = self.write(at, 0, self.allocate(1024), 0, 1024, 0, 0, 0, 0)
        self.write(0, buffers)
        self.comm = at
        at = self.write(at, 2, self.rank)
        for rank in range(2):
            at = self.write(at, 0x7F000001, 5500 + rank, 0, 0, rank, 1024)
        self.arith = at
        self.write(at, 4, 4, 0, 0, 0, 2, 0, 0, 5)
        if self.polls:
            for i in range(3):
                self.write(0x1FD8 + 8 * i, self.allocate(1 << 20), 0)
            self.write(0x1FC4, 2, 32768, 3, 4, 32768)
        self.write(0x1FF4, 1)
        self.call(function=2, count=1000000.0)
        self.call(function=1)
        if self.polls:
            self.call(function=3, count=4096)
            self.call(function=4, count=1 << 20)
        else:
            self.call(function=5, count=1)
            self.call(function=3, comm=self.comm)
            self.call(function=4, comm=self.comm)

    def allreduce(self, n):
        source, result = self.store([(self.rank + 1.0) * (i % 50) for i in range(n)]), self.allocate(4 * n)
        self.call(scenario=10, count=float(n), comm=self.comm, arithcfg=self.arith, addr_0=source, addr_2=result)
        assert self.load(result, n) == [3.0 * (i % 50) for i in range(n)]


def together(clients, f):
    errors = []

    def run(client):
        try:
            f(client)
        except BaseException as e:
            errors.append("rank %d: %r" % (client.rank, e))

    threads = [threading.Thread(target=run, args=(c,)) for c in clients]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors, errors


def play(base, polls):
    clients = [Client(base, rank, polls) for rank in range(2)]
    together(clients, Client.configure)
    for n in 1, 256, 5000:
        together(clients, lambda c: c.allreduce(n))
    return clients


def kernel_streams(base, client):
    out = connect(zmq.SUB, base + 4, SUBSCRIBE=b"")
    into = context.socket(zmq.XPUB)
    into.setsockopt(zmq.RCVTIMEO, LIMIT)
    into.setsockopt(zmq.LINGER, 0)
    into.bind("tcp://127.0.0.1:%d" % (base + 6))
    assert into.recv() == b"\x01"  # the server subscribes to everything
    data = list(struct.pack("<64f", *range(64)))
    into.send_multipart([b"0", json.dumps({"data": data}).encode()])
    at = client.allocate(256)
    client.call(scenario=1, count=64, arithcfg=client.arith, stream_flags=1, addr_2=at)
    assert client.load(at, 64) == [float(i) for i in range(64)]
    client.call(scenario=3, count=64, comm=client.comm, tag=9, arithcfg=client.arith, stream_flags=2, addr_0=at)
    tdest, message = out.recv_multipart()
    assert tdest == b"9" and json.loads(message)["data"] == data, (tdest, message)


def dealers(base, clients):
    # A receive that waits is overtaken by what can be done.
    d = connect(zmq.DEALER, base, HEARTBEAT_IVL=20, HEARTBEAT_TIMEOUT=5000, IDENTITY=b"me")
    first = clients[0]
    recv = dict(empty_call, scenario=4, count=4, comm=first.comm, root_src_dst=1, arithcfg=first.arith, addr_2=first.allocate(16))
    d.send_multipart([b"one", b"", json.dumps(recv).encode()])
    d.send_multipart([b"two", b"", b'{"type": 0, "addr": 8184}'])
    assert d.recv_multipart()[:2] == [b"two", b""]
    time.sleep(0.1)  # heartbeats come and go
    clients[1].call(scenario=3, count=4, comm=first.comm, arithcfg=first.arith, addr_0=0)
    envelope, empty, reply = d.recv_multipart()
    assert envelope == b"one" and empty == b"" and json.loads(reply) == {"status": 0, "retcode": 0}, reply


def strangers(base24, base22):
    for base, polls in (base24, False), (base22, True):
        reply = Client(base, 0, polls).ask(**dict(empty_call, scenario=255, **({"ctrl_id": 0} if polls else {})))
        assert reply["status"] < 0 and "accl-20" in reply["error"], reply


base24, base22 = int(sys.argv[1]), int(sys.argv[2])
of24, of22 = play(base24, True), play(base22, False)
kernel_streams(base24, of24[0])
dealers(base22, of22)
strangers(base24, base22)
