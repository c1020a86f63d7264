package xrt

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/xrt/xclbin"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
)

func banks(t testing.TB, file []byte) *xclbin.Layout {
	t.Helper()
	f, err := xclbin.Read(bytes.NewReader(file), int64(len(file)))
	assert.NilError(t, err)
	l, err := f.Layout()
	assert.NilError(t, err)
	return l
}

func (c *client) address(buffer uintptr) uint64 {
	at, _ := c.do("xrtBOAddress", buffer)
	return at
}

// TestBuffersDoNotOverlap allocates and frees at random in banks and their groups.
func TestBuffersDoNotOverlap(t *testing.T) {
	d := designtest.Load(t, "u55c_tcp", nil)
	file := image(t, d, "")
	s := serve(t, Card{Design: d, Loaded: file})
	c := load(t, s)
	card := c.open(0)
	l := banks(t, file)
	assert.Assert(t, len(l.Groups) == len(l.Banks)+2 && l.Groups[len(l.Banks)].KiB == 6*512<<10,
		"groups are %+v", l.Groups)
	type held struct {
		handle   uintptr
		from, to uint64
		group    int
	}
	var all []held
	r := rand.New(rand.NewPCG(3, 4))
	groups := []int{0, 1, 5, 6, len(l.Banks), len(l.Banks) + 1}
	for range 600 {
		if len(all) > 0 && r.IntN(5) < 2 {
			i := r.IntN(len(all))
			c.ok("xrtBOFree", all[i].handle)
			c.fails(syscall.EINVAL, "xrtBOFree", all[i].handle)
			all = slices.Delete(all, i, i+1)
			continue
		}
		group, size := groups[r.IntN(len(groups))], 1+r.Uint64N(1<<22)
		h := held{handle: c.must("xrtBOAlloc", card, uintptr(size), deviceBO, uintptr(group)), group: group}
		h.from = c.address(h.handle)
		h.to = h.from + size
		bank := l.Groups[group]
		if h.from%4096 != 0 || h.from < bank.Base || h.to > bank.Base+bank.KiB<<10 {
			t.Errorf("a buffer in %+v is from 0x%X to 0x%X", bank, h.from, h.to)
		}
		for _, other := range all {
			if h.from < other.to && other.from < h.to {
				t.Errorf("buffers are from 0x%X to 0x%X, and from 0x%X to 0x%X", h.from, h.to, other.from, other.to)
			}
		}
		all = append(all, h)
	}
}

func TestBanks(t *testing.T) {
	d := designtest.Load(t, "u55c_tcp", map[string]cty.Value{"host_memory": cty.True})
	file := image(t, d, "")
	s := serve(t, Card{Design: d, Loaded: file})
	c := load(t, s)
	card := c.open(0)
	l := banks(t, file)
	bank := func(tag string) uintptr {
		t.Helper()
		i := slices.IndexFunc(l.Groups, func(b xclbin.Bank) bool { return b.Tag == tag })
		assert.Assert(t, i >= 0, "there is no %s in %+v", tag, l.Groups)
		return uintptr(i)
	}
	hbm, host := bank("HBM[2]"), bank("HOST[0]")
	for _, bad := range [][3]uintptr{
		{0, plainKind, hbm}, {4096, plainKind, bank("HBM[7]")}, {4096, plainKind, 1000}, {4096, plainKind, host},
		{4096, deviceBO, host}, {4096, peerBO, host},
		{4096, 1 << 27, hbm}, {4096, 3 << 28, hbm}, {4096, 1 << 40, hbm},
	} {
		c.fails(syscall.EINVAL, "xrtBOAlloc", card, bad[0], bad[1], bad[2])
	}
	c.fails(syscall.ENOSPC, "xrtBOAlloc", card, 512<<20+1, deviceBO, hbm)
	c.fails(syscall.ENOSPC, "xrtBOAlloc", card, 1<<62, deviceBO, hbm)
	c.fails(syscall.EINVAL, "xrtBOAlloc", 0, 4096, 0, hbm)
	var all []uintptr
	for range 4 {
		all = append(all, c.must("xrtBOAlloc", card, 128<<20, deviceBO, hbm))
	}
	c.fails(syscall.ENOSPC, "xrtBOAlloc", card, 1, deviceBO, hbm)
	c.ok("xrtBOFree", all[1])
	c.fails(syscall.ENOSPC, "xrtBOAlloc", card, 128<<20+1, deviceBO, hbm)
	again := c.must("xrtBOAlloc", card, 128<<20, deviceBO, hbm)
	assert.Check(t, is.Equal(c.address(again), uint64(2<<29+128<<20)), "a buffer is at 0x")
	c.fails(syscall.EINVAL, "xrtBOMap", again) // the device's alone
	c.fails(syscall.EINVAL, "xrtBOSync", again, toDevice, 1, 0)
	for _, flags := range []uintptr{plainKind, cacheable, peerBO} {
		b := c.must("xrtBOAlloc", card, 4096, flags, bank("HBM[3]"))
		c.ok("xrtBOSync", b, toDevice, 4096, 0)
	}
	shared := c.must("xrtBOAlloc", card, 4096, hostBO, 999) // whatever bank is asked for
	assert.Check(t, is.Equal(c.address(shared), uint64(0x2000000000)), "host memory is at 0x")

	without := designtest.Load(t, "u55c_tcp", nil)
	s = serve(t, Card{Design: without, Loaded: image(t, without, "")})
	c = load(t, s)
	c.fails(syscall.EINVAL, "xrtBOAlloc", c.open(0), 4096, hostBO, 0)
}

// TestSync moves bytes between a process, cards and engines.
func TestSync(t *testing.T) {
	d := designtest.Load(t, "u55c_tcp", map[string]cty.Value{"host_memory": cty.True})
	h := Start(t, d, 1, HostOptions{})
	c := load(t, h.Server)
	card := c.open(0)
	const size = 100_000
	for _, b := range []struct {
		flags, group uintptr
		engine       bool // it reaches it
		host         bool
	}{{0, 0, true, false}, {0, 6, false, false}, {hostBO, 0, true, true}} {
		handle := c.must("xrtBOAlloc", card, size, b.flags, b.group)
		at := c.must("xrtBOMap", handle)
		again := c.must("xrtBOMap", handle)
		assert.Check(t, again == at && at%4096 == 0, "a buffer is mapped to 0x%X, and to 0x%X", at, again)
		mine, addr := view(at, size), c.address(handle)
		r := rand.New(rand.NewPCG(uint64(b.group), uint64(b.flags)))
		device := make([]byte, size) // what the device has to have
		want := make([]byte, size)   // what the process has to have
		for range 50 {
			for i := range 1 + r.IntN(500) {
				at := r.IntN(size)
				want[at] = byte(r.Uint32()) + byte(i)
				mine[at] = want[at]
			}
			offset := r.IntN(size)
			n := r.IntN(size - offset + 1)
			if b.host {
				copy(device, want)
			}
			if r.IntN(2) == 0 {
				c.ok("xrtBOSync", handle, toDevice, uintptr(n), uintptr(offset))
				copy(device[offset:], want[offset:offset+n])
			} else {
				c.ok("xrtBOSync", handle, fromDevice, uintptr(n), uintptr(offset))
				copy(want[offset:offset+n], device[offset:])
			}
			assert.Assert(t, bytes.Equal(mine, want), "%+v: the process has something else", b)
			if b.engine && !b.host {
				m, err := h.World.Engine(0).Memory(false)
				assert.NilError(t, err)
				h.Calls() // waits for the server, as the race detector sees it
				got := make([]byte, size)
				err = m.Read(got, addr)
				assert.Assert(t, err == nil && bytes.Equal(got, device), "%+v: the engine has something else, %v", b, err)
				h.Calls()
			}
		}
		c.fails(syscall.EINVAL, "xrtBOSync", handle, toDevice, size+1, 0)
		c.fails(syscall.EINVAL, "xrtBOSync", handle, toDevice, 1, size)
		c.fails(syscall.EINVAL, "xrtBOSync", handle, toDevice, ^uintptr(0), 1)
		c.fails(syscall.EINVAL, "xrtBOSync", handle, 2, 1, 0)
		c.ok("xrtBOSync", handle, fromDevice, 0, size)
		c.ok("xrtBOFree", handle)
		c.fails(syscall.EINVAL, "xrtBOMap", handle)
		c.fails(syscall.EINVAL, "xrtBOSync", handle, toDevice, 1, 0)
		c.fails(syscall.EINVAL, "xrtBOAddress", handle)
	}
}

// TestImage holds the tables of an .xclbin against the design.
func TestImage(t *testing.T) {
	for _, name := range []string{"u55c_tcp", "u55c_udp", "u250_axis3x", "u280_2022", "u50_udp", "u200_tcp"} {
		d := designtest.Load(t, name, nil)
		l := banks(t, image(t, d, ""))
		assert.Check(t, len(l.Kernels) == len(d.Instances),
			"%s: %d kernels of %d instances", name, len(l.Kernels), len(d.Instances))
		for _, in := range d.Instances {
			k, err := l.Kernel(in.Name)
			if err != nil || k.Kernel != in.Kernel.Name || (k.Base == xclbin.NoAddress) != (registerless(in) == 1) {
				t.Errorf("%s: %s is %+v, %v", name, in.Name, k, err)
			}
		}
		for _, m := range d.Memories {
			places, err := l.Reach(m.Port.Instance.Name, int(argument(m.Port)))
			if err != nil || len(places) != m.Last-m.First+1 || places[0].Tag != tag(m, m.First) ||
				places[len(places)-1].Tag != tag(m, m.Last) {
				t.Errorf("%s: %s of %s reaches %+v, %v", name, m.Port.Name, m.Port.Instance.Name, places, err)
			}
		}
		for i, b := range l.Banks {
			if i > 0 && b.Base < l.Banks[i-1].Base+l.Banks[i-1].KiB<<10 && b.Type == l.Banks[i-1].Type {
				t.Errorf("%s: banks overlap: %+v", name, l.Banks)
			}
		}
	}
	if Shell(designtest.Load(t, "u55c_tcp", nil)) != "xilinx_u55c_gen3x16_xdma_base_3" ||
		Shell(designtest.Load(t, "u250_tcp", nil)) != "xilinx_u250_gen3x16_xdma_base_4" {
		t.Error("the names of shells are not those that their cards say")
	}
}

func tag(m *design.MemoryLink, number int) string {
	return fmt.Sprintf("%s[%d]", m.Memory, number)
}
