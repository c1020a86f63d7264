package host

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// Blocks of ports that FreePorts gives lie below those that systems give to
// sockets by themselves. A process that has a block listens at the lock of it.
const (
	locksFrom  = 10000
	blocksFrom = 10400
	blockPorts = 64
	blocks     = 340
)

var held = struct {
	sync.Mutex
	locks map[int]net.Listener
}{locks: map[int]net.Listener{}}

// FreePorts finds n ports in a row that nobody uses, neither TCP nor UDP, for
// tests. No other process is given them until this one has ended.
func FreePorts(n int) (base int, err error) {
	count := (n + blockPorts - 1) / blockPorts
	if n < 1 || count > blocks {
		return 0, fmt.Errorf("find %d free ports: 1 to %d expected", n, blocks*blockPorts)
	}
	held.Lock()
	defer held.Unlock()
	start := rand.IntN(blocks)
	for _, again := range []bool{false, true} { // blocks of earlier calls only if there is nothing else
		for i := range blocks {
			first := (start + i) % blocks
			if first+count > blocks || !hold(first, count, again) {
				continue
			}
			base := blocksFrom + first*blockPorts
			if free(base, n) {
				return base, nil
			}
		}
	}
	return 0, errors.New("find free ports: all are in use")
}

// hold takes the locks of blocks; or says whether this process has them.
func hold(first, count int, again bool) bool {
	for i := first; i < first+count; i++ {
		l, mine := held.locks[i]
		if mine {
			if !again {
				return false
			}
			continue
		}
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(locksFrom+i)))
		if err != nil {
			return false
		}
		held.locks[i] = l
	}
	return true
}

// free reports whether ports can be bound.
func free(base, n int) bool {
	for port := base; port < base+n; port++ {
		at := net.JoinHostPort("", strconv.Itoa(port))
		l, err := net.Listen("tcp4", at)
		if err != nil {
			return false
		}
		l.Close()
		u, err := net.ListenPacket("udp4", at)
		if err != nil {
			return false
		}
		u.Close()
	}
	return true
}
