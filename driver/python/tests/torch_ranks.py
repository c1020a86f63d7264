"""Tests of cclforge.torch: each operation against gloo and against plain arithmetic.

The arguments are the number of ranks and "sample" or "everything", of which each rank says how many cases there were,
or "wire".
"""

import datetime
import itertools
import os
import sys
import tempfile

import torch
import torch.distributed as dist
from torch.distributed import ReduceOp

import cclforge
import cclforge.torch

EVERY_TYPE = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.int64, torch.int16,
              torch.int8, torch.uint8, torch.bool]
INTEGERS = [torch.int32, torch.int64, torch.int16, torch.int8, torch.uint8]
REDUCTIONS = {
    "SUM": lambda a: a.sum(0), "PRODUCT": lambda a: a.prod(0), "MAX": lambda a: a.amax(0), "MIN": lambda a: a.amin(0),
    "AVG": lambda a: a.sum(0), "BAND": None, "BOR": None, "BXOR": None,
}
BITWISE = {"BAND": torch.bitwise_and, "BOR": torch.bitwise_or, "BXOR": torch.bitwise_xor}
SHAPES = [(), (0,), (7,), (1000,), (6, 5)]
cases = wrong = by_gloo = 0


def data(rank, shape, dtype, salt=0):
    """Small whole numbers, of which every type has the sums and products, in any order."""
    n = int(torch.tensor(shape).prod()) if shape else 1
    values = (torch.arange(n) * 7 + rank * 3 + salt) % 4
    return values.reshape(shape).to(dtype)


def crossed(tensor):
    """The same tensor, not contiguous."""
    return tensor.t().contiguous().t() if tensor.dim() == 2 else tensor


def reduced(name, parts):
    if name in BITWISE:
        total = parts[0]
        for p in parts[1:]:
            total = BITWISE[name](total, p)
        return total
    dtype = parts[0].dtype
    wide = REDUCTIONS[name](torch.stack(parts).to(torch.int64))
    if name == "AVG":
        return (wide.double() / len(parts)).to(dtype)
    return wide.to(dtype)


def check(what, got, want):
    global cases, wrong
    for g, w in zip(got, want):
        cases += 1
        if g.dtype != w.dtype or g.shape != w.shape or not torch.equal(g, w):
            wrong += 1
            print("rank {}: {}: {} is not {}".format(dist.get_rank(), what, g.flatten()[:8], w.flatten()[:8]),
                  flush=True)


def compare(what, call, make, want, gloo, reference):
    """A call on new tensors, waited for at once and later, and the same by gloo if that has it."""
    global by_gloo
    for later in False, True:
        tensors = make()
        work = call(*tensors, group=None, async_op=later)
        if later:
            work.wait()
        check((what, later), list(itertools.chain(*[t if isinstance(t, list) else [t] for t in tensors])), want)
    if not reference:
        return
    tensors = make()
    try:
        call(*tensors, group=gloo, async_op=False)
    except (RuntimeError, ValueError):
        return  # gloo does not have it
    by_gloo += 1
    check((what, "gloo"), list(itertools.chain(*[t if isinstance(t, list) else [t] for t in tensors])), want)


def operations(gloo, shapes):
    r, n = dist.get_rank(), dist.get_world_size()
    root = n - 1
    every = range(n)
    no_gloo = {torch.bool, torch.int16, torch.bfloat16}
    for dtype, shape in itertools.product(EVERY_TYPE, shapes):
        has = dtype not in no_gloo and shape != (0,) and shape != ()
        parts = [data(q, shape, dtype) for q in every]
        blocks = [[data(q, shape, dtype, salt=p) for p in every] for q in every]  # of rank q for rank p
        empty = torch.zeros(shape, dtype=dtype)
        own = lambda: crossed(parts[r].clone())
        fresh = lambda: [crossed(empty.clone()) for _ in every]
        what = (str(dtype), shape)
        compare(("broadcast",) + what, lambda t, **k: dist.broadcast(t, root, **k), lambda: [own()],
                [parts[root]], gloo, has)
        compare(("all_gather",) + what, dist.all_gather, lambda: [fresh(), own()], parts + [parts[r]], gloo, has)
        compare(("gather",) + what, lambda t, *o, **k: dist.gather(t, *o, dst=root, **k),
                lambda: [own()] + ([fresh()] if r == root else []), [parts[r]] + parts, gloo,
                has and empty.dim() < 2)  # gloo's is wrong with tensors that are not contiguous
        compare(("scatter",) + what, lambda t, *o, **k: dist.scatter(t, *o, src=root, **k),
                lambda: [crossed(empty.clone())] + ([[crossed(b.clone()) for b in blocks[root]]] if r == root else []),
                [blocks[root][r]], gloo, has)
        compare(("all_to_all",) + what, dist.all_to_all, lambda: [fresh(), [crossed(b.clone()) for b in blocks[r]]],
                [blocks[q][r] for q in every], gloo, False)
        flat = torch.cat([b.flatten() for b in blocks[r]])
        compare(("all_to_all_single",) + what, dist.all_to_all_single, lambda: [torch.zeros_like(flat), flat.clone()],
                [torch.cat([blocks[q][r].flatten() for q in every])], gloo, has)
        compare(("all_gather_into_tensor",) + what, dist.all_gather_into_tensor,
                lambda: [torch.zeros_like(flat), own()], [torch.cat([p.flatten() for p in parts])], gloo, False)
        for name in REDUCTIONS:
            if (name in BITWISE and dtype not in INTEGERS or dtype == torch.bool and name not in ("SUM", "MAX", "MIN")
                    or name == "AVG" and not dtype.is_floating_point):
                continue
            op = getattr(ReduceOp, name)
            of = (name,) + what
            compare(("all_reduce",) + of, lambda t, **k: dist.all_reduce(t, op, **k), lambda: [own()],
                    [reduced(name, parts)], gloo, has)
            compare(("reduce",) + of, lambda t, **k: dist.reduce(t, root, op, **k), lambda: [own()],
                    [reduced(name, parts)] if r == root else [], gloo, has)
            mine = reduced(name, [blocks[q][r] for q in every])
            compare(("reduce_scatter",) + of, lambda o, b, **k: dist.reduce_scatter(o, b, op, **k),
                    lambda: [crossed(empty.clone()), [crossed(b.clone()) for b in blocks[r]]], [mine], gloo, False)
            compare(("reduce_scatter_tensor",) + of, lambda o, b, **k: dist.reduce_scatter_tensor(o, b, op, **k),
                    lambda: [empty.clone(), flat.clone()], [mine], gloo, False)
    dist.barrier()
    several = [torch.full((3,), float(r)), torch.full((2, 2), 1.0)]
    dist.all_reduce_coalesced(several)
    check("all_reduce_coalesced", several, [torch.full((3,), float(sum(every))), torch.full((2, 2), float(n))])
    # Rank q sends q + p + 1 rows to rank p.
    rows = lambda q, p: torch.full((q + p + 1, 3), 10 * q + p, dtype=torch.int16)
    into = torch.zeros((sum(q + r + 1 for q in every), 3), dtype=torch.int16)
    dist.all_to_all_single(into, torch.cat([rows(r, p) for p in every]), [q + r + 1 for q in every],
                           [r + p + 1 for p in every])
    check("all_to_all_single of parts", [into], [torch.cat([rows(q, r) for q in every])])
    z = torch.full((3,), complex(r, 1))
    dist.all_reduce(z)
    check("complex", [z], [torch.full((3,), complex(sum(every), n))])
    large = torch.full((3_000_000,), float(r))
    dist.all_reduce(large)
    check("large", [large], [torch.full((3_000_000,), float(sum(every)))])
    got = [None] * n
    dist.all_gather_object(got, {"rank": r, "text": "x" * r})
    check("objects", [torch.tensor(got == [{"rank": q, "text": "x" * q} for q in every])], [torch.tensor(True)])
    got = [r, "of %d" % r]
    dist.broadcast_object_list(got, src=1)
    check("objects", [torch.tensor(got == [1, "of 1"])], [torch.tensor(True)])


def messages():
    r, n = dist.get_rank(), dist.get_world_size()
    right, left = (r + 1) % n, (r - 1) % n
    got = torch.zeros(5, dtype=torch.int64)
    # All receive first, by tags in another order than that of the sends, and a collective comes in between.
    second, first = torch.zeros(3), torch.zeros((4, 2)).t()
    works = [dist.irecv(second, left, tag=2), dist.irecv(first, left, tag=1)]
    total = torch.ones(2)
    dist.all_reduce(total)
    works += [dist.isend(torch.full((2, 4), float(r)), right, tag=1),
              dist.isend(torch.full((3,), float(-r)), right, tag=2)]
    for work in works:
        work.wait()
    check("messages", [first, second, total], [torch.full((2, 4), float(left)), torch.full((3,), float(-left)),
                                               torch.full((2,), float(n))])
    works = dist.batch_isend_irecv([dist.P2POp(dist.irecv, got, left),
                                    dist.P2POp(dist.isend, torch.arange(5) * r, right)])
    for work in works:
        work.wait()
    check("batch", [got], [torch.arange(5) * left])
    if r == 0:
        sources = set()
        for _ in range(n - 1):
            source = dist.recv(got, tag=9)
            sources.add(source)
            check("from any", [got], [torch.arange(5) + source])
        check("from any", [torch.tensor(sorted(sources))], [torch.arange(1, n)])
    else:
        dist.send(torch.arange(5) + r, 0, tag=9)


def groups():
    r, n = dist.get_rank(), dist.get_world_size()
    halves = [[q for q in range(n) if q % 2 == half] for half in (0, 1)]
    own = [dist.new_group(ranks) for ranks in halves][r % 2]
    t = torch.tensor([float(r)])
    dist.all_reduce(t, group=own)
    check("half", [t], [torch.tensor([float(sum(halves[r % 2]))])])
    if len(halves[r % 2]) > 1:
        t = torch.arange(3.0) * r
        dist.broadcast(t, halves[r % 2][1], group=own)
        check("half", [t], [torch.arange(3.0) * halves[r % 2][1]])
    # Groups of the same ranks: each has its own order, and theirs differs from rank to rank.
    same = [dist.new_group(range(n)) for _ in range(3)]
    works, want = {}, {}
    for k in range(4):
        for g in [(r + j) % 3 for j in range(3)]:
            t = torch.full((100,), float(r + 10 * g + k))
            works[g, k] = dist.all_reduce(t, group=same[g], async_op=True), t
            want[g, k] = torch.full((100,), float(sum(range(n)) + n * (10 * g + k)))
    for key, (work, t) in works.items():
        work.wait()
        check(("same ranks", key), [t], [want[key]])


def callbacks():
    """Calls that wait for others, as hooks of DistributedDataParallel do."""
    n = dist.get_world_size()
    total = dist.all_reduce(torch.ones(2), async_op=True).get_future().then(
        lambda first: dist.all_reduce(first.value()[0], async_op=True).get_future().wait()[0])
    check("callback", [total.wait()], [torch.full((2,), float(n * n))])


def torch_2():
    """What torch 2 asks of a group."""
    r, n, group = dist.get_rank(), dist.get_world_size(), dist.new_group()
    left = (r - 1) % n
    cpu, name = torch.device("cpu"), group.group_name
    known = name == dist.distributed_c10d._pg_names[group] and name != dist.group.WORLD.group_name
    check("group", [torch.tensor(known and group._device_types == [cpu] and group._get_backend(cpu) is group)],
          [torch.tensor(True)])
    every, got = torch.zeros(2 * n), torch.zeros(3)
    own = every.narrow(0, 2 * r, 2)
    own.fill_(r)
    group._start_coalescing(cpu)
    dist.all_gather_into_tensor(every, own, group=group, async_op=True)  # in place, as FSDP does
    dist.irecv(got, left, group=group)
    dist.isend(torch.full((3,), float(r)), (r + 1) % n, group=group)
    group._end_coalescing(cpu).wait()
    check("coalesced", [every, got], [torch.arange(n).repeat_interleave(2).float(), torch.full((3,), float(left))])


def mistakes():
    r, n = dist.get_rank(), dist.get_world_size()

    def fails(what, text, call):
        try:
            call()
        except Exception as error:
            said = "{}: {}".format(type(error).__name__, error)
        else:
            said = "nothing"
        global cases, wrong
        cases += 1
        if text not in said:
            wrong += 1
            print("rank {}: {}: {} does not say {}".format(r, what, said, text), flush=True)

    t = torch.zeros(3)
    fails("a list", "%d tensors for %d ranks" % (n + 1, n), lambda: dist.all_gather([t] * (n + 1), t))
    fails("sparse", "must be dense", lambda: dist.all_reduce(torch.eye(2).to_sparse()))
    fails("sizes", "must be the same", lambda: dist.all_gather([torch.zeros(2)] * n, t))
    fails("itself", "rank %d with rank %d" % (r, r), lambda: dist.send(t, r) if r else dist.recv(t, r))
    if r < 2:
        fails("sizes", "rank 0 sends 12 bytes to rank 1, which receives 20",
              lambda: dist.send(t, 1) if r == 0 else dist.recv(torch.zeros(5), 0))
    fails("parts", "rank 0 sends 4 bytes to rank 0, which receives 8", lambda: dist.all_to_all(
        [torch.zeros(2) for _ in range(n)], [torch.zeros(1) for _ in range(n)]))
    late = dist.new_group(range(n), timeout=datetime.timedelta(milliseconds=200))
    if r == 0:
        fails("alone", "allreduce did not begin within 0.2 s: 1 of %d ranks have come" % n,
              lambda: dist.all_reduce(t, group=late))
        fails("after it", "1 of %d ranks have come" % n, lambda: dist.all_reduce(t, group=late))
    dist.barrier()
    if r == 1:
        fails("told", "rank 0 of", lambda: dist.all_reduce(t, group=late))
    fails("unlike", "COLLECTIVE_MISMATCH", lambda: dist.all_reduce(torch.zeros(100 + r)))
    fails("after it", "COLLECTIVE_MISMATCH", lambda: dist.barrier())


def again(file):
    """A process may open several worlds, one after another. Another kind of store has other rules."""
    r, n = dist.get_rank(), dist.get_world_size()
    dist.destroy_process_group()
    dist.init_process_group("cclforge", init_method="file://" + file, rank=r, world_size=n)
    # Receives of which one begins before another ends are the first that the thread of this world does.
    parameters = [torch.nn.Parameter(crossed(torch.zeros(40, 3000))) for _ in range(4)]
    works = [dist.irecv(p, (r - 1) % n, tag=k) for k, p in enumerate(parameters)]
    works += [dist.isend(torch.full((40, 3000), float(r)), (r + 1) % n, tag=k) for k in range(4)]
    for work in works:
        work.wait()
    check("parameters", [p.detach() for p in parameters], [torch.full((40, 3000), float((r - 1) % n))] * 4)
    t = torch.tensor([r + 1])
    dist.all_reduce(t)
    check("again", [t], [torch.tensor([n * (n + 1) // 2])])


def wire():
    """A sum of which the test counts bytes on the wire. Says how far it is off, where 1 is the bound."""
    n, parts = dist.get_world_size(), []
    for q in range(n):
        parts.append(torch.randn(1 << 18, generator=torch.Generator().manual_seed(q)))
    total = parts[dist.get_rank()].clone()
    dist.all_reduce(total)
    every = torch.stack(parts).double()
    # On its way a value is rounded to the 11 bits of float16 once for each other rank, and once as the result.
    bound = n * 2.0**-11 * every.abs().sum(0)
    print("off by {:.3g}".format(((total - every.sum(0)).abs() / bound).max().item()), flush=True)


def main(rank, n, port, what, file):
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(n), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    dist.init_process_group("cclforge")
    if what == "wire":
        wire()
    else:
        operations(dist.new_group(backend="gloo"), SHAPES if what == "everything" else SHAPES[-1:])
        messages()
        groups()
        callbacks()
        torch_2()
        mistakes()
        again(file)
    dist.barrier()
    dist.destroy_process_group()
    print("{} cases, {} also by gloo, {} wrong".format(cases, by_gloo, wrong), flush=True)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        ranks = int(sys.argv[1])
        torch.multiprocessing.spawn(main, (ranks, cclforge.torch.free_port(), sys.argv[2], folder + "/store"), ranks)
