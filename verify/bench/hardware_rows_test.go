package bench

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/world"
)

func shipped(t *testing.T) *accl.Platform {
	t.Helper()
	p, err := world.Platform("u55c_tcp", "")
	assert.NilError(t, err)
	return p
}

func TestBoundsAndAimsAreThoseOfTheTable(t *testing.T) {
	const c = 16384 // beats of 1 MiB
	for _, test := range []struct {
		name, protocol string
		ranks          float64
		bound, aim     float64 // cycles
	}{
		{"copy", "", 1, c, c / 0.98},
		{"combine", "", 1, c, c / 0.97},
		{"send", Eager, 2, c, c / 0.95},
		{"allreduce", Rendezvous, 4, 24576, 28262.4},
		{"allreduce", Rendezvous, 8, 28672, 32972.8},
		{"reduce_scatter", Rendezvous, 4, 14336, 15769.6},
		{"allgather", Eager, 4, 14336, 15769.6},
		{"allgather", Rendezvous, 4, 12288, 14131.2},
		{"bcast", Eager, 8, c, 1.3 * c},
		{"reduce", Eager, 8, c, 1.3 * c},
		{"scatter", Eager, 8, 14336, 17203.2},
		{"alltoall", Eager, 4, 12288, 14745.6},
	} {
		found := false
		for _, o := range operations {
			if o.name != test.name {
				continue
			}
			found = true
			if got := c * o.bound(test.ranks, test.protocol); math.Abs(got-test.bound) > 0.1 {
				t.Errorf("%s of %.0f ranks is bound by %.1f cycles, %.1f expected", test.name, test.ranks, got, test.bound)
			}
			if got := c * o.aim(test.ranks, test.protocol); math.Abs(got-test.aim) > 0.1 {
				t.Errorf("%s of %.0f ranks should take %.1f cycles, %.1f expected", test.name, test.ranks, got, test.aim)
			}
		}
		assert.Check(t, found, "no row %s", test.name)
	}
}

func TestBeatsOfAnEngineAreThoseOfItsBusiestPort(t *testing.T) {
	want := map[string]float64{ // of a rank's largest buffer
		"gather compressed": 1, "alltoall eager": 1, "alltoall compressed": 1,
		"exscan eager": 2, "exscan compressed": 1.5,
	}
	for _, o := range operations {
		for _, protocol := range o.protocols {
			got := 0.0
			if o.engine != nil {
				got = o.engine(4, protocol)
			}
			name := o.name + " " + protocol
			assert.Check(t, got == want[name], "%s: %g of its beats pass an engine, %g expected", name, got, want[name])
		}
	}
}

func TestRowsAreThoseThatAreAskedFor(t *testing.T) {
	o := DefaultHardware()
	o.Rows, o.Protocols, o.Sizes, o.Ranks = []string{"nop", "send"}, []string{Eager}, []int{64, 1 << 20}, []int{2, 4}
	count := func(ranks int) map[string]int {
		rows, err := o.rows(shipped(t), ranks, []accl.DType{accl.TypeFloat32, accl.TypeInt64})
		assert.NilError(t, err)
		list := map[string]int{}
		for _, r := range rows {
			list[r.name+" "+r.protocol+" "+string(r.dtype)]++
		}
		return list
	}
	two, four := count(2), count(4)
	assert.Check(t, two["nop  "] == 1 && four["nop  "] == 0, "nop is measured once: %v, %v", two, four)
	if two["send eager float32"] != 3 || two["send eager int64"] != 1 || two["send rendezvous float32"] != 0 {
		t.Errorf("send with and without latency, and of each type at the largest size: %v", two)
	}
	o.Rows = []string{"sned"}
	_, err := o.rows(shipped(t), 2, nil)
	assert.Check(t, errors.Is(err, ErrRow), "%v for a row that there is not", err)
}

func TestBlocksFillTheLargestBuffer(t *testing.T) {
	for _, test := range []struct {
		like         string
		bytes, ranks int
		element      int
		count, large int
	}{
		{"allreduce", 1 << 20, 4, 4, 1 << 18, 1 << 20},
		{"allgather", 1 << 20, 4, 4, 1 << 16, 1 << 20},
		{"allgather", 64, 8, 8, 1, 64},
		{"allgather", 4, 8, 4, 1, 32},
	} {
		r := row{shape: shipped(t).Operation(test.like), bytes: test.bytes}
		count, large := r.fits(test.ranks, test.element)
		assert.Check(t, count == test.count && large == test.large, "%+v: %d elements, %d bytes", test, count, large)
	}
}

func TestThePlotIsXML(t *testing.T) {
	r := &hardwareReport{Platform: "a<b", Latency: 50, Points: []hardwarePoint{
		{Operation: "copy", Ranks: 1, Bytes: 64, Latency: 50, Cycles: 100, Bound: 1},
		{Operation: "copy", Ranks: 1, Bytes: 4096, Latency: 50, Cycles: 164, Bound: 64},
		{Operation: "nop", Ranks: 1, Latency: 50, Cycles: 50},
	}}
	text := r.Plot()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	n := strings.Count(text, "<circle")
	assert.Check(t, n == 2, "%d dots of two points", n)
}
