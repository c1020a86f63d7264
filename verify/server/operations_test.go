package server_test

// collectives makes calls of all kinds of arguments on n elements, in device or host memory,
// and converted on the wire or not.
func (c *client) collectives(n int, host, compress bool) {
	size, me := c.size, c.rank
	next, previous := uint32((me+1)%size), uint32((me+size-1)%size)
	root := uint32(size - 1)
	base := call{count: uint32(n), comm: c.comm, tag: tagAny, arith: c.float}
	if compress {
		base.arith, base.compression = c.mix, ethCompressed
	}
	in, out := c.floats(elements(me, n), host), c.allocate(4*n, host)
	from, to, both := uint32(0), uint32(0), uint32(0)
	if host {
		from, to, both = op0Host, resHost, op0Host|op1Host|resHost
	}
	make := func(scenario uint32, stream uint32, op0, op1, res uint64) call {
		k := base
		k.scenario, k.stream, k.op0, k.op1, k.res = scenario, stream, op0, op1, res
		return k
	}
	send, recv := make(opSend, from, in, 0, 0), make(opRecv, to, 0, 0, out)
	send.peer, recv.peer, send.tag, recv.tag = next, previous, 7, 7
	c.exchange(send, recv)
	c.expect("recv", out, host, n, func(i int) float32 { return element(int(previous), i) })

	k := make(opReduce, from|to, in, 0, out)
	k.peer, k.function = root, maximum
	c.do(k)
	if uint32(me) == root {
		c.expect("reduce", out, host, n, func(i int) float32 { return element(size-1, i) })
	}

	c.do(make(opAllReduce, both, in, out, out))
	c.expect("allreduce", out, host, n, func(i int) float32 { return total(size, i) })

	barrier := call{scenario: opBarrier, comm: c.comm, tag: tagAny}
	if !c.polls { // clients of 2022 pass a scratch buffer
		barrier.op0, barrier.arith = c.allocate(64, false), c.float
	}
	c.do(barrier)
}

// exchange sends and receives: at the same time if calls can be placed without
// waiting for them.
func (c *client) exchange(send, recv call) {
	if !c.polls {
		if c.rank%2 != 0 {
			send, recv = recv, send
		}
		c.do(send)
		c.do(recv)
		return
	}
	c.begin(send)
	c.begin(recv)
	for range 2 {
		if code := c.finish(); code != 0 {
			c.fail("send or recv: return code %#x", code)
		}
	}
}

// local makes the calls that involve no other rank.
func (c *client) local(n int) {
	in, other, out := c.floats(elements(c.rank, n), false), c.floats(elements(c.rank+3, n), false), c.allocate(4*n, false)
	c.do(call{scenario: opNop})
	c.do(call{scenario: opCopy, count: uint32(n), arith: c.float, op0: in, res: out})
	c.expect("copy", out, false, n, func(i int) float32 { return element(c.rank, i) })
	c.do(call{scenario: opCombine, count: uint32(n), arith: c.float, function: sum, op0: in, op1: other, res: out})
	c.expect("combine", out, false, n, func(i int) float32 { return element(c.rank, i) + element(c.rank+3, i) })
	c.do(call{scenario: opCombine, count: uint32(n), arith: c.float, function: maximum, op0: in, op1: other, res: out})
	c.expect("combine", out, false, n, func(i int) float32 { return element(c.rank+3, i) })
	// To 16 bits and back.
	half := c.allocate(2*n, false)
	c.do(call{scenario: opCopy, count: uint32(n), arith: c.mix, compression: resCompressed, op0: in, res: half})
	c.do(call{scenario: opCopy, count: uint32(n), arith: c.mix, compression: op0Compressed, op0: half, res: out})
	c.expect("copy through 16 bits", out, false, n, func(i int) float32 { return element(c.rank, i) })
	// A failure is a return code: there is no function 9.
	if code := c.code(call{scenario: opCombine, count: 1, arith: c.float, function: 9, op0: in, op1: other,
		res: out}); code != 1<<19 {
		c.fail("combine with function 9: return code %#x, not that of ARITH", code)
	}
}
