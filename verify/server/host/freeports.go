package host

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
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
	// enough is how many blocks a process takes before it uses its own again.
	enough = 48
)

// held is what this process has.
var held struct {
	sync.Mutex
	locks []net.Listener
	given []span // the one given last comes last
}

// span is some blocks in a row.
type span struct{ first, count int }

func (s span) base() int { return blocksFrom + s.first*blockPorts }

// FreePorts finds n unused ports in a row, neither TCP nor UDP, for tests. The system gives
// them to no other process until this one has ended. It may give them to this process
// again, after many other ports, once they are free.
func FreePorts(n int) (base int, err error) {
	count := (n + blockPorts - 1) / blockPorts
	if n < 1 || count > blocks {
		return 0, fmt.Errorf("find %d free ports: 1 to %d expected", n, blocks*blockPorts)
	}
	held.Lock()
	defer held.Unlock()
	own := len(held.locks) >= enough
	if own {
		if base, ok := giveAgain(n, count); ok {
			return base, nil
		}
	}
	start := rand.IntN(blocks)
	for i := range blocks {
		s := span{(start + i) % blocks, count}
		if s.first+count > blocks {
			continue
		}
		taken, ok := hold(s)
		if ok && free(s.base(), n) {
			held.locks, held.given = append(held.locks, taken...), append(held.given, s)
			return s.base(), nil
		}
		for _, l := range taken {
			l.Close()
		}
	}
	if base, ok := giveAgain(n, count); ok && !own {
		return base, nil
	}
	return 0, errors.New("find free ports: all are in use")
}

// giveAgain gives what was given longest ago and is large enough and free.
func giveAgain(n, count int) (base int, ok bool) {
	for i, s := range held.given {
		if s.count >= count && free(s.base(), n) {
			held.given = append(slices.Delete(held.given, i, i+1), s)
			return s.base(), true
		}
	}
	return 0, false
}

// hold takes the locks of blocks, which must be nobody's.
func hold(s span) (taken []net.Listener, ok bool) {
	for block := s.first; block < s.first+s.count; block++ {
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(locksFrom+block)))
		if err != nil {
			return taken, false
		}
		taken = append(taken, l)
	}
	return taken, true
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
