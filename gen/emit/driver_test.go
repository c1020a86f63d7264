package emit

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
)

// driverProgram prints what a driver package says when it runs.
const driverProgram = `package main

import (
	"encoding/json"
	"errors"
	"os"

	p "generated/NAME"
)

func main() {
	var codes []string
	for _, f := range p.ReturnCodes() {
		codes = append(codes, f.Name+": "+f.Meaning)
	}
	arith := p.ReturnCodeArith
	both := arith | p.ReturnCodeDMAMismatch | 1<<30
	var as p.ReturnCode
	json.NewEncoder(os.Stdout).Encode(map[string]interface{}{
		"codes": codes, "none": p.ReturnCode(0).String(), "both": both.String(), "error": both.Error(),
		"success": p.ReturnCode(0).Err() == nil, "failure": both.Err() == error(both),
		"is": errors.Is(both.Err(), arith), "isNot": errors.Is(arith.Err(), both), "isNone": errors.Is(both, p.ReturnCode(0)),
		"as": errors.As(both.Err(), &as) && as == both,
		"has": both.Has(arith), "hasNot": arith.Has(both), "bit": arith.Flags()[0].Bit(),
		"operation": p.OperationAllReduce.String(), "unknown": p.Operation(77).String(),
		"types": p.DataTypes, "conversions": p.Conversions, "configs": p.ArithmeticConfigs,
		"instances": p.Instances, "streams": p.Streams, "communicators": p.CommunicatorOffsets,
		"name": p.Name + " " + p.Board + " " + p.Part + " " + p.Generation,
	})
}
`

// driverSays runs the program with the driver package of a design.
func driverSays(t *testing.T, d *design.Design) map[string]any {
	t.Helper()
	program := tool(t, "go", "what driver packages say when they run")
	dir := t.TempDir()
	name := d.Platform.Name
	put(t, dir, "go.mod", "module generated\n\ngo 1.18\n")
	put(t, dir, "main.go", strings.ReplaceAll(driverProgram, "NAME", name))
	for path, text := range codeFiles(t, d) {
		if strings.HasPrefix(path, "driver/") {
			put(t, dir, filepath.Join(name, filepath.Base(path)), string(text))
		}
	}
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "off")
	var out map[string]any
	if err := json.Unmarshal([]byte(run(t, dir, program, "run", ".")), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// plainJSON is a value as the program would print it.
func plainJSON(t *testing.T, v any) any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestDriverSays(t *testing.T) {
	for _, name := range []string{"u55c_tcp", "no_lanes"} {
		t.Run(name, func(t *testing.T) {
			d := codeDesign(t, name)
			got := driverSays(t, d)
			code := d.ABI().BitSet(abi.ReturnCode)
			var codes []string
			for _, b := range code.Bits {
				codes = append(codes, b.Name+": "+b.Doc)
			}
			want := map[string]any{
				"codes": codes, "none": "0", "both": "DMA_MISMATCH|ARITH|bit 30",
				"error": "DMA_MISMATCH (bit 0): The status of a DMA transfer belongs to another command.\n" +
					"ARITH (bit 19): The reduction function does not exist, or arithmetic failed.\n" +
					"bit 30 (bit 30): Unknown to this interface generation.",
				"success": true, "failure": true, "is": true, "isNot": false, "isNone": false, "as": true,
				"has": true, "hasNot": false, "bit": 19, "operation": "allreduce", "unknown": "Operation(77)",
				"types": expectedTypes(d), "conversions": expectedConversions(d), "configs": expectedConfigs(d),
				"instances": expectedInstances(d), "streams": expectedStreams(d), "communicators": d.Exchange.Communicators,
				"name": d.Platform.Name + " " + d.Platform.Board.Name + " " + d.Platform.Board.Part + " " + d.ABI().Name,
			}
			if diff := cmp.Diff(plainJSON(t, want), any(got)); diff != "" {
				t.Errorf("-model +driver:\n%s", diff)
			}
		})
	}
}

type object = map[string]any

func expectedTypes(d *design.Design) []object {
	var out []object
	for _, typ := range d.Platform.Types {
		var reductions []object
		if a := d.Platform.Arithmetic; a != nil {
			for _, f := range a.Functions {
				for _, at := range f.TDEST {
					if at.Type == typ.Name {
						reductions = append(reductions, object{"Function": f.Code, "TDEST": at.TDEST})
					}
				}
			}
		}
		out = append(out, object{"Name": typ.Name, "Bytes": typ.Bytes, "Reductions": reductions})
	}
	return out
}

func expectedConversions(d *design.Design) []object {
	out := []object{}
	if c := d.Platform.Compression; c != nil {
		for _, conv := range c.Conversions {
			out = append(out, object{"From": conv.From, "To": conv.To, "TDEST": conv.TDEST, "RatioLog": conv.RatioLog})
		}
	}
	return out
}

func expectedConfigs(d *design.Design) []object {
	out := []object{}
	words := configFacts(d)
	for i, c := range d.Configs {
		config := plainObject(c)
		config["Offset"] = d.Exchange.ArithmeticConfigs[i]
		config["Words"] = words["platform config "+c.Uncompressed+" "+c.Compressed+" words"]
		out = append(out, config)
	}
	return out
}

func plainObject(v any) object {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	var out object
	if err := json.Unmarshal(text, &out); err != nil {
		panic(err)
	}
	return out
}

func expectedInstances(d *design.Design) []object {
	var out []object
	for _, in := range d.Instances {
		var banks []object
		for _, m := range d.Memories {
			if m.Port.Instance == in {
				banks = append(banks, object{"Port": m.Port.Name, "Memory": m.Memory, "First": m.First, "Last": m.Last})
			}
		}
		out = append(out, object{"Name": in.Name, "Kernel": in.Kernel.Name, "Role": in.Role, "CCLO": in.Scope, "SLR": in.SLR, "Banks": banks})
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
