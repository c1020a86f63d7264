package emit

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
)

func bindingTexts(t *testing.T, d *design.Design) (bindingsText, compatibility string) {
	t.Helper()
	files := codeFiles(t, d)
	return string(files[bindingsFile]), string(files[compatibilityFile])
}

// TestCallWordsAreInTheOrderOfTheRecord: a call goes out as its record says, also where
// the record says it otherwise.
func TestCallWordsAreInTheOrderOfTheRecord(t *testing.T) {
	order := func(d *design.Design) (values, last []string) {
		text, _ := bindingTexts(t, d)
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if v, ok := strings.CutPrefix(line, "next.data = call."); ok {
				values = append(values, strings.TrimSuffix(v, ";"))
			}
			if v, ok := strings.CutPrefix(line, "next.last = "); ok && v != "last;" && v != "keep;" {
				last = append(last, strings.TrimSuffix(v, ";"))
			}
		}
		return values, last
	}
	shipped := []string{
		"scenario", "count", "comm", "root_src_dst", "function_code", "tag", "arithcfg", "compression_flags", "stream_flags",
		"addr_0.range(31, 0)", "addr_0.range(63, 32)", "addr_1.range(31, 0)", "addr_1.range(63, 32)", "addr_2.range(31, 0)",
		"addr_2.range(63, 32)",
	}
	values, last := order(codeDesign(t, "u55c_tcp"))
	same(t, shipped, values)
	want := append(slices.Repeat([]string{"0"}, 14), "1")
	assert.Check(t, slices.Equal(want, last), "TLAST is %v, want %v", last, want)
	values, _ = order(moved(t))
	slices.Reverse(shipped)
	same(t, shipped, values)
}

// TestOperationsOfBindingsFollowTheGeneration: what it lacks is not there, and what it
// numbers otherwise has that number.
func TestOperationsOfBindingsFollowTheGeneration(t *testing.T) {
	d := with(t, func(g *abi.Generation) {
		g.Enums = slices.Clone(g.Enums)
		i := slices.IndexFunc(g.Enums, func(e abi.Enum) bool { return e.Name == abi.Operations })
		g.Enums[i].Values = slices.DeleteFunc(slices.Clone(g.Enums[i].Values),
			func(v abi.EnumValue) bool { return v.Name == "gather" })
		g.Operations = slices.DeleteFunc(slices.Clone(g.Operations), func(o abi.Operation) bool { return o.Name == "gather" })
		for k, v := range g.Enums[i].Values {
			if v.Name == "bcast" {
				g.Enums[i].Values[k].Value = 99
			}
		}
	})
	text, compatible := bindingTexts(t, d)
	assert.Check(t, is.Contains(compatible, "#define ACCL_BCAST 99\n"), "ACCL_BCAST is not 99")
	for name, text := range map[string]string{bindingsFile: text, compatibilityFile: compatible} {
		if strings.Contains(text, "void gather(") || strings.Contains(text, "start_gather") ||
			strings.Contains(text, "ACCL_GATHER") {
			t.Errorf("%s has gather", name)
		}
	}
}

// TestEveryOperationHasAMethod: no operation of a shipped generation was forgotten.
func TestEveryOperationHasAMethod(t *testing.T) {
	for _, name := range []string{"u280_manual", "u280_2022", "u55c_tcp"} {
		d := codeDesign(t, name)
		text, compatible := bindingTexts(t, d)
		for _, v := range d.ABI().Enum(abi.Operations).Values {
			if v.Name == "config" { // by its functions
				continue
			}
			if !strings.Contains(text, "    uint32_t "+v.Name+"(") || !strings.Contains(text, "Operation::"+camel(v.Name)) {
				t.Errorf("%s: no method %s", name, v.Name)
			}
			assert.Check(t, is.Contains(compatible, "start_call(ACCL_"+upper(v.Name)+", "),
				"%s: no method of today for %s", name, v.Name)
		}
	}
}

// TestNamesOfTheBindingsAreKept: nothing of a description may have them.
func TestNamesOfTheBindingsAreKept(t *testing.T) {
	for name, change := range map[string]func(g *abi.Generation){
		"constant": func(g *abi.Generation) {
			g.Constants = append(slices.Clone(g.Constants), abi.Constant{Name: "beat_bits", Value: 1})
		},
		"enum": func(g *abi.Generation) { g.Enums = append(slices.Clone(g.Enums), abi.Enum{Name: "command"}) },
		"namespace": func(g *abi.Generation) {
			g.Layouts = append(slices.Clone(g.Layouts), abi.Layout{Name: "beat", Width: 8})
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := hls(with(t, change))
			assert.Check(t, errors.Is(err, ErrCollision), "error %v, want one that matches %v", err, ErrCollision)
		})
	}
}

// TestTypesHaveNamesThatCPPAllows: a type of a platform becomes a class of its name.
func TestTypesHaveNamesThatCPPAllows(t *testing.T) {
	d := *codeDesign(t, "u55c_tcp")
	p := *d.Platform
	d.Platform = &p
	own := abi.Type{Name: "double", Bytes: 8}
	own.Range.Filename, own.Range.Start.Line = "platforms/own.hcl", 7
	p.Types = append(slices.Clone(p.Types), own)
	_, err := hls(&d)
	assert.Check(t, errors.Is(err, ErrBinding) && strings.Contains(err.Error(), "platforms/own.hcl:7"),
		"error %v, want one that matches %v and names platforms/own.hcl:7", err, ErrBinding)
}

// TestDataIsAsWideAsTheKernelStream: the ports say so, not the bindings.
func TestDataIsAsWideAsTheKernelStream(t *testing.T) {
	d := *codeDesign(t, "u55c_tcp")
	d.Streams = slices.Clone(d.Streams)
	for i, s := range d.Streams {
		if s.From.Instance.Role == "engine" && s.To.Instance.Role == "closer" {
			changed, port := *s, *s.From
			port.TDEST = 5
			changed.From = &port
			d.Streams[i] = &changed
		}
	}
	text, compatible := bindingTexts(t, &d)
	if !strings.Contains(text, "using kernel_beat = ap_axiu<512, 0, 0, 5>;") ||
		!strings.Contains(compatible, "#define DEST_WIDTH 5\n") {
		t.Error("TDEST of kernel beats has not 5 bits")
	}
	d.Streams = nil
	text, compatible = bindingTexts(t, &d)
	assert.Check(t, !strings.Contains(text, "class Data") && !strings.Contains(compatible, "class ACCLData"),
		"there is a class for kernel streams, but there are none")
}
