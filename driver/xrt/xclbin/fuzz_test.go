package xclbin

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"

	"gotest.tools/v3/assert"
)

// FuzzOpen reads whole files. What is taken must hold together, and what is not must
// be refused as what it is.
func FuzzOpen(f *testing.F) {
	for _, path := range []string{sample, card} {
		b, err := os.ReadFile(path)
		assert.NilError(f, err)
		f.Add(b)
		f.Add(b[:456])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		x, l, err := all(b)
		assert.Assert(t, err == nil || errors.Is(err, ErrFormat), "the error is no ErrFormat: %v", err)
		if x == nil {
			return
		}
		for _, s := range x.Sections {
			got, err := io.ReadAll(io.NewSectionReader(bytes.NewReader(b), s.Offset, s.Size))
			if err != nil || int64(len(got)) != s.Size || s.Size > 0 && s.Offset < 456+40*int64(len(x.Sections)) {
				t.Fatalf("section %+v: %d bytes, %v", s, len(got), err)
			}
		}
		if l != nil {
			consistent(t, l)
		}
	})
}

// consistent asks a layout everything.
func consistent(t *testing.T, l *Layout) {
	for _, k := range l.Kernels {
		found, err := l.Kernel(k.Instance)
		assert.Assert(t, err == nil && found == k, "%+v is found as %+v, %v", k, found, err)
		arguments, err := l.Arguments(k.Instance)
		assert.NilError(t, err)
		for _, a := range arguments {
			places, err := l.Reach(k.Instance, a)
			if err != nil || len(places) == 0 {
				t.Fatalf("argument %d of %s reaches %+v, %v", a, k.Instance, places, err)
			}
			for _, p := range places {
				if p.Bank != l.Banks[p.Index] || !p.Used || p.Type.Stream() {
					t.Fatalf("argument %d of %s reaches %+v", a, k.Instance, p)
				}
			}
			if p, err := l.BufferBank(k.Instance, a); err == nil && p.Bank != l.Groups[p.Index] || err != nil &&
				!errors.Is(err, ErrNoMemory) {
				t.Fatalf("a buffer of argument %d of %s is in %+v, %v", a, k.Instance, p, err)
			}
		}
	}
}

// FuzzSections puts tables into a file.
func FuzzSections(f *testing.F) {
	whole, err := os.ReadFile(card)
	assert.NilError(f, err)
	f.Add(data(whole, ipSection), data(whole, bankSection), data(whole, connectionSection), data(whole, groupSection),
		data(whole, groupedSection), data(whole, userSection))
	f.Add(data(whole, ipSection), data(whole, bankSection), data(whole, connectionSection), []byte{},
		[]byte{}, []byte("{"))
	f.Add([]byte{}, []byte{0, 0, 0, 0, 0, 0, 0, 0}, []byte{0, 0, 0, 0}, []byte{1}, []byte{255, 255, 255, 255},
		[]byte("null"))
	f.Fuzz(func(t *testing.T, ips, banks, connections, groups, grouped, user []byte) {
		b := bytes.Clone(whole[:456+6*40])
		le.PutUint32(b[448:], 6)
		for i, s := range []struct {
			kind Kind
			data []byte
		}{{IPLayout, ips}, {MemTopology, banks}, {Connectivity, connections}, {AskGroupTopology, groups}, {AskGroupConnection,
			grouped}, {UserMetadata, user}} {
			e := entry(b, i)
			le.PutUint32(e, uint32(s.kind))
			le.PutUint64(e[24:], uint64(len(b)))
			le.PutUint64(e[32:], uint64(len(s.data)))
			b = append(b, s.data...)
		}
		le.PutUint64(b[304:], uint64(len(b)))
		x, l, err := all(b)
		assert.Assert(t, x != nil, "%v", err)
		assert.Assert(t, err == nil || errors.Is(err, ErrFormat), "the error is no ErrFormat: %v", err)
		if l != nil {
			consistent(t, l)
		}
	})
}
