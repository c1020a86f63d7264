"""Calls in flight, and calls that are prepared."""

import ctypes

from ._abi import C

_ints = ctypes.c_int64


class Request:
    """A call that may be in flight. It has its arrays until it was waited for: do not touch them before.

    As a context manager it waits, and frees a prepared call.
    """

    def __init__(self, comm, handle, arrays, prepared):
        self._comm, self._handle, self._arrays, self._prepared = comm, handle, arrays, prepared
        if not prepared:
            comm.world._flying.add(self)

    def start(self):
        """Makes a prepared call, again if the one before was waited for. Returns the request."""
        C.restart(self._handle)
        self._comm.world._flying.add(self)
        return self

    def wait(self):
        """Waits for the call. Its error is raised once."""
        try:
            C.wait(ctypes.byref(self._handle))
        finally:
            self._over()

    def test(self):
        """Whether the call is done, which raises its error. Does not wait."""
        done = ctypes.c_int()
        try:
            C.test(ctypes.byref(self._handle), ctypes.byref(done))
        except Exception:
            self._over()
            raise
        if done.value:
            self._over()
        return bool(done.value)

    def free(self):
        """Gives a prepared call up, which must not be in flight."""
        C.request_free(ctypes.byref(self._handle))
        self._arrays = ()

    def _over(self):
        self._comm.world._flying.discard(self)
        if not self._prepared:
            self._arrays = ()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            self.wait()
        except Exception:
            if kind is None:
                raise
        finally:
            if self._prepared:
                self.free()


def wait_any(requests):
    """Waits for one of the requests that are in flight, and returns its index, None if none is. Raises its error."""
    requests = list(requests)
    handles = (_ints * max(len(requests), 1))(*[r._handle.value for r in requests])
    index = ctypes.c_int(-1)
    try:
        C.wait_any(len(requests), handles, ctypes.byref(index))
    finally:
        if index.value >= 0:
            one = requests[index.value]
            one._handle.value = handles[index.value]
            one._over()
    return index.value if index.value >= 0 else None
