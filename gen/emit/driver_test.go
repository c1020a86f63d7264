package emit

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designjson"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/gen/output"
)

// driverProgram prints what a driver package says when it runs.
const driverProgram = `package main

import (
	"encoding/json"
	"errors"
	"os"

	"github.com/cclforge/cclforge/driver/accl"
	p "generated/NAME"
)

func main() {
	err := error(&accl.CallError{Code: p.ReturnCodeArith | p.ReturnCodeDMAMismatch | 1<<30})
	var codes []string
	for _, f := range p.Platform.Describe(p.ReturnCodeArith | p.ReturnCodeDMAMismatch | 1<<30) {
		codes = append(codes, f.Name+": "+f.Meaning)
	}
	flags := p.CompressionFlagsOp0 | p.CompressionFlagsEth | 1<<7
	json.NewEncoder(os.Stdout).Encode(map[string]interface{}{
		"codes": codes,
		"is": errors.Is(err, p.ReturnCodeArith), "both": errors.Is(err, p.ReturnCodeArith|p.ReturnCodeDMAMismatch),
		"isNot": errors.Is(err, p.ReturnCodeReceiveTimeout), "isNone": errors.Is(err, p.ReturnCode(0)),
		"flags": flags.String(), "none": p.CompressionFlags(0).String(), "has": flags.Has(p.CompressionFlagsEth),
		"hasNot": p.CompressionFlagsEth.Has(flags), "bit": flags.Flags()[1].At, "mask": flags.Flags()[1].Mask(),
		"operation": p.OperationAllReduce.String(), "unknown": p.Operation(77).String(),
		"platform": p.Platform,
		"instances": p.Card.Instances, "streams": p.Card.Streams, "kernels": p.Card.Kernels,
		"card": []string{p.Card.Platform, p.Card.Board, p.Card.Shell, p.Card.Hash}, "communicators": p.CommunicatorOffsets,
		"name": p.Name + " " + p.Board + " " + p.Part + " " + p.Generation,
	})
}
`

// driverSays runs the program with the driver package of a design.
func driverSays(t *testing.T, d *design.Design) map[string]any {
	t.Helper()
	var out map[string]any
	assert.NilError(t, json.Unmarshal([]byte(driverRun(t, d, driverProgram)), &out))
	return out
}

// plainJSON is a value as the program would print it.
func plainJSON(t *testing.T, v any) any {
	t.Helper()
	text, err := json.Marshal(v)
	assert.NilError(t, err)
	var out any
	assert.NilError(t, json.Unmarshal(text, &out))
	return out
}

func TestDriverSays(t *testing.T) {
	for _, name := range []string{"u55c_tcp", "no_lanes"} {
		t.Run(name, func(t *testing.T) {
			d := codeDesign(t, name)
			got := driverSays(t, d)
			want := map[string]any{
				"codes": []string{
					"DMA_MISMATCH: The status of a DMA transfer belongs to another command.",
					"ARITH: The reduction function does not exist, or arithmetic failed.",
					"bit 30: Unknown to this interface generation.",
				},
				"is": true, "both": true, "isNot": false, "isNone": false,
				"flags": "op0|eth|bit 7", "none": "0", "has": true, "hasNot": false, "bit": 3, "mask": 8,
				"operation": "allreduce", "unknown": "Operation(77)",
				"platform":  driverview.Of(d),
				"instances": expectedInstances(d), "streams": expectedStreams(d), "kernels": expectedKernels(d),
				"card": expectedCard(t, d), "communicators": d.Exchange.Communicators,
				"name": d.Platform.Name + " " + d.Platform.Board.Name + " " + d.Platform.Board.Part + " " + d.ABI().Name,
			}
			same(t, plainJSON(t, want), any(got))
		})
	}
}

type object = map[string]any

func expectedInstances(d *design.Design) []object {
	var out []object
	for _, in := range d.Instances {
		var banks []object
		for _, m := range d.Memories {
			if m.Port.Instance == in {
				banks = append(banks, object{"Port": m.Port.Name, "Memory": m.Memory, "First": m.First, "Last": m.Last})
			}
		}
		out = append(out, object{"Name": in.Name, "Kernel": in.Kernel.Name, "Role": in.Role, "CCLO": in.Scope, "SLR": in.SLR,
			"Banks": banks})
	}
	return out
}

func expectedStreams(d *design.Design) []object {
	var out []object
	for _, s := range d.Streams {
		out = append(out, object{
			"From": s.From.Instance.Name + "." + s.From.Name, "To": s.To.Instance.Name + "." + s.To.Name,
			"Width": s.From.Width, "TDEST": s.From.TDEST, "Depth": s.Depth, "CCLO": s.Scope, "Group": s.Group,
		})
	}
	return out
}

// expectedKernels are the kernels with the registers that HCL gives them.
func expectedKernels(d *design.Design) []object {
	var out []object
	for _, k := range d.Kernels() {
		var registers []object
		add := func(name string, at uint32, bits int, address bool, count int, stride uint32, values []object) {
			for _, r := range registers {
				if r["Name"] == name {
					return
				}
			}
			registers = append(registers, object{
				"Name": name, "At": at, "Bits": bits, "Address": address, "Count": count, "Stride": stride, "Values": values,
			})
		}
		if strings.HasPrefix(k.Control, "ap_ctrl_") && k.Control != "ap_ctrl_none" {
			var values []object
			for _, b := range d.ABI().BitSet("hostctrl_control").Bits {
				values = append(values, object{"Name": b.Name, "Value": uint32(1) << b.At})
			}
			add("control", 0, 32, false, 0, 0, values)
		}
		if k.Registers != "" {
			for _, r := range d.ABI().RegisterMap(k.Registers).Registers {
				count, stride := 0, uint32(0)
				if r.Count > 1 {
					count, stride = r.Count, uint32(r.Width)/8
				}
				add(r.Name, r.At, r.Width, false, count, stride, nil)
			}
		}
		for _, a := range k.Arguments {
			var values []object
			if a.Enum != "" {
				for _, v := range d.ABI().Enum(a.Enum).Values {
					values = append(values, object{"Name": v.Name, "Value": v.Value})
				}
			}
			add(a.Name, a.At, a.Width, strings.Contains(a.Type, "*"), 0, 0, values)
		}
		for _, r := range k.Described {
			var values []object
			for _, b := range r.Bits {
				values = append(values, object{"Name": b.Name, "Value": uint32(1) << b.At})
			}
			count, stride := 0, uint32(0)
			if r.Count > 1 {
				count, stride = r.Count, r.Stride
			}
			add(r.Name, r.At, r.Width, r.Memory != "", count, stride, values)
		}
		slices.SortStableFunc(registers, func(a, b object) int { return int(a["At"].(uint32)) - int(b["At"].(uint32)) })
		var facts []object
		for _, f := range k.Facts {
			facts = append(facts, object{"Name": f.Name, "Value": f.Value})
		}
		out = append(out, object{"Name": k.Name, "Control": k.Control, "Registers": registers, "Facts": facts})
	}
	return out
}

// expectedCard has the hash that a finished .xclbin has.
func expectedCard(t *testing.T, d *design.Design) []string {
	t.Helper()
	text, err := designjson.Marshal(d)
	assert.NilError(t, err)
	return []string{d.Platform.Name, d.Platform.Board.Name, d.Platform.Board.Shell, output.Hash(text)}
}

// TestExamplesRun: the example of a driver package shows what it says, in the
// module of a user who has no platforms of their own.
func TestExamplesRun(t *testing.T) {
	program := tool(t, "go", "examples of driver packages")
	dir := t.TempDir()
	// One platform for each generation and network.
	for _, name := range []string{"u280_manual", "u280_2022", "u55c_tcp", "u55c_udp", "u55c_rdma", "u280_axis3x"} {
		driverPackage(t, dir, name, codeDesign(t, name))
	}
	userModule(t, dir)
	run(t, dir, program, "test", "-vet=off", "-timeout=2m", "./...")
}

func TestExampleOfWhatCannotReduce(t *testing.T) {
	d := *codeDesign(t, "u55c_tcp")
	p := *d.Platform
	p.Arithmetic, d.Platform, d.Configs = nil, &p, nil
	p.Variables = map[string]cty.Value{"a": cty.StringVal("${x} %{y} `z`")}
	view, err := goExampleView(&d)
	want := goExample{
		Ranks: 4, Variables: `"{\"a\":\"$${x} %%{y} ` + "`z`" + `\"}"`, Type: "float32",
		Output: []string{"rank 0 [0 10 20 30]", "rank 1 [0 10 20 30]", "rank 2 [0 10 20 30]", "rank 3 [0 10 20 30]"},
	}
	diff := cmp.Diff(want, view)
	assert.Check(t, diff == "" && err == nil, "%v\n-want +got:\n%s", err, diff)
}
