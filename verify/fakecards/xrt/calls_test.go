package xrt

import (
	"bytes"
	"errors"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
)

func serve(t testing.TB, cards ...Card) *Server {
	t.Helper()
	s, err := Serve(t.Context(), cards)
	if errors.Is(err, ErrCompiler) {
		t.Skipf("NOT TESTED: %v", err)
	}
	assert.NilError(t, err)
	t.Cleanup(func() {
		assert.NilError(t, s.Close())
	})
	return s
}

func image(t testing.TB, d *design.Design, salt string) []byte {
	t.Helper()
	b, err := Image(d, salt)
	assert.NilError(t, err)
	return b
}

// fails calls a function that must fail, as handles, numbers and errors are returned.
func (c *client) fails(want syscall.Errno, name string, arguments ...uintptr) {
	c.t.Helper()
	r, errno := c.do(name, arguments...)
	negative := int32(r) == -int32(want)
	good := false
	switch name {
	case "xrtDeviceOpen", "xrtDeviceOpenByBDF", "xrtDeviceToXclDevice", "xrtBOAlloc", "xrtBOMap":
		good = r == 0 && errno == want
	case "xrtBOAddress":
		good = r == 1<<64-1 && errno == want
	case "xclIPName2Index", "xclOpenContext", "xclCloseContext", "xclRegRead", "xclRegWrite":
		good = negative
	default:
		good = int32(r) == -1 && errno == want
	}
	if !good {
		c.t.Errorf("%s%d = 0x%X with %v, want that it fails with %v", name, arguments, r, errno, want)
	}
}

// hbm and others are numbers of banks of a design.
const (
	firstHBM = 0
	sixthHBM = 6
	unused   = 7
)

func TestCardsAreOpened(t *testing.T) {
	s := serve(t, Card{BDF: "0000:65:00.1"}, Card{BDF: "0001:65:00.1"})
	c := load(t, s)
	n, _ := c.do("xclProbe")
	assert.Check(t, is.Equal(uint32(n), uint32(2)), "%d cards", n)
	for bdf, want := range map[string]syscall.Errno{
		"0000:65:00.1": 0, "65:00.1": 0, "0001:65:00.1": 0, "1": 0, "2": syscall.EINVAL,
		"99999999999999999999": syscall.EINVAL, "0002:65:00.1": syscall.EINVAL,
		"": syscall.EINVAL, "x": syscall.EINVAL, strings.Repeat("0", 5000): 0,
	} {
		at, keep := text(bdf)
		if want != 0 {
			c.fails(want, "xrtDeviceOpenByBDF", at)
		} else {
			c.ok("xrtDeviceClose", c.must("xrtDeviceOpenByBDF", at))
		}
		keep()
	}
	c.fails(syscall.ENOENT, "xrtDeviceOpen", 2)
	first, again := c.open(0), c.open(0)
	assert.Check(t, first != again, "one handle for two")
	c.ok("xrtDeviceClose", first)
	c.fails(syscall.EINVAL, "xrtDeviceClose", first)
	c.fails(syscall.EINVAL, "xrtDeviceToXclDevice", first)
	xcl := c.must("xrtDeviceToXclDevice", again)
	c.fails(syscall.EINVAL, "xrtDeviceClose", xcl) // the handles are of two kinds
	c.ok("xrtDeviceClose", again)
	var value uint32
	c.fails(syscall.ENODEV, "xclRegRead", xcl, 0, 0, pointerTo(&value))
	l := s.Leaks()
	assert.Check(t, len(l) == 0, "%v", l)
}

func TestFilesAreLoaded(t *testing.T) {
	d := designtest.Load(t, "u55c_tcp", nil)
	one, other, foreign := image(t, d, ""), image(t, d, "other"), image(t, designtest.Load(t, "u280_udp", nil), "")
	s := serve(t, Card{Design: d, Platform: Shell(d)})
	c := load(t, s)
	card := c.open(0)
	if id := c.uuid(card); !bytes.Equal(id, make([]byte, 16)) {
		t.Errorf("an empty card has %X", id)
	}
	c.fails(syscall.EINVAL, "xrtBOAlloc", card, 4096, 0, firstHBM) // there are no banks yet
	c.fails(syscall.ENODEV, "xrtDeviceLoadXclbinUUID", card, pointer(make([]byte, 16)))
	c.fails(syscall.EOPNOTSUPP, "xrtDeviceLoadXclbin", card, pointer(foreign))
	c.fails(syscall.EINVAL, "xrtDeviceLoadXclbin", card, 0)
	for at, v := range map[int]byte{0: 'X', 304: 0, 307: 200, 311: 1, 333: 0xFF, 500: 0xFF} {
		broken := slices.Clone(one)
		broken[at] = v
		if at == 333 {
			broken[332] = 4 // for emulation
			broken[333] = 0
		}
		if at == 500 { // the place of a section
			copy(broken[456+24:], bytes.Repeat([]byte{0xFF}, 8))
		}
		if at == 304 {
			copy(broken[304:312], make([]byte, 8))
		}
		c.fails(syscall.EINVAL, "xrtDeviceLoadXclbin", card, pointer(broken))
		runtime.KeepAlive(broken)
	}
	c.load(card, one)
	id := c.uuid(card)
	assert.Check(t, bytes.Equal(id, one[416:432]), "the card has %X, its file %X", id, one[416:432])
	c.ok("xrtDeviceLoadXclbinUUID", card, pointer(id))
	c.fails(syscall.ENODEV, "xrtDeviceLoadXclbinUUID", card, pointer(other[416:432]))
	c.load(card, one)

	// What is in use stays.
	xcl, unit := c.unit(card, "ccl_offload:ccl_offload_0")
	c.fails(syscall.EBUSY, "xrtDeviceLoadXclbin", card, pointer(other))
	c.load(card, one)
	c.ok("xclCloseContext", xcl, pointer(id), unit)
	buffer := c.must("xrtBOAlloc", card, 100, 0, firstHBM)
	c.fails(syscall.EPERM, "xrtDeviceLoadXclbin", card, pointer(other))
	c.ok("xrtBOFree", buffer)
	c.load(card, other)
	if id := c.uuid(card); !bytes.Equal(id, other[416:432]) {
		t.Errorf("the card has %X", id)
	}
	c.ok("xrtDeviceClose", card)
	runtime.KeepAlive([][]byte{one, other, foreign, id})
}

func TestKernelsAreReached(t *testing.T) {
	d := designtest.Load(t, "u55c_udp", nil)
	file := image(t, d, "")
	s := serve(t, Card{Design: d, Loaded: file})
	c := load(t, s)
	card := c.open(0)
	xcl, id := c.must("xrtDeviceToXclDevice", card), c.uuid(card)
	uuid, wrong := pointer(id), pointer(make([]byte, 16))
	numbers := map[string]uint32{}
	for _, name := range []string{"ccl_offload:ccl_offload_0", "hostctrl:hostctrl_0_0", "external_dma_1port:extdma_0_0",
		"networklayer:poe_0"} {
		at, keep := text(name)
		n, _ := c.do("xclIPName2Index", xcl, at)
		keep()
		numbers[name] = uint32(n)
	}
	assert.Check(t, len(numbers) == 4 && numbers["ccl_offload:ccl_offload_0"] <= 5,
		"kernels have the numbers %v", numbers)
	for _, name := range []string{"ccl_offload_0", "ccl_offload", "reduce_ops:arith_0", ""} { // arith_0 has no registers
		at, keep := text(name)
		c.fails(syscall.ENOENT, "xclIPName2Index", xcl, at)
		keep()
	}
	c.fails(syscall.EINVAL, "xclIPName2Index", xcl, 0)
	unit := uintptr(numbers["networklayer:poe_0"])
	var value uint32
	read := func(want syscall.Errno, offset uintptr) {
		t.Helper()
		c.fails(want, "xclRegRead", xcl, unit, offset, pointerTo(&value))
		c.fails(want, "xclRegWrite", xcl, unit, offset, 1)
	}
	read(syscall.EINVAL, 0) // without a context
	c.fails(syscall.EINVAL, "xclOpenContext", xcl, wrong, unit, 0)
	c.fails(syscall.EINVAL, "xclOpenContext", xcl, uuid, 100, 0)
	c.fails(syscall.ENODEV, "xclOpenContext", 0, uuid, unit, 0)
	c.fails(syscall.EINVAL, "xclCloseContext", xcl, uuid, unit)
	c.ok("xclOpenContext", xcl, uuid, unit, 1)
	read(syscall.EINVAL, 0)                                       // shared
	c.fails(syscall.EINVAL, "xclOpenContext", xcl, uuid, unit, 0) // it is shared
	c.ok("xclOpenContext", xcl, uuid, unit, 1)
	c.ok("xclCloseContext", xcl, uuid, unit)
	c.ok("xclCloseContext", xcl, uuid, unit)
	c.ok("xclOpenContext", xcl, uuid, unit, 0)
	c.fails(syscall.EINVAL, "xclOpenContext", xcl, uuid, unit, 0)
	c.fails(syscall.EINVAL, "xclOpenContext", xcl, uuid, unit, 1)
	c.fails(syscall.EBUSY, "xclCloseContext", xcl, wrong, unit)
	c.write(xcl, unit, 0x20, 0x12345678)
	v := c.read(xcl, unit, 0x20)
	assert.Check(t, v == 0x12345678 && c.read(xcl, unit, 0x24) == 0, "read 0x%X", v)
	c.read(xcl, unit, 0xFFFC)
	read(syscall.EINVAL, 0x10000)
	read(syscall.EINVAL, 2)
	control := uintptr(numbers["hostctrl:hostctrl_0_0"])
	c.ok("xclOpenContext", xcl, uuid, control, 0)
	c.read(xcl, control, 0xFFC)
	c.fails(syscall.EINVAL, "xclRegRead", xcl, control, 0x1000, pointerTo(&value)) // its range is 4 KiB
	c.ok("xclCloseContext", xcl, uuid, control)
	c.ok("xclCloseContext", xcl, uuid, unit)
	read(syscall.EINVAL, 0x20)
	c.ok("xrtDeviceClose", card)
	l := s.Leaks()
	assert.Check(t, len(l) == 0, "%v", l)
	runtime.KeepAlive(id)
}
