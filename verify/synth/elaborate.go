// Package synth reads hardware as yosys does, whose subset of SystemVerilog is
// smaller than Verilator's, and says what became of it.
package synth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// ErrNoYosys says that there is no yosys.
var ErrNoYosys = errors.New("there is no yosys: install the package yosys")

// Available tells whether there is a yosys.
func Available() error {
	if _, err := exec.LookPath("yosys"); err != nil {
		return fmt.Errorf("%w (%w)", ErrNoYosys, err)
	}
	return nil
}

// Memory is a memory of a design.
type Memory struct {
	Name         string // module and memory
	Width, Words int
	Unregistered bool // a read port answers in the same cycle: no block RAM can do that
}

// firmware is what the control processor's memory holds in hardware; here it may
// be empty.
const firmware = "cclo_firmware.mem"

// Every latch, undriven or doubly driven net and combinational loop in a module
// is an error.
const checks = `proc
opt_clean
check -assert
select -assert-none t:$dlatch t:$adlatch t:$dlatchsr
`

const passes = checks + `opt_expr -keepdc
opt_clean
opt_dff
opt_clean
memory_dff
memory_collect
json -o memories.json t:$mem_v2
`

// Elaborate elaborates a module up to registers and memories, and returns the
// memories. Sources come packages first; dir is for what is made on the way.
func Elaborate(ctx context.Context, dir, module string, sources ...string) ([]Memory, error) {
	if err := Available(); err != nil {
		return nil, err
	}
	var script strings.Builder
	for _, s := range sources {
		fmt.Fprintf(&script, "read_verilog -sv -defer %s\n", s)
	}
	fmt.Fprintf(&script, "hierarchy -check -top %s\n%s", module, passes)
	for name, text := range map[string]string{"elaborate.ys": script.String(), firmware: ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	c := exec.CommandContext(ctx, "yosys", "-q", "-T", "-l", "yosys.log", "elaborate.ys")
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("elaborate %s: %w\n%s", module, errors.Join(ctx.Err(), err), bytes.TrimSpace(out))
	}
	text, err := os.ReadFile(filepath.Join(dir, "memories.json"))
	if err != nil {
		return nil, err
	}
	return memories(text)
}

// memories reads the cells that yosys made of memories.
func memories(text []byte) ([]Memory, error) {
	var netlist struct {
		Modules map[string]struct {
			Cells map[string]struct {
				Parameters map[string]string
			}
		}
	}
	if err := json.Unmarshal(text, &netlist); err != nil {
		return nil, fmt.Errorf("what yosys made of memories: %w", err)
	}
	var found []Memory
	for module, m := range netlist.Modules {
		for _, cell := range m.Cells {
			memory := Memory{
				Name:         module + "." + strings.TrimPrefix(cell.Parameters["MEMID"], `\`),
				Unregistered: strings.Contains(cell.Parameters["RD_CLK_ENABLE"], "0"),
			}
			for name, to := range map[string]*int{"WIDTH": &memory.Width, "SIZE": &memory.Words} {
				n, err := strconv.ParseInt(cell.Parameters[name], 2, 32)
				if err != nil {
					return nil, fmt.Errorf("memory %s: %w", memory.Name, err)
				}
				*to = int(n)
			}
			found = append(found, memory)
		}
	}
	slices.SortFunc(found, func(a, b Memory) int { return strings.Compare(a.Name, b.Name) })
	return found, nil
}
