package slurmtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
)

// Shared is a cluster that the tests of a package share: it starts when the first
// of them asks for it, and Main stops it.
type Shared struct {
	o    Options
	once sync.Once
	c    *Cluster
	err  error
}

// Share returns a cluster to share.
func Share(o Options) *Shared { return &Shared{o: o} }

// Get returns the cluster. The test is skipped on a host without Slurm.
func (s *Shared) Get(t testing.TB) *Cluster {
	t.Helper()
	s.once.Do(func() { s.c, s.err = Start(context.Background(), s.o) })
	if errors.Is(s.err, ErrMissing) {
		t.Skip(s.err)
	}
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s.c
}

// Main runs a package's tests and then stops the cluster: os.Exit(shared.Main(m)).
func (s *Shared) Main(m *testing.M) int {
	code := m.Run()
	s.once.Do(func() {}) // nobody asked for it
	if s.c == nil {
		return code
	}
	if err := s.c.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "stop the Slurm cluster:", err)
		return max(code, 1)
	}
	return code
}
