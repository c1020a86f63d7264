package tcl_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// lane is a block RAM that holds bits high to low of words first to last.
type lane struct {
	name, site             string // "RAMB36_X3Y17"
	first, last, high, low int
	extra                  string // further properties
	old                    bool   // named as Vivado did before 2019
}

func (l lane) tcl() string {
	prefix := "ram"
	if l.old {
		prefix = "bram"
	}
	kind, _, _ := strings.Cut(l.site, "_")
	return fmt.Sprintf(
		"model::cell {%s} {REF_NAME %sE2 LOC %s %s_addr_begin %d %s_addr_end %d %s_slice_begin %d %s_slice_end %d %s}\n",
		l.name, kind, l.site, prefix, l.first, prefix, l.last, prefix, l.low, prefix, l.high, l.extra)
}

// memory cuts the memory of an engine into block RAMs that are deep words deep and
// wide bits wide.
func memory(engine string, number, deep, wide int) []lane {
	var lanes []lane
	for first := 0; first < ramWords; first += deep {
		for low := 0; low < 32; low += wide {
			n := len(lanes)
			lanes = append(lanes, lane{
				name: fmt.Sprintf("level0_i/ulp/%s/inst/kernel/core/processor/ram/memory_reg_bram_%d", engine, n),
				site: fmt.Sprintf("RAMB36_X%dY%d", number, n), first: first, last: first + deep - 1, high: low + wide - 1, low: low,
			})
		}
	}
	// Vivado lists them in an order of its own.
	rand.New(rand.NewPCG(7, uint64(deep))).Shuffle(len(lanes), func(i, j int) { lanes[i], lanes[j] = lanes[j], lanes[i] })
	return lanes
}

// others are block RAMs that are not the memory of a control processor.
func others(engine string) []lane {
	var lanes []lane
	for i, name := range []string{
		"x" + engine + "/inst/kernel/core/processor/ram/memory_reg_0",
		engine + "0/inst/kernel/core/processor/ram/memory_reg_0",
		engine + "/inst/kernel/core/exchange/memory/memory_reg_1", engine + "/inst/kernel/core/slots/ram/memory_reg",
	} {
		lanes = append(lanes, lane{name: "level0_i/ulp/" + name, site: fmt.Sprintf("RAMB36_X90Y%d", i), last: 1023, high: 31})
	}
	return lanes
}

func routed(lanes ...[]lane) string {
	var b strings.Builder
	b.WriteString(
		"model::make design design {PART xcu55c-fsvh2892-2L-e}\nmodel::cell level0_i/ulp/poe_switch {REF_NAME poe_switch}\n")
	for _, list := range lanes {
		for _, l := range list {
			b.WriteString(l.tcl())
		}
	}
	return b.String()
}

// lowest is a block RAM with the lowest bits of words.
func lowest(lanes []lane) *lane {
	return &lanes[slices.IndexFunc(lanes, func(l lane) bool { return l.low == 0 })]
}

func deeper(lanes []lane, last int) []lane {
	for i := range lanes {
		lanes[i].last = last
	}
	return lanes
}

func wider(lanes []lane) []lane {
	for i := range lanes {
		lanes[i].high = 35
	}
	return lanes
}

func halves(lanes []lane) []lane {
	for i := range lanes {
		lanes[i].site = strings.Replace(lanes[i].site, "RAMB36", "RAMB18", 1)
	}
	return lanes
}

func aged(lanes []lane) []lane {
	for i := range lanes {
		lanes[i].old = true
	}
	return lanes
}

// mixed has wide words in the lower half and narrow ones in the upper.
func mixed() []lane {
	var lanes []lane
	for _, l := range memory("ccl_offload_0", 1, 8192, 4) {
		if l.first == 0 {
			lanes = append(lanes, l)
		}
	}
	for _, l := range memory("ccl_offload_0", 2, 1024, 32) {
		if l.first >= 8192 {
			lanes = append(lanes, l)
		}
	}
	return lanes
}
