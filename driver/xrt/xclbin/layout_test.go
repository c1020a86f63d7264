package xclbin

import (
	"bytes"
	"errors"
	"os"
	"reflect"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// The file was written by a C program with XRT's own header (card.c.txt).
const card = "testdata/card.xclbin"

func read(t testing.TB, path string) (*File, []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	assert.NilError(t, err)
	f, err := Read(bytes.NewReader(b), int64(len(b)))
	assert.NilError(t, err)
	return f, b
}

var (
	cardIPs = []IP{
		{KernelIP, "ccl_offload:ccl_offload_0", 0x1400000, 0x003},
		{KernelIP, "hostctrl:hostctrl_0_0", 0x1410000, 0x104},
		{KernelIP, "poe:poe_0", 0x1420000, 0},
		{KernelIP, "extdma:extdma_0_0", NoAddress, 0x200},
		{KernelIP, "arith:arith_0", NoAddress, 0x200},
		{MemoryHBM, "HBM_CTRL_0", 0x1500000, 0x10003},
	}
	cardBanks = []Bank{
		{HBM, true, 512 << 10, 0, "HBM[0]"},
		{HBM, true, 512 << 10, 512 << 20, "HBM[1]"},
		{HBM, true, 512 << 10, 1024 << 20, "HBM[2]"},
		{HBM, false, 512 << 10, 1536 << 20, "HBM[3]"},
		{DRAM, false, 128 << 10, 512 << 30, "PLRAM[0]"},
		{StreamingConnection, true, 0, 0, "dc_0"},
		{Host, true, 16 << 20, 128 << 30, "HOST[0]"},
	}
	cardGroups      = append(cardBanks[:7:7], Bank{HBM, true, 1024 << 10, 0, "MBG[0]"})
	cardConnections = []Connection{{2, 3, 1}, {2, 3, 0}, {1, 2, 2}, {0, 3, 5}, {1, 4, 5}, {3, 3, 6}}
	cardGrouped     = append(cardConnections[:6:6], Connection{2, 3, 7})
)

func TestTables(t *testing.T) {
	f, _ := read(t, card)
	for name, c := range map[string]struct {
		read func() (any, error)
		want any
	}{
		"IPs":              {func() (any, error) { return f.IPs() }, cardIPs},
		"Banks":            {func() (any, error) { return f.Banks() }, cardBanks},
		"Groups":           {func() (any, error) { return f.Groups() }, cardGroups},
		"Connections":      {func() (any, error) { return f.Connections() }, cardConnections},
		"GroupConnections": {func() (any, error) { return f.GroupConnections() }, cardGrouped},
	} {
		got, err := c.read()
		assert.Check(t, err == nil && reflect.DeepEqual(got, c.want), "%s: %+v (%v), want %+v", name, got, err, c.want)
	}
	for i, want := range []struct {
		control Control
		number  int
		enabled bool
	}{{Handshake, 1, true}, {Chain, 2, false}, {Handshake, 0, false}, {None, 0, false}} {
		number, enabled := cardIPs[i].Interrupt()
		if cardIPs[i].Control() != want.control || number != want.number || enabled != want.enabled {
			t.Errorf("%s: control %d, interrupt %d %t, want %+v", cardIPs[i].Name, cardIPs[i].Control(), number, enabled, want)
		}
	}
}

// TestNoTables reads a file that has none of the tables.
func TestNoTables(t *testing.T) {
	f, _ := read(t, sample)
	l, err := f.Layout()
	assert.Check(t, err == nil && reflect.DeepEqual(l, &Layout{}), "the layout is %+v (%v)", l, err)
	_, err = l.Kernel("ccl_offload_0")
	assert.Check(t, errors.Is(err, ErrInstance), "error of a kernel is %v", err)
}

func TestLayout(t *testing.T) {
	f, _ := read(t, card)
	l, err := f.Layout()
	assert.NilError(t, err)
	if len(l.Kernels) != 5 || !reflect.DeepEqual(l.Banks, cardBanks) || !reflect.DeepEqual(l.Groups, cardGroups) {
		t.Errorf("the layout is %+v", l)
	}
	want := Kernel{cardIPs[3], 3, "extdma", "extdma_0_0"}
	k, err := l.Kernel("extdma_0_0")
	assert.Check(t, err == nil && k == want, "extdma_0_0 is %+v (%v), want %+v", k, err, want)
	list := l.Of("extdma")
	assert.Check(t, len(list) == 1 && list[0] == want, "the instances of extdma are %+v", list)
	list = l.Of("HBM_CTRL_0")
	assert.Check(t, list == nil, "a memory controller is among the kernels: %+v", list)
	for instance, want := range map[string][]int{"extdma_0_0": {2, 3}, "poe_0": {1}, "ccl_offload_0": nil,
		"arith_0": nil} {
		if got, err := l.Arguments(instance); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: arguments %v (%v) reach memory, want %v", instance, got, err, want)
		}
	}
	for _, c := range []struct {
		instance string
		argument int
		reach    []int // in Banks
		buffer   int   // in Groups; -1 for none
	}{
		{"extdma_0_0", 2, []int{0, 1}, 7},
		{"extdma_0_0", 3, []int{6}, 6},
		{"poe_0", 1, []int{2}, 2},
		{"extdma_0_0", 0, nil, -1}, // a stream
		{"extdma_0_0", 1, nil, -1}, // nothing
		{"arith_0", 1, nil, -1},
		{"ccl_offload_0", -1, nil, -1},
	} {
		var want []Place
		for _, n := range c.reach {
			want = append(want, Place{cardBanks[n], n})
		}
		if got, err := l.Reach(c.instance, c.argument); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("argument %d of %s reaches %+v (%v), want %+v", c.argument, c.instance, got, err, want)
		}
		got, err := l.BufferBank(c.instance, c.argument)
		if c.buffer < 0 {
			assert.Check(t, is.ErrorIs(err, ErrNoMemory),
				"argument %d of %s: a buffer in %+v, error", c.argument, c.instance, got)
		} else if err != nil || got != (Place{cardGroups[c.buffer], c.buffer}) {
			t.Errorf("argument %d of %s: a buffer in %+v (%v), want bank %d", c.argument, c.instance, got, err, c.buffer)
		}
	}
	for _, instance := range []string{"", "ccl_offload", "ccl_offload_1", "ccl_offload:ccl_offload_0", "HBM_CTRL_0"} {
		_, of := l.Kernel(instance)
		_, reach := l.Reach(instance, 0)
		_, buffer := l.BufferBank(instance, 0)
		_, arguments := l.Arguments(instance)
		for _, err := range []error{of, reach, buffer, arguments} {
			assert.Check(t, is.ErrorIs(err, ErrInstance), "error of %q", instance)
		}
	}
}

// TestWithoutGroups takes the banks themselves for buffers in files that have no
// groups.
func TestWithoutGroups(t *testing.T) {
	f, _ := read(t, card)
	f.Sections = f.Sections[:6]
	l, err := f.Layout()
	assert.NilError(t, err)
	got, err := l.BufferBank("extdma_0_0", 2)
	assert.Check(t, err == nil && got == (Place{cardBanks[1], 1}), "a buffer in %+v (%v)", got, err)
}

func TestMetadata(t *testing.T) {
	f, _ := read(t, card)
	for kind, want := range map[Kind]string{EmbeddedMetadata: `<project name="link"/>`,
		BuildMetadata: `{"build_metadata":{}}`, SystemMetadata: ""} {
		got, err := f.Metadata(kind)
		assert.Check(t, err == nil && string(got) == want, "%s is %q (%v), want %q", kind, got, err, want)
	}
	want := Description{"u55c_tcp", "d1", "accl-2024", "f1", Generator}
	got, ok, err := f.Describe()
	assert.Check(t, got == want && ok && err == nil, "described as %+v, %t (%v), want %+v", got, ok, err, want)
	// The other file's says nothing of who made it.
	f, _ = read(t, sample)
	if got, ok, err := f.Describe(); got != (Description{}) || ok || err != nil {
		t.Errorf("a foreign file is described as %+v, %t (%v)", got, ok, err)
	}
}
