package xrt

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/cclforge/cclforge/gen/designtest"
)

// TestRecorded sees what the server says of calls, and of what is left.
func TestRecorded(t *testing.T) {
	d := designtest.Load(t, "u55c_tcp", nil)
	s := serve(t, Card{BDF: "0000:65:00.1", Design: d, Loaded: image(t, d, "")})
	c := load(t, s)
	card := c.open(0)
	xcl, unit := c.unit(card, "ccl_offload:ccl_offload_0")
	for range 5 {
		c.read(xcl, unit, 0x1FFC)
	}
	c.fails(syscall.EINVAL, "xclRegRead", xcl, unit, 1, pointerTo(new(uint32)))
	buffer := c.must("xrtBOAlloc", card, 5000, 0, sixthHBM)
	c.must("xrtBOMap", buffer)
	var got []string
	for _, call := range s.Calls() {
		if call.Process != syscall.Getpid() {
			t.Errorf("%s is of process %d", call, call.Process)
		}
		got = append(got, call.String())
	}
	want := []string{"xrtDeviceOpen(0) = 0x1001", "xrtDeviceToXclDevice(0x1001) = 0x1002",
		`xclIPName2Index(0x1002, "ccl_offload:ccl_offload_0") = 0x0`,
		"xrtDeviceGetXclbinUUID(0x1001) = 0x0", "xclOpenContext(0x1002, 0, 0) = 0x0",
		"xclRegRead(0x1002, 0, 8188) = 0x0, 5 times",
		"xclRegRead(0x1002, 0, 1) failed: invalid argument", "xrtBOAlloc(0x1001, 5000, 0, 6) = 0x1003",
		"xrtBOMap(0x1003) = 0xC0000000"}
	if !slices.Equal(got, want) {
		t.Errorf("calls are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	s.Forget()
	if n := len(s.Calls()); n > 0 {
		t.Errorf("%d calls are left", n)
	}
	var kinds []string
	for _, l := range s.Leaks() {
		if l.Ended || l.Card != "0000:65:00.1" || l.Process != syscall.Getpid() {
			t.Error(l)
		}
		kinds = append(kinds, l.Kind)
	}
	if !slices.Equal(kinds, []string{Device, Context, Buffer, Map}) {
		t.Errorf("the process holds %v", kinds)
	}
	c.ok("xrtDeviceClose", card) // the context ends with it, the buffer does not
	c.ok("xrtBOSync", buffer, toDevice, 5000, 0)
	c.ok("xrtBOFree", buffer)
	if l := s.Leaks(); len(l) != 1 ||
		!strings.HasSuffix(l[0].String(), " has ended with the context ccl_offload:ccl_offload_0 on 0000:65:00.1") {
		t.Error(l)
	}
}

// TestFailuresOnRequest has every function fail, the second time.
func TestFailuresOnRequest(t *testing.T) {
	d := designtest.Load(t, "u55c_tcp", nil)
	file := image(t, d, "")
	s := serve(t, Card{Design: d, Loaded: file})
	c := load(t, s)
	card := c.open(0)
	xcl, unit := c.unit(card, "ccl_offload:ccl_offload_0")
	id := c.uuid(card)
	bdf, keepBDF := text(s.BDFs()[0])
	name, keepName := text("hostctrl:hostctrl_0_0")
	buffer := c.must("xrtBOAlloc", card, 4096, 0, firstHBM)
	var value uint32
	n, _ := c.do("xclIPName2Index", xcl, name)
	for f, arguments := range map[string][]uintptr{
		"xrtDeviceOpen": {0}, "xrtDeviceOpenByBDF": {bdf}, "xrtDeviceLoadXclbin": {card, pointer(file)},
		"xrtDeviceLoadXclbinUUID": {card, pointer(id)},
		"xrtDeviceGetXclbinUUID":  {card, pointer(id)}, "xrtDeviceToXclDevice": {card},
		"xrtBOAlloc": {card, 4096, 0, firstHBM},
		"xrtBOSync":  {buffer, toDevice, 4096, 0}, "xrtBOMap": {buffer}, "xclIPName2Index": {xcl, name},
		"xclOpenContext": {xcl, pointer(id), uintptr(n), 1}, "xclRegRead": {xcl, unit, 0, pointerTo(&value)},
		"xclRegWrite":  {xcl, unit, 0, 0},
		"xrtBOAddress": {buffer},
	} {
		check(t, s.Fail(f, 2, syscall.EIO))
		c.do(f, arguments...)
		c.fails(syscall.EIO, f, arguments...)
		if r, errno := c.do(f, arguments...); errno == syscall.EIO || f != "xrtBOMap" && int32(r) < 0 {
			t.Errorf("%s fails a second time", f)
		}
	}
	// Those that give something back have not done so when they fail.
	for _, call := range []struct {
		f         string
		arguments []uintptr
	}{{"xclCloseContext", []uintptr{xcl, pointer(id), unit}}, {"xrtBOFree", []uintptr{buffer}}, {"xrtDeviceClose",
		[]uintptr{card}}} {
		check(t, s.Fail(call.f, 1, syscall.EINTR))
		c.fails(syscall.EINTR, call.f, call.arguments...)
		c.ok(call.f, call.arguments...)
	}
	check(t, s.Fail("xclProbe", 1, syscall.EIO))
	if n, _ := c.do("xclProbe"); n != 0 {
		t.Errorf("%d cards", n)
	}
	for _, f := range []string{"", "xrtDeviceReset"} {
		if err := s.Fail(f, 1, syscall.EIO); !errors.Is(err, ErrFunction) {
			t.Errorf("%q: %v", f, err)
		}
	}
	if s.Fail("xclProbe", 0, syscall.EIO) == nil || s.Fail("xclProbe", 1, 0) == nil {
		t.Error("a failure that cannot be is taken")
	}
	keepBDF()
	keepName()
	runtime.KeepAlive([][]byte{file, id})
}
