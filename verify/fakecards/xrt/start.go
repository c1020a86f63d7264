package xrt

import (
	"errors"
	"testing"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
)

// Start starts ranks of a design behind cards; see NewHost. It closes the host when the
// test ends; the test fails if the host has faults, and is skipped without a C compiler.
func Start(t testing.TB, d *design.Design, ranks int, o HostOptions) *Host {
	t.Helper()
	h, err := NewHost(t.Context(), d, ranks, o)
	if errors.Is(err, ErrCompiler) {
		t.Skipf("NOT TESTED: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	ranktest.End(t, h)
	return h
}

// Returned fails a test if a process holds something of a host's cards, or has ended
// without releasing it.
func Returned(t testing.TB, h *Host) {
	t.Helper()
	for _, l := range h.Leaks() {
		t.Error(l)
	}
}
