// Package ranktest helps tests of ranks, however these reach their engines: it runs ranks at the same time, gives them
// work with known results, closes hosts with modelled cards, and runs the test binary as the command under test (Main),
// to its end (Run) or beside the test (Start), so that nothing has to be built.
package ranktest

import (
	"net/netip"
	"slices"
	"sync"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"
)

// All runs do for ranks 0 to n-1; see Each.
func All(t testing.TB, n int, do func(rank int) error) {
	t.Helper()
	ranks := make([]int, n)
	for i := range ranks {
		ranks[i] = i
	}
	Each(t, ranks, do)
}

// Each runs do for all ranks at the same time. The test fails with all their errors, and
// ends there.
func Each(t testing.TB, ranks []int, do func(rank int) error) {
	t.Helper()
	var group sync.WaitGroup
	for _, rank := range ranks {
		group.Go(func() {
			if err := do(rank); err != nil {
				t.Errorf("rank %d: %v", rank, err)
			}
		})
	}
	group.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

// Free is an address of this host at which nobody listens, and at which nobody but the test will: a socket that does
// not listen stays bound to it.
func Free(t testing.TB) netip.AddrPort {
	t.Helper()
	bound := &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	assert.NilError(t, err)
	t.Cleanup(func() { assert.Check(t, syscall.Close(fd)) })
	assert.NilError(t, syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1))
	assert.NilError(t, syscall.Bind(fd, bound))
	at, err := syscall.Getsockname(fd)
	assert.NilError(t, err)
	return netip.AddrPortFrom(netip.AddrFrom4(bound.Addr), uint16(at.(*syscall.SockaddrInet4).Port))
}

// Host is a host with modelled cards.
type Host interface {
	Faults() []error
	Close() error
}

// End closes a host when a test ends. The test fails if the host has faults.
func End(t testing.TB, h Host) {
	t.Helper()
	t.Cleanup(func() {
		for _, err := range h.Faults() {
			t.Error(err)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Some returns numbers from 1 to n: the first and last ones, and a few between. Tests
// choose by it which call of a function fails.
func Some(n int) []int {
	var out []int
	for i := 1; i <= n; i = max(i+1, i*3/2) {
		out = append(out, i)
	}
	for i := max(n-2, 1); i <= n; i++ {
		if !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}
