"""The world whose engines the accl instances of a process are.

It is opened when one of them is used first: by then a process tells whether it has one rank, as under mpirun, or more,
as in a notebook.
"""

import os
import threading
import weakref

import cclforge


class Session:
    _lock = threading.Lock()
    _current = None

    def __init__(self, settings):
        self.settings = settings
        self.ranks, self.instances, self.world = set(), weakref.WeakSet(), None

    @classmethod
    def join(cls, instance, rank, **settings):
        """The session of an instance: that of the others of the process, which must be of the same world."""
        with cls._lock:
            session = cls._current
            if session is None or not session.instances:
                if session is not None:
                    session._close()
                session = cls._current = cls(settings)
            differ = {name: (session.settings[name], value) for name, value in settings.items()
                      if session.settings[name] != value}
            if differ:
                raise ValueError("accl instances of a process are of one world; they differ in {}".format(
                    ", ".join("{} ({!r} and {!r})".format(name, *values) for name, values in differ.items())))
            session.instances.add(instance)
            session.ranks.add(rank)
            return session

    def comm(self, rank):
        """The communicator of all ranks, as a rank of this process has it."""
        with self._lock:
            if self.world is None:
                self.world = self._open()
            comms = self.world.comms
            if len(comms) == self.settings["nranks"]:
                return comms[rank]
            if comms[0].rank != rank:
                raise ValueError("this process was started as rank {} of {}, and is not rank {}".format(
                    comms[0].rank, comms[0].size, rank))
            return comms[0]

    def _open(self):
        s = self.settings
        # A process with several instances has all ranks, also if a launcher has started it as one of them.
        alone = len(self.ranks) > 1 or s["nranks"] == 1
        return cclforge.World(s["world"], ranks=s["nranks"], alone=alone, protocol=s["protocol"],
                              rx_buffers=s["nbufs"], rx_bytes=s["bufsize"])

    def leave(self, instance):
        """Closes the world with its last instance."""
        with self._lock:
            self.instances.discard(instance)
            if not self.instances:
                self._close()

    def _close(self):
        world, self.world = self.world, None
        if world is not None:
            world.close()


def world_of(sim_mode, sim_sock, xclbin, local_rank):
    """The text of the world; None for that of the environment."""
    if sim_mode and sim_sock is not None:
        where, _, port = sim_sock.partition("://")[2].rpartition(":")
        if not sim_sock.startswith("tcp://") or not where or not port.isdigit() or int(port) <= local_rank:
            raise ValueError("sim_sock is {!r}; must be tcp://host:port, the port of rank {}".format(
                sim_sock, local_rank))
        return "sim:{}:{}".format(where, int(port) - local_rank)
    if not sim_mode and xclbin is not None:
        return "card:" + os.fspath(xclbin)
    if os.environ.get(cclforge.ENV_WORLD):
        return None
    if sim_mode:
        return "sim:"
    raise ValueError("no world: sim_mode=True, an xclbin or {} names one".format(cclforge.ENV_WORLD))
