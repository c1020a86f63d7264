"""What using-accl.md does, with the API of today: a rank in each process that mpirun starts."""

import numpy as np
from mpi4py import MPI

from pyaccl import ACCLReduceFunctions, accl

world = MPI.COMM_WORLD
rank, size, bs = world.Get_rank(), world.Get_size(), 16384
driver = accl(size, rank, nbufs=16, bufsize=bs, sim_mode=True)
txb, rxb = driver.allocate((bs,)), driver.allocate((size * bs,))
txb[:] = np.arange(bs) % 100 + rank
txb.sync_to_device()

if rank == 0:
    driver.recv(rxb, bs, src=1, tag=1, to_fpga=False)
    assert np.array_equal(rxb[:bs], np.arange(bs) % 100 + 1)
elif rank == 1:
    driver.send(txb, bs, dst=0, tag=1, from_fpga=True)

call = driver.allreduce(txb, rxb, 256, ACCLReduceFunctions.SUM, to_fpga=True, run_async=True)
call.wait()
rxb.sync_from_device()
want = world.allreduce(np.array(txb[:256]))
assert np.array_equal(rxb[:256], want)
driver.allgather(txb, rxb, 256)
assert np.array_equal(rxb[:size * 256], np.concatenate(world.allgather(np.array(txb[:256]))))
world.Barrier()
driver.deinit()
if rank == 0:
    print(size, "ranks agree")
