"""Buffers in the memory of an engine."""

import numpy as np


class ACCLBuffer(np.ndarray):
    """A numpy array with a place in the memory of an engine. `accl.allocate` makes it; `target` is the engine's.

    Slices are parts of the place. `zmqsocket` has no meaning: the engine knows its server.
    """

    def __new__(cls, shape, dtype=np.float32, target=None, zmqsocket=None, physical_address=None, prealloc=True):
        if target is None:
            raise ValueError("no target: allocate() of an accl instance makes buffers")
        array = np.zeros(shape, dtype).view(cls)
        array._target = target
        target.register(array, physical_address)
        if prealloc:
            target.to_device(array)
        return array

    def __array_finalize__(self, obj):
        self._target = getattr(obj, "_target", None)

    def _engine(self):
        if self._target is None:
            raise ValueError("the array has no place in the memory of an engine")
        return self._target

    @property
    def device_address(self):
        """Get physical address in FPGA memory"""
        return self._engine().address(self)

    def sync_from_device(self):
        """Copy buffer data in the device to host direction"""
        self._engine().from_device(self)

    def sync_to_device(self):
        """Copy buffer data in the host to device direction"""
        self._engine().to_device(self)
