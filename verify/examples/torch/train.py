"""A small model, trained on several ranks with DistributedDataParallel; rank 0 prints the loss of each step.

    eval "$(out/bin/cclforge python u55c_tcp)"
    python3 verify/examples/torch/train.py     # or torchrun --nproc_per_node=4 verify/examples/torch/train.py
"""

import argparse
import os

import torch
import torch.distributed as dist
from torch import nn

import cclforge.torch

parser = argparse.ArgumentParser()
parser.add_argument("--backend", default="cclforge", help="cclforge, or gloo to compare")
parser.add_argument("--ranks", type=int, default=4, help="without torchrun")
parser.add_argument("--steps", type=int, default=10)
parser.add_argument("--wire", help="type to which gradients are compressed between ranks: float16")


def train(given):
    dist.init_process_group(given.backend)
    rank = dist.get_rank()
    gradients = None  # the group that adds them up; None for that of all ranks
    if given.wire:
        gradients = dist.new_group(pg_options=cclforge.torch.Options(wire=given.wire))

    torch.manual_seed(1)  # the same model on all ranks
    model = nn.Sequential(nn.Linear(16, 64), nn.Tanh(), nn.Linear(64, 1))
    model = nn.parallel.DistributedDataParallel(model, process_group=gradients)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    data = torch.Generator().manual_seed(rank)  # other data on each

    for step in range(given.steps):
        x = torch.randn(32, 16, generator=data)
        y = torch.tanh(x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()  # engines add up the gradients
        optimizer.step()
        mean = loss.detach().clone()
        dist.all_reduce(mean)
        if rank == 0:
            print("step {}: loss {:.9f}".format(step, mean.item() / dist.get_world_size()), flush=True)
    dist.destroy_process_group()


def start(rank, given, port):
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(given.ranks), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    train(given)


if __name__ == "__main__":
    given = parser.parse_args()
    if "RANK" in os.environ:
        train(given)
    else:
        torch.multiprocessing.spawn(start, (given, cclforge.torch.free_port()), given.ranks)
