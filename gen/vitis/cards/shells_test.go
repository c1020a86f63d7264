package cards_test

import (
	"encoding/json"
	"net"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	shell "github.com/cclforge/cclforge/driver/coyote"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/gen/vitis/cards"
	"github.com/cclforge/cclforge/verify/fakecards/coyote"
)

// TestShells: a card that refuses calls, one that a program has, one that no program has
// set up, and one that has its addresses; what is wrong with one does not keep the
// others from being looked at, and no card is changed.
func TestShells(t *testing.T) {
	d := designtest.Load(t, "u55c_rdma", nil)
	lies, err := driverview.Card(d)
	assert.NilError(t, err)
	h := coyote.Start(t, d, 4, coyote.HostOptions{})
	program := h.Process()
	for _, number := range []int{1, 3} {
		c, err := shell.Open(t.Context(), &lies, shell.Options{Card: number, System: program})
		assert.NilError(t, err)
		if number == 1 {
			t.Cleanup(func() { _ = c.Close() })
			continue
		}
		assert.NilError(t, c.SetAddress(t.Context(), netip.MustParseAddr("10.1.2.3"), net.HardwareAddr{2, 0, 0, 0, 0, 9}))
		assert.NilError(t, c.Close())
	}
	before, calls := h.Leaks(), len(h.Calls())
	built := &cards.Built{Regions: 1, HostStreams: true, CardStreams: true, RDMA: true}
	want := []*cards.Region{
		{File: "/dev/coyote_fpga_0_v0", State: cards.Unknown},
		{File: "/dev/coyote_fpga_1_v0", State: cards.InUse},
		{File: "/dev/coyote_fpga_2_v0", State: cards.Answers, Built: built},
		{File: "/dev/coyote_fpga_3_v0", State: cards.Answers, Built: built, Address: "10.1.2.3", MAC: "02:00:00:00:00:09"},
	}
	s := &cards.Shells{Drivers: cards.Drivers(designtest.Library(t)), System: h.Process()}
	for name, engines := range map[string]int{"without a design": 0, "with one": 1} {
		if s.Design = nil; engines > 0 {
			s.Design = d
		}
		h.Fail("READ_SHELL_CONFIG", 1, 0, syscall.EIO)
		found, err := s.Find(t.Context())
		assert.Assert(t, err == nil && len(found) == len(want), "%s: %v, %+v", name, err, found)
		for i, c := range found {
			free := want[i].State == cards.Answers
			if !reflect.DeepEqual(c.Region, want[i]) || c.Index != i || c.Shell != "coyote" || c.Ready != free ||
				(len(c.Remarks) > 0) != (i == 0) {
				t.Errorf("%s: card %d is %+v, %+v", name, i, c, c.Region)
			}
			if !free && len(c.Engines) > 0 || free && len(c.Engines) != engines {
				t.Errorf("%s: card %d has the engines %+v", name, i, c.Engines)
			}
			for _, e := range c.Engines {
				if e.Name != "ccl_offload_0" || e.State != cards.NotConfigured || e.Hardware == nil || e.Hardware.Stack != "rdma" {
					t.Errorf("card %d has %+v", i, e)
				}
			}
		}
		var text strings.Builder
		assert.NilError(t, cards.Table(&text, found))
		says := strings.Join(strings.Fields(text.String()), " ")
		for _, part := range []string{
			"coyote_fpga_0_v0 coyote 0 0 not known - - -", "coyote_fpga_1_v0 coyote 1 0 in use - - -",
			"coyote_fpga_2_v0 coyote 2 0 of 1 answers host, memory, RDMA - -",
			"coyote_fpga_3_v0 coyote 3 0 of 1 answers host, memory, RDMA 10.1.2.3 02:00:00:00:00:09",
			"/dev/coyote_fpga_0_v0: call the driver of card 0: configuration: input/output error",
			"/dev/coyote_fpga_1_v0: in use by another process",
		} {
			assert.Check(t, strings.Contains(says, part), "%s: it does not say %q:\n%s", name, part, text.String())
		}
		if line, err := json.Marshal(found[1]); err != nil || !strings.Contains(string(line),
			`"region":{"file":"/dev/coyote_fpga_1_v0","number":0,"state":"in use","built":null,`) {
			t.Errorf("%s, %v", line, err)
		}
	}
	looks := []string{"open", "flock", "close", "mmap", "munmap", "READ_SHELL_CONFIG", "GET_IP_ADDRESS", "GET_MAC_ADDRESS"}
	for _, c := range h.Calls()[calls:] {
		assert.Check(t, slices.Contains(looks, c.Function), "a look is no %v", c)
	}
	if after := h.Leaks(); !slices.Equal(slices.Sorted(slices.Values(before)), slices.Sorted(slices.Values(after))) {
		t.Errorf("it holds %v, before it was %v", after, before)
	}
}

// TestNoShells: none is there, none that the design can be in, and a design that is in none.
func TestNoShells(t *testing.T) {
	d := designtest.Load(t, "u55c_rdma", nil)
	h := coyote.Start(t, d, 1, coyote.HostOptions{Flags: 1<<48 | 1})
	s := &cards.Shells{Drivers: cards.Drivers(designtest.Library(t)), System: h.Process(), Design: d}
	found, err := s.Find(t.Context())
	if err != nil || len(found) != 1 || found[0].Region.State != cards.Answers ||
		!reflect.DeepEqual(found[0].Region.Built, &cards.Built{Regions: 1, AVX: true}) ||
		len(found[0].Engines) > 0 || len(found[0].Remarks) != 1 || !strings.Contains(found[0].Remarks[0], "no RDMA") {
		t.Errorf("%v, %+v", err, found)
	}
	s.Drivers[0].File = "/dev/another_%d_v%d"
	if found, err := s.Find(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("%v, %+v", err, found)
	}
	s.Design = designtest.Load(t, "u55c_tcp", nil)
	_, err = s.Find(t.Context())
	assert.Check(t, is.ErrorContains(err, "u55c_tcp is in no shell"))
	coyote.Returned(t, h)
}
