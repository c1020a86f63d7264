package hls_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/hls"
)

func TestALibraryDescribesItsKernel(t *testing.T) {
	c := open(t, library(t, sources(t, "echo", "echo.cpp")), 4)
	assert.Check(t, c.Kernel() == "echo" && c.FreeRunning(), "kernel %s, free running %v", c.Kernel(), c.FreeRunning())
	if want := []hls.Port{{Name: "in", Width: 512, Dest: 8}, {Name: "out_r", Output: true, Width: 512}}; !slices.Equal(
		c.Ports(), want) {
		t.Errorf("ports %+v", c.Ports())
	}
	if want := []hls.Argument{{Name: "count", Offset: 16, Bits: 32},
		{Name: "to", Offset: 24, Bits: 64, Pointer: true}}; !slices.Equal(c.Arguments(), want) {
		t.Errorf("arguments %+v", c.Arguments())
	}
	assert.Check(t, c.Port("out_r") == 1 && c.Port("absent") == -1,
		"out_r is port %d, absent %d", c.Port("out_r"), c.Port("absent"))
}

func TestBeatsPassWholeAndInOrder(t *testing.T) {
	c := open(t, library(t, sources(t, "echo", "echo.cpp")), 8)
	var in [5]hls.Beat
	for i := range in {
		for k := range in[i].Data {
			in[i].Data[k] = byte(i*64 + k)
		}
		in[i].Keep, in[i].Last = 0xF0F0_0000_FFFF_0000+uint64(i), uint32(i&1)
	}
	if n := c.Put(0, in[:]); n != 5 || c.Count(0) != 3 {
		t.Fatalf("%d beats put, room for %d more", n, c.Count(0))
	}
	s := c.Run()
	assert.Check(t, s.Doing == hls.Reads && s.Stream == "in" && s.String() == "waits to read beat 6 of in (5 read)",
		"%+v: %s", s, s)
	if c.Count(1) != 5 || c.Moved(0) != 5 || c.Moved(1) != 5 || c.Progress() != "in 5 read, out_r 5 written" {
		t.Errorf("%d to take; %s", c.Count(1), c.Progress())
	}
	var out [8]hls.Beat
	n := c.Get(1, out[:2]) + c.Get(1, out[2:])
	assert.Assert(t, n == 5, "%d beats came", n)
	for i, b := range out[:5] {
		b.Dest = 0
		assert.Check(t, b == in[i], "beat %d is %+v", i, b)
	}
	n = c.Get(1, out[:])
	assert.Check(t, n == 0, "%d beats more", n)
}

func TestFullStreamsPressBack(t *testing.T) {
	c := open(t, library(t, sources(t, "echo", "echo.cpp")), 2)
	n := c.Put(0, make([]hls.Beat, 5))
	assert.Check(t, n == 2, "%d beats put", n)
	c.Run()
	n = c.Put(0, make([]hls.Beat, 5))
	assert.Check(t, n == 2, "%d beats put", n)
	s := c.Run()
	assert.Check(t, s.Doing == hls.Writes && s.String() == "waits to write beat 3 of out_r (2 written)", "%s", s)
}

// TestInstancesShareNothing checks static variables, also those that the linker would
// make the same in a whole process.
func TestInstancesShareNothing(t *testing.T) {
	path := library(t, sources(t, "echo", "echo.cpp"))
	const instances = 20
	var all []*hls.Component
	for range instances {
		all = append(all, open(t, path, 4))
	}
	for round := range uint32(3) {
		for i, c := range all {
			c.Put(0, make([]hls.Beat, 1))
			c.Run()
			var b [1]hls.Beat
			if c.Get(1, b[:]); b[0].Dest != 1<<16|(round+1) {
				t.Errorf("instance %d has counted 0x%X after %d beats", i, b[0].Dest, round+1)
			}
		}
	}
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "instance-*"))
	assert.Check(t, len(left) == 0, "copies are left: %q", left)
}

func TestCallsHaveTheirArguments(t *testing.T) {
	c := open(t, library(t, sources(t, "echo", "echo.cpp")), 4)
	memory := []uint32{1, 2, 3}
	arguments := []uint64{2, uint64(uintptr(unsafe.Pointer(&memory[0])))}
	assert.NilError(t, c.Start(arguments))
	assert.Check(t, is.ErrorIs(c.Start(arguments), hls.ErrBusy), "a second call")
	if s := c.Run(); s.Calls != 1 || !slices.Equal(memory, []uint32{8, 9, 3}) {
		t.Errorf("%d calls have ended, memory %d", s.Calls, memory)
	}
	assert.Check(t, is.ErrorIs(c.Start(arguments[:1]), hls.ErrArguments), "with one argument")
}

func TestFailuresAndPollingAreTold(t *testing.T) {
	c := open(t, library(t, sources(t, "echo", "echo.cpp")), 4)
	c.Put(0, []hls.Beat{{Dest: 98}})
	s := c.Run()
	assert.Check(t, s.Doing == hls.Polls && strings.Contains(s.String(), "none changes"), "%s", s)
	c.Put(0, []hls.Beat{{Dest: 99}})
	for range 2 {
		if s := c.Run(); s.Doing != hls.Failed || s.String() != "has failed: it was told to" {
			t.Errorf("%s", s)
		}
	}
}

func TestClosedComponentsDoNothing(t *testing.T) {
	c := open(t, library(t, sources(t, "echo", "echo.cpp")), 4)
	for range 2 {
		assert.NilError(t, c.Close())
	}
	n := c.Put(0, make([]hls.Beat, 1)) + c.Get(1, make([]hls.Beat, 1)) + c.Count(0) + int(c.Moved(0))
	assert.Check(t, n == 0, "%d beats", n)
	assert.Check(t, is.ErrorIs(c.Start(make([]uint64, 2)), hls.ErrClosed))
	s := c.Run()
	assert.Check(t, s.Doing == hls.Idle && s.Port == -1, "%+v", s)
}

func TestOpeningWhatIsNoComponent(t *testing.T) {
	s := sources(t, "echo", "echo.cpp")
	path := library(t, s)
	_, err := hls.Open(path, 0)
	assert.Check(t, errors.Is(err, hls.ErrDepth), "without room: %v", err)
	_, err = hls.Open(filepath.Join(t.TempDir(), "absent.so"), 1)
	assert.Check(t, errors.Is(err, os.ErrNotExist), "without a library: %v", err)
	name := "hls/echo/echo_component.cpp"
	s.Files[name] = append([]byte("#define VERSION 77\n"), s.Files[name]...)
	if _, err := hls.Open(library(t, s), 1); !errors.Is(err, hls.ErrVersion) || !strings.Contains(err.Error(), "77") {
		t.Errorf("of another version: %v", err)
	}
	s.Files[name] = []byte("int nothing;\n")
	_, err = hls.Open(library(t, s), 1)
	assert.Check(t, err != nil && strings.Contains(err.Error(), "cclo_version"), "without functions: %v", err)
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "instance-*"))
	assert.Check(t, len(left) == 0, "copies are left: %q", left)
}
