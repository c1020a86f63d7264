package emit

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
)

// Wireshark loads the dissector whatever descriptions say, and knows each field by its name.
func TestDissectorLoads(t *testing.T) {
	program := tool(t, "tshark", "the dissector")
	wide := with(t, func(g *abi.Generation) {
		g.Layouts = []abi.Layout{
			{Name: abi.MessageHeader, Width: 200, Fields: []abi.Field{
				{Name: "count", High: 31}, {Name: "bit", High: 37, Low: 37}, {Name: "inner", High: 63, Low: 40,
					Doc: "A part (layout parts)."}, {Name: "long", High: 190, Low: 91, Doc: "More than a word."}}},
			{Name: "parts", Width: 24, Fields: []abi.Field{{Name: "low", High: 2, Low: 1, Doc: "The enum odd."},
				{Name: "high", High: 23, Low: 3}}},
		}
		g.Enums = []abi.Enum{{Name: "odd", Values: []abi.EnumValue{{Name: "end", Value: 1}}}}
	})
	const emptyFile = "\xd4\xc3\xb2\xa1\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\x00\x00\x01\x00\x00\x00"
	for d, names := range map[*design.Design][]string{
		reworded(t, hostileTexts...): {"count", "msg_type", "vaddr", "collective_shape"},
		wide:                         {"count", "bit", "inner", "inner.low", "inner.high", "long"},
	} {
		f, err := dissector(d)
		assert.NilError(t, err)
		dir := t.TempDir()
		put(t, dir, "ccl.lua", string(f.Content))
		put(t, dir, "empty.pcap", emptyFile)
		command := exec.CommandContext(t.Context(), program, "-X", "lua_script:ccl.lua", "-r", "empty.pcap", "-Y",
			"ccl."+strings.Join(names, " || ccl."))
		command.Dir, command.Env = dir, append(os.Environ(), "HOME="+dir)
		out, err := command.CombinedOutput()
		assert.Check(t, err == nil && !strings.Contains(string(out), "Lua"), "%v: %s", err, out)
	}
}
