package userkernels_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/workspace"
)

// Two files of one's own, which templates beside the platform make of the design.
func TestOutputs(t *testing.T) {
	out := t.TempDir()
	w, err := workspace.Open(".", t.Logf)
	assert.NilError(t, err)
	only := workspace.Selection{Only: "checklist"}
	designs, err := w.Validate(t.Context(), only)
	assert.NilError(t, err)
	_, err = w.Generate(t.Context(), workspace.Options{Selection: only, Out: out})
	assert.NilError(t, err)
	d := designs[0]
	p := d.Platform

	list := fmt.Sprintf("# Bring-up of checklist\n\n- [ ] The card is a U280 (%s) with the shell %s.\n",
		p.Board.Part, p.Board.Shell)
	for _, poe := range p.POEs {
		list += fmt.Sprintf("- [ ] Ethernet port %d is connected: TCP.\n", poe.Port)
	}
	for _, in := range d.Instances {
		if in.Role == "engine" {
			list += fmt.Sprintf("- [ ] %s, in SLR%d, has the hardware ID %08x.\n", in.Name, in.SLR, d.HardwareID)
		}
	}
	var functions []string
	for _, f := range p.Arithmetic.Functions {
		functions = append(functions, fmt.Sprintf("%s (number %d)", f.Name, f.Code))
	}
	list += "- [ ] Reductions: " + strings.Join(functions, ", ") + ".\n" +
		"- [ ] `go tool mage selftest -on=card:checklist.xclbin` passes.\n"
	same(t, filepath.Join(out, "checklist", "docs", "bringup.md"), list)

	same(t, filepath.Join(out, "checklist", "cluster.yaml"), fmt.Sprintf(`platform: "checklist"
board: "u280"
clock_mhz: %d
max_ranks: %d
description: %q
ports:
  - {port: 0, stack: tcp}
  - {port: 1, stack: tcp}
`, p.Clock, min(d.Exchange.MaxRanks, 64), p.Doc))
}

func same(t *testing.T, file, want string) {
	t.Helper()
	got, err := os.ReadFile(file)
	assert.NilError(t, err)
	assert.Check(t, is.Equal(string(got), want), "%s is\n%s\nand", file, got)
}
