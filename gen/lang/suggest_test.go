package lang_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/lang"
)

func TestNearest(t *testing.T) {
	boards := []string{"u50", "u55c", "u200", "u250", "u280"}
	for name, want := range map[string]string{
		"u55":      "u55c",
		"U55C":     "u55c",
		"u5c5":     "u55c",
		"u2002":    "u200",
		"vck5000":  "",
		"":         "",
		"x":        "",
		"u55c_tcp": "",
	} {
		assert.Check(t, is.Equal(lang.Nearest(name, boards), want), "Nearest(%q)", name)
	}
	assert.Check(t, is.Equal(lang.Nearest("netowrk", []string{"network", "networks"}), "network"), "swapped letters")
	assert.Check(t, is.Equal(lang.Nearest("b", nil), ""), "no options")
	long := strings.Repeat("x", 1<<20)
	assert.Check(t, lang.Nearest(long, []string{long + "y"}) != "", "long names are compared by their beginning")
}

func TestChoices(t *testing.T) {
	for name, want := range map[string]string{
		"udpp": `Did you mean "udp"? Known: rdma, tcp, udp.`,
		"ib":   "Known: rdma, tcp, udp.",
	} {
		assert.Check(t, is.Equal(lang.Choices(name, []string{"udp", "tcp", "rdma"}), want))
	}
	assert.Check(t, is.Equal(lang.Choices("x", nil), "There are none."))
}
