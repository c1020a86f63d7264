package abi_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/abi"
)

// renamed are names of the contract that are keywords of SystemVerilog.
var renamed = map[string]string{"function": "function_code"}

// contract reads testdata/contract.txt: for each generation the facts of each
// container, in order, by "kind container".
func contract(t *testing.T) map[string]map[string][]string {
	t.Helper()
	text, err := os.ReadFile("testdata/contract.txt")
	assert.NilError(t, err)
	out := map[string]map[string][]string{"accl-2021": {}, "accl-2022": {}, "accl-2024": {}}
	for i, line := range strings.Split(string(text), "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if len(words) < 4 {
			t.Fatalf("contract.txt:%d: four words expected", i+1)
		}
		years := strings.Split(words[0], ",")
		if words[0] == "all" {
			years = []string{"2021", "2022", "2024"}
		}
		for _, year := range years {
			facts, ok := out["accl-"+year]
			if !ok {
				t.Fatalf("contract.txt:%d: unknown generation %s", i+1, year)
			}
			key := words[1] + " " + words[2]
			for _, fact := range words[3:] {
				facts[key] = append(facts[key], normal(t, fact))
			}
		}
	}
	return out
}

// normal writes a fact like "addr_0=0x58/64" with a decimal number.
func normal(t *testing.T, fact string) string {
	name, value, found := strings.Cut(fact, "=")
	if r, ok := renamed[name]; ok {
		name = r
	}
	if !found {
		if strings.HasPrefix(name, "0x") {
			return fmt.Sprint(number(t, name))
		}
		return name
	}
	if strings.HasPrefix(value, "0x") {
		digits, rest := value, ""
		if i := strings.IndexByte(value, '/'); i >= 0 {
			digits, rest = value[:i], value[i:]
		}
		value = fmt.Sprint(number(t, digits)) + rest
	}
	return name + "=" + value
}

func number(t *testing.T, text string) uint64 {
	n, err := strconv.ParseUint(text, 0, 64)
	assert.NilError(t, err)
	return n
}

// facts writes a generation the way the contract does.
func facts(g *abi.Generation) map[string][]string {
	out := map[string][]string{}
	add := func(key, format string, args ...any) { out[key] = append(out[key], fmt.Sprintf(format, args...)) }
	for _, e := range g.Enums {
		for _, v := range e.Values {
			add("enum "+e.Name, "%s=%d", v.Name, v.Value)
		}
	}
	for _, s := range g.BitSets {
		for _, b := range s.Bits {
			add("bits "+s.Name, "%s=%d", b.Name, uint64(1)<<b.At)
			if b.Internal {
				add("internal "+s.Name, "%s", b.Name)
			}
		}
	}
	for _, l := range g.Layouts {
		add("layout "+l.Name, "width=%d", l.Width)
		for _, f := range l.Fields {
			add("layout "+l.Name, "%s=%d:%d", f.Name, f.High, f.Low)
		}
	}
	for _, r := range g.Records {
		for _, w := range r.Words {
			add("record "+r.Name, "%s", w.Name)
		}
	}
	for _, m := range g.Registers {
		for _, r := range m.Registers {
			kind := "registers "
			if r.Extension {
				kind = "extension "
			}
			add(kind+m.Name, "%s=%d%s", r.Name, r.At, size(r.Width, r.Count))
		}
	}
	for _, m := range g.Memories {
		add("memory "+m.Name, "base=%d", m.Base)
		add("memory "+m.Name, "end=%d", m.Base+m.Size)
		for _, w := range m.Words {
			add("words "+m.Name, "%s=%d%s", w.Name, w.At, size(w.Width, w.Count))
			if w.Group != "" {
				add("group "+m.Name+"."+w.Group, "%s", w.Name)
			}
		}
		for _, t := range m.Tables {
			place := t.After
			if place == "" {
				place = fmt.Sprint(t.At)
			}
			add("tables "+m.Name, "%s=%s", t.Name, place)
			for _, w := range t.Header {
				add("header "+t.Name, "%s", w.Name)
			}
			for _, w := range t.Record {
				add("rows "+t.Name, "%s", w.Name)
			}
		}
	}
	for _, c := range g.Constants {
		add("constant "+c.Name, "%d", c.Value)
	}
	for _, t := range g.Types {
		add("type "+t.Name, "%d", t.Bytes)
	}
	for name, on := range g.Features {
		add("feature "+name, "%t", on)
	}
	return out
}

func size(width, count int) string {
	switch {
	case count > 1:
		return fmt.Sprintf("/%dx%d", width, count)
	case width != 32:
		return fmt.Sprintf("/%d", width)
	default:
		return ""
	}
}

// ours lists what the contract leaves to this project: everything between
// firmware and engine, and registers that extend those of the contract.
var ours = []string{
	"enum call_queue", "enum move_", "bits wake_event", "bits reset_part", "bits network_",
	"layout call_status", "layout call_head", "layout call_answer", "layout wake", "layout move_", "layout session_status",
	"layout rdma_notification", // the contract gives its width only
	"registers calls", "registers system", "registers timers", "registers move", "registers rx",
	"registers network", "registers sessions", "registers rendezvous", "registers notice",
	"extension hostctrl",
	"constant inspection_", "enum trap_cause", "enum packet_kind", "layout inspection_state", "record inspection",
	"constant detail_", "record stalls", "record queues", "record remotes", "record counters", "layout queue_level",
	"layout remote_wait", "record trace", "layout trace_",
	"memory local_ram", "memory call_window", "words call_window",
	"layout collective_shape", "record fault", "constant notices",
	"constant open_calls", "constant move_queue", "constant rendezvous_", "constant packet_slots",
	"constant session_packet_slots", "constant large_message_bytes",
}

// oursWithin lists members of what the contract gives that are ours, in values that it leaves free.
var oursWithin = map[string][]string{
	"layout message_header": {
		"collective_number=319:288", "collective_count=351:320", "collective_shape=383:352", "notice=391:384",
		"filler=399:392",
	},
	"bits return_code":     {"COLLECTIVE_MISMATCH=134217728"},
	"enum config_function": {"recover=16"},
	"enum operation":       {"scan=14", "exscan=15"},
	"words exchange":       {"fault=8100/32x8", "fault=8148/32x8", "inspection=8036/32x16", "inspection=4096/32x16"},
}

func TestShippedGenerationsAreTheContract(t *testing.T) {
	generations := shipped(t)
	for name, want := range contract(t) {
		g := generations[name]
		if g == nil {
			t.Errorf("%s is not described", name)
			continue
		}
		got := facts(g)
		for key := range got {
			if slices.ContainsFunc(ours, func(prefix string) bool { return strings.HasPrefix(key, prefix) }) {
				delete(got, key)
			}
		}
		for key, own := range oursWithin {
			got[key] = slices.DeleteFunc(got[key], func(member string) bool { return slices.Contains(own, member) })
		}
		// Reductions of other numbers are ours.
		const reductions = "enum " + abi.ReduceFunctions
		got[reductions] = slices.DeleteFunc(got[reductions], func(member string) bool {
			return !slices.Contains(want[reductions], member)
		})
		for _, sets := range []map[string][]string{want, got} {
			for key, list := range sets {
				if kind, _, _ := strings.Cut(key, " "); !slices.Contains([]string{"record", "header", "rows"}, kind) {
					slices.Sort(list)
				}
			}
		}
		assert.Check(t, is.DeepEqual(want, got), "%s differs from the contract (-contract +HCL)", name)
	}
	assert.Check(t, len(generations) == 3, "%d generations, 3 expected", len(generations))
}
