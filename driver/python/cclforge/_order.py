"""The order of calls of several groups of ranks, which programs make without waiting.

A group makes its calls one after another, and one begins when all ranks have come to it: an engine waits for others
only as long as its platform says, a program as long as it wants. Ranks tell each other through a store of keys that
all reach, as `torch.distributed` has one. Groups of the same ranks have one communicator of the engine, a `Lane`;
the last rank that comes says in the store whose turn it is. Messages go in the order in which receivers take them.

One thread, of an `Order`, makes all calls of a process. It looks at the store again and again: what waits inside the
store would keep the program from using it. The store has counters, of which 0 is none, and is looked at by adding 0.
A call is a generator that yields requests of the engine.
"""

import collections
import copy
import threading
import time
import weakref

from . import errors

_SHORTEST, _LONGEST = 20e-6, 2e-3  # pauses between looks at the store, in seconds
_LOOK_AROUND = 1.0  # seconds after which a call that waits looks for the reason
_LEAVING = 10.0  # seconds for which the rank with the store waits for others at the end
_MOST = 8  # receives at the engine at the same time, which works on 32 calls


class Agreed(Exception):
    """Has an error that all ranks have found alike, after which a group goes on."""


class Call:
    """Something that is to be done: `steps` is a generator, `done(result, error)` is called once."""

    def __init__(self, what, group, steps, done):
        self.what, self.group, self.steps, self.done = what, group, steps, done
        self.deadline = time.monotonic() + group.timeout
        self.look = time.monotonic() + _LOOK_AROUND
        self.request = None
        self.alone = False  # whether those after it go on if it fails

    def end(self, result=None, error=None):
        done, self.done, self.steps = self.done, None, None
        if done is not None:  # frames of the traceback have the group, which would not go
            done(result, error and error.with_traceback(None))


class Lane:
    """A communicator of the engine, and whose turn it is."""

    def __init__(self, comm, key):
        self.comm, self.key, self.turn, self.busy = comm, key, 1, False


class Group:
    """A group of ranks, as one of them has it. `ranks` are those of the world, `store` is its own."""

    def __init__(self, order, name, store, rank, ranks, timeout):
        self.order, self.name, self.store, self.timeout = order, name, store, timeout
        self.rank, self.ranks = rank, ranks
        self.lane = order.lane(ranks)
        self.calls = collections.deque()  # that wait for their turn
        self.come = self.seen = 0  # calls to which this rank has come, and of which others know that it went on
        self.passed = 0  # calls that have begun
        self.turn = None  # of the first call, once all have come
        self.failed = None
        self.sent, self.taken = collections.Counter(), collections.Counter()  # messages, by rank and tag

    def meet(self):
        """Whether all ranks have come to the first call, and it is its turn."""
        if self.turn is None and len(self.ranks) == 1:
            self.turn = self.lane.turn
        if self.turn is None:
            mine = self.come == self.passed
            if mine:
                self.come += 1
                if self.store.add("come", 1) == self.come * len(self.ranks):
                    self.turn = self.order.store.add(self.lane.key, 1)
                    self.store.add("turn/%d" % self.come, self.turn)
            if self.turn is None:
                self.turn = self.store.add("turn/%d" % self.come, 0) or None
        return self.turn is not None and self.turn == self.lane.turn and not self.lane.busy

    def late(self, call):
        """The reason for which a call that waits will not begin, if there is one."""
        now = time.monotonic()
        if now < min(call.look, call.deadline):
            return None
        call.look = now + _LOOK_AROUND
        if self.store.add("failures", 0):
            return errors.Error(self.store.get("failure").decode())
        self.order.look()
        if now < call.deadline:
            return None
        here = ""
        if len(self.ranks) > 1 and self.come > self.passed:
            here = ": {} of {} ranks have come".format(
                self.store.add("come", 0) - self.passed * len(self.ranks), len(self.ranks))
        return TimeoutError("{} did not begin within {:g} s{}".format(call.what, self.timeout, here))

    def fail(self, call, error):
        """Ends a call with an error. A collective's ends those after it, too, and tells the others."""
        if self.failed is None and not call.alone:
            self.failed = copy.copy(error)
            if len(self.ranks) > 1:
                self.order.attempt(lambda: self.tell_failure("rank {} of {}: {}: {}".format(
                    self.rank, len(self.ranks), call.what, error)))
        call.end(error=error)

    def tell_failure(self, text):
        self.store.add("come", -self.come)  # no later call has all ranks
        self.store.set("failure", text)
        self.store.add("failures", 1)

    def tell(self):
        """Tells rank 0 that this rank has seen all turns, and deletes what nobody needs."""
        if self.passed > self.seen and len(self.ranks) > 1:
            if self.rank == 0:
                for k in range(max(self.seen, 1), self.passed):  # all have come to the last one
                    self.store.delete_key("turn/%d" % k)
            self.store.add("seen", self.passed - self.seen)
            self.seen = self.passed


class Message(Call):
    """A message of a group. `peers` are those that it may come from, or the one to which it goes."""

    def __init__(self, what, group, sends, peers, tag, size, steps, done):
        super().__init__(what, group, None, done)
        self.sends, self.peers, self.tag, self.size, self.begin = sends, peers, tag, size, steps
        self.alone = True
        self.peer, self.key, self.turn = None, None, None

    def _key(self, way, source, to, number):
        return "{}/{}/{}/{}/{}".format(way, source, to, self.tag, number)

    def announce(self):
        """The sender says that there is a message, and how large it is."""
        g, to = self.group, self.peers[0]
        number = g.sent[to, self.tag]
        g.sent[to, self.tag] += 1
        self.peer, self.key = to, self._key("take", g.rank, to, number)
        g.store.add(self._key("send", g.rank, to, number), self.size + 1)

    def ready(self, taken):
        """Whether both ranks are there. `taken` are the peers and tags that receives before this one wait for."""
        return self._sent() if self.sends else self._found(taken)

    def _sent(self):
        g = self.group
        if self.turn is None:
            answer = g.store.add(self.key, 0)
            if answer == 0:
                return False
            g.store.delete_key(self.key)
            if answer < 0:
                raise self._mismatch(g.rank, self.size, self.peer, -answer - 1)
            self.turn = answer
        of = g.ranks[self.peer]
        if self.turn != g.order.sent[of] + 1:
            return False
        g.order.sent[of] += 1
        return True

    def _found(self, taken):
        g = self.group
        free = [p for p in self.peers if (g.name, p, self.tag) not in taken]
        taken.update((g.name, p, self.tag) for p in self.peers)
        for source in free:
            number = g.taken[source, self.tag]
            key = self._key("send", source, g.rank, number)
            size = g.store.add(key, 0) - 1
            if size < 0:
                continue
            g.store.delete_key(key)
            g.taken[source, self.tag] += 1
            self.peer = source
            answer = self._key("take", source, g.rank, number)
            if size != self.size:
                g.store.add(answer, -self.size - 1)
                raise self._mismatch(source, size, g.rank, self.size)
            of = g.ranks[source]
            g.order.received[of] += 1
            g.store.add(answer, g.order.received[of])
            return True
        return False

    @staticmethod
    def _mismatch(source, sent, to, received):
        return errors.CountError("rank {} sends {} bytes to rank {}, which receives {}".format(
            source, sent, to, received))


class Order:
    """What a process with one rank of a world has in flight. `store` is that of the world."""

    def __init__(self, world, store):
        self.world, self.store = world, store
        self.sent, self.received = collections.Counter(), collections.Counter()  # messages, by rank of the world
        self._lanes = {}
        self._groups = []
        self._posted = collections.deque()
        self._changed = threading.Condition()
        self._closed = False
        self._messages, self._flying = [], collections.deque()
        self._asides = weakref.WeakSet()
        self._thread = threading.Thread(target=self._run, name="cclforge", daemon=True)
        self._thread.start()

    def lane(self, ranks):
        """The communicator of ranks, for all groups that have the same."""
        key = ",".join(map(str, ranks))
        if key not in self._lanes:
            whole = list(ranks) == list(range(self.world.comm.size))
            comm = self.world.comm if whole else self.world.comm.create(ranks)
            self._lanes[key] = Lane(comm, "lane/" + key)
        return self._lanes[key]

    def join(self, name, store, rank, ranks, timeout):
        """A new group."""
        group = Group(self, name, store, rank, ranks, timeout)
        with self._changed:
            self._groups.append(group)
        return group

    def post(self, call):
        """Has a call made, after those before it."""
        with self._changed:
            closed = self._closed
            if not closed:
                self._posted.append(call)
                self._changed.notify()
        if closed:
            call.end(error=errors.ClosedError("the process group is destroyed"))

    def aside(self, what):
        """Does something that may wait for calls, which the thread that makes them must not."""
        thread = threading.Thread(target=what, name="cclforge aside", daemon=True)
        with self._changed:
            self._asides.add(thread)
        thread.start()

    def look(self):
        """Raises if a rank has left."""
        if not self._flying:
            self.world.comm.nop()

    def attempt(self, what):
        """Does something with the store, which may be gone with the process that had it."""
        try:
            return what()
        except Exception:
            return None

    def close(self):
        """Ends what is in flight, and closes the world. The rank that has the store is the last to leave."""
        with self._changed:
            if self._closed:
                return
            self._closed = True
            self._changed.notify()
        idle = not self._flying
        if idle:
            self._join()
            self._leave()
        self.world.close()
        if not idle:
            self._join()
        with self._changed:
            asides = list(self._asides)
        for thread in asides:  # all have an error now; one that is left aborts the process at its end
            if thread is not threading.current_thread():
                thread.join(_LEAVING)

    def _join(self):
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _leave(self):
        for group in self._groups:
            if self.attempt(lambda: group.tell() or True) is None:
                return
        end = time.monotonic() + _LEAVING
        for group in self._groups:
            want = group.passed * len(group.ranks)
            while (group.rank == 0 and len(group.ranks) > 1 and group.failed is None and time.monotonic() < end
                   and self.attempt(lambda: int(group.store.add("seen", 0))) not in (None, want)):
                time.sleep(_LONGEST)

    def _run(self):
        since = time.monotonic()
        while self._take():
            if self._step():
                since = time.monotonic()
            elif self._flying and not self._waiting():
                self._finish(wait=True)  # nothing else can happen before
            else:
                time.sleep(min(max((time.monotonic() - since) / 8, _SHORTEST), _LONGEST))

    def _waiting(self):
        """Whether something waits for other ranks to come."""
        return bool(self._messages) or any(g.calls and g.calls[0].request is None for g in self._groups)

    def _take(self):
        """Takes what was posted; waits for it if there is nothing else. False at the end."""
        with self._changed:
            posted = list(self._posted)
            self._posted.clear()
        if not posted and not self._flying and not self._waiting():
            with self._changed:
                busy = self._changed.wait_for(lambda: self._posted or self._closed, _LONGEST)
            if not busy:
                for group in list(self._groups):
                    self.attempt(group.tell)
            with self._changed:
                self._changed.wait_for(lambda: self._posted or self._closed)
                posted = list(self._posted)
                self._posted.clear()
        for call in posted:
            if not isinstance(call, Message):
                call.group.calls.append(call)
                continue
            self._messages.append(call)
            if call.sends:
                self._guard(call, call.announce)
        if self._closed:
            self._abandon(posted)
            return False
        return True

    def _abandon(self, posted):
        left = list(self._flying) + self._messages + [c for g in self._groups for c in g.calls]
        for call in left:
            call.end(error=errors.ClosedError("the process group is destroyed"))
        self._flying.clear()
        self._messages.clear()
        for group in self._groups:
            group.calls.clear()

    def _guard(self, call, what):
        """Does something for a message; an error is that of the message."""
        try:
            return what()
        except Exception as error:
            if call in self._messages:
                self._messages.remove(call)
            call.group.fail(call, error)
            return None

    def _step(self):
        """Does what can be done now. Whether that was anything."""
        moved = False
        for group in list(self._groups):
            moved |= self._collective(group)
        moved |= self._pass_on()
        while self._flying and self._finish(wait=False):
            moved = True
        return moved

    def _collective(self, group):
        if not group.calls:
            return False
        call = group.calls[0]
        if call.request is not None:
            return False
        try:
            if group.failed is not None:
                raise copy.copy(group.failed)
            if not group.meet():
                late = group.late(call)
                if late is None:
                    return False
                raise late
        except Exception as error:
            group.calls.popleft()
            group.fail(call, error)
            return True
        group.lane.busy = True
        group.passed += 1
        self._advance(call)
        return True

    def _pass_on(self):
        """Begins messages for which both ranks are there."""
        moved, taken = False, set()
        for call in list(self._messages):
            if not call.sends and sum(not c.sends for c in self._flying if isinstance(c, Message)) >= _MOST:
                continue
            ready = self._guard(call, lambda: call.ready(taken))
            if call.done is None:
                moved = True
            elif ready:
                self._messages.remove(call)
                call.steps = call.begin(call.peer)
                self._advance(call)
                moved = True
            else:
                late = self._guard(call, lambda: self._late(call))
                moved |= late is not None
        return moved

    def _late(self, call):
        late = call.group.late(call)
        if late is not None:
            raise late

    def _advance(self, call):
        """Goes on with a call whose request is done, or which begins."""
        try:
            call.request = next(call.steps)
        except StopIteration as end:
            self._over(call)
            call.end(end.value)
        except Agreed as error:
            self._over(call)
            call.end(error=error.args[0])
        except Exception as error:
            self._over(call)
            call.group.fail(call, error)
        else:
            self._flying.append(call)

    def _finish(self, wait):
        """Goes on with the call whose request was started first, which ends first. False if it is not done."""
        call = self._flying[0]
        try:
            if wait:
                call.request.wait()
            elif not call.request.test():
                return False
        except Exception as error:
            self._flying.popleft()
            self._over(call)
            call.group.fail(call, error)
        else:
            self._flying.popleft()
            self._advance(call)
        return True

    def _over(self, call):
        """A collective makes room for the next one."""
        if isinstance(call, Message):
            return
        group = call.group
        group.calls.popleft()
        group.turn = None
        group.lane.turn += 1
        group.lane.busy = False
