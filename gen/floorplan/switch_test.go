package floorplan_test

import (
	"maps"
	"regexp"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/emit"
)

// The picture joins the switch as the script of the link does.
func TestSwitchIsThatOfTheLink(t *testing.T) {
	files, err := emit.Platform(designtest.Load(t, "u55c_axis3x", nil))
	assert.NilError(t, err)
	content := map[string]string{}
	for _, f := range files {
		content[f.Path] = string(f.Content)
	}
	linked, drawn := map[string]bool{}, map[string]bool{}
	for _, m := range regexp.MustCompile(`connect_bd_intf_net \[get_bd_intf_pins (\S+)\] \[get_bd_intf_pins (\S+)\]`).
		FindAllStringSubmatch(content["vitis/post_link.tcl"], -1) {
		linked[strings.ReplaceAll(m[1]+" → "+m[2], "/", ".")] = true
	}
	for _, m := range regexp.MustCompile(`class="wire mac [a-z]+"><title>([^,]+), `).
		FindAllStringSubmatch(content["docs/floorplan.svg"], -1) {
		drawn[m[1]] = true
	}
	assert.Check(t, len(linked) == 6 && maps.Equal(linked, drawn), "linked: %v\ndrawn: %v", linked, drawn)
	cell := regexp.MustCompile(`create_bd_cell .*:(\w+):[0-9.]+ (\w+)\]`).FindStringSubmatch(
		content["vitis/post_link.tcl"])
	assert.Check(t, cell != nil && strings.Contains(content["docs/floorplan.svg"], "<title>"+cell[2]+": "+cell[1]),
		"the link's switch is %q", cell)
}
