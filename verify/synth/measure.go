package synth

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cclforge/cclforge/verify/internal/tools"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
)

// Result is what became of a module.
type Result struct {
	Use
	// The longest paths: between registers, from ports to registers, from
	// registers to ports, and from ports to ports. Without levels and ends if there
	// is none.
	Inside, In, Out, Across Path
	// Parts are instances of modules that were left out, by name.
	Parts map[string]int `json:",omitempty"`
}

// version is part of the key of all results: other rules make others.
const version = "1"

const mapping = `synth_xilinx -family xcup -top %s -flatten -noiopad -noclkbuf
json -o netlist.json
`

// Measure maps a module to a device, or finds in the cache what became of it.
// Modules of which only the ports are in the sources stay instances.
func Measure(ctx context.Context, module string, sources Sources, out []string) (*Result, error) {
	if err := Available(); err != nil {
		return nil, err
	}
	tool, err := tools.Find(ctx, "yosys")
	if err != nil {
		return nil, err
	}
	dir, err := tools.Dir("synth")
	if err != nil {
		return nil, err
	}
	hash := sha256.New()
	fmt.Fprintln(hash, version, tool.Version, checks, mapping, Rules, out, sources.Key(module))
	entry := tools.Entry{Dir: dir, Key: hex.EncodeToString(hash.Sum(nil)), File: "result.json"}
	file, err := entry.Get(ctx, func(dir string) error { return measure(ctx, dir, module, sources, out) })
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := &Result{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

// measure leaves what became of a module in a directory.
func measure(ctx context.Context, dir, module string, sources Sources, out []string) error {
	files, err := verilate.Place(sources)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "synth")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	var script strings.Builder
	for _, f := range files {
		fmt.Fprintf(&script, "read_verilog -sv -defer %s\n", f)
	}
	fmt.Fprintf(&script, "hierarchy -check -top %s\n%s", module, checks)
	fmt.Fprintf(&script, mapping, module)
	if err := yosys(ctx, work, script.String()); err != nil {
		return fmt.Errorf("synthesize %s: %w", module, err)
	}
	text, err := os.ReadFile(filepath.Join(work, "netlist.json"))
	if err != nil {
		return err
	}
	n, err := readNetlist(text, module)
	if err != nil {
		return err
	}
	r, err := n.result(out)
	if err != nil {
		return fmt.Errorf("%s: %w", module, err)
	}
	if text, err = json.Marshal(r); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "result.json"), text, 0o666)
}

// result counts and follows what a netlist has.
func (n *netlist) result(out []string) (*Result, error) {
	r := &Result{}
	for _, c := range n.Cells {
		for _, name := range out {
			if c.Type == name {
				if r.Parts == nil {
					r.Parts = map[string]int{}
				}
				r.Parts[name]++
			}
		}
		r.count(c)
	}
	t, err := newTiming(n)
	if err != nil {
		return nil, err
	}
	r.Inside, r.In, r.Out, r.Across = t.longest(false, false), t.longest(true, false), t.longest(false,
		true), t.longest(true, true)
	return r, nil
}

// yosys runs a script; what went wrong is told by its own words.
func yosys(ctx context.Context, dir, script string) error {
	for name, text := range map[string]string{"script.ys": script, firmware: ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	tool, err := tools.Find(ctx, "yosys")
	if err != nil {
		return err
	}
	said, err := tool.Run(ctx, dir, "-q", "-T", "-l", "yosys.log", "script.ys")
	if err == nil {
		return nil
	}
	var lines [][]byte
	for line := range bytes.Lines(said) { // of memories that were resized nobody wants to know
		if !bytes.HasPrefix(line, []byte("Warning: Resizing")) {
			lines = append(lines, line)
		}
	}
	return fmt.Errorf("%w\n%s", err, bytes.TrimSpace(bytes.Join(lines, nil)))
}
