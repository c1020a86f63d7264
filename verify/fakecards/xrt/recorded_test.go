package xrt

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

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
		assert.Check(t, is.Equal(call.Process, syscall.Getpid()), "%s is of process", call)
		got = append(got, call.String())
	}
	want := []string{"xrtDeviceOpen(0) = 0x1001", "xrtDeviceToXclDevice(0x1001) = 0x1002",
		`xclIPName2Index(0x1002, "ccl_offload:ccl_offload_0") = 0x0`,
		"xrtDeviceGetXclbinUUID(0x1001) = 0x0", "xclOpenContext(0x1002, 0, 0) = 0x0",
		"xclRegRead(0x1002, 0, 8188) = 0x0, 5 times",
		"xclRegRead(0x1002, 0, 1) failed: invalid argument", "xrtBOAlloc(0x1001, 5000, 0, 6) = 0x1003",
		"xrtBOMap(0x1003) = 0xC0000000"}
	assert.Check(t, slices.Equal(got, want),
		"calls are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	s.Forget()
	n := len(s.Calls())
	assert.Check(t, n <= 0, "%d calls are left", n)
	var kinds []string
	for _, l := range s.Leaks() {
		assert.Check(t, !l.Ended && l.Card == "0000:65:00.1" && l.Process == syscall.Getpid(), "%v", l)
		kinds = append(kinds, l.Kind)
	}
	assert.Check(t, slices.Equal(kinds, []string{Device, Context, Buffer, Map}), "the process holds %v", kinds)
	c.ok("xrtDeviceClose", card) // the context ends with it, the buffer does not
	c.ok("xrtBOSync", buffer, toDevice, 5000, 0)
	c.ok("xrtBOFree", buffer)
	if l := s.Leaks(); len(l) != 1 ||
		!strings.HasSuffix(l[0].String(), " has ended with the context ccl_offload:ccl_offload_0 on 0000:65:00.1") {
		t.Error(l)
	}
}
