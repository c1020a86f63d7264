package lang_test

import (
	"strings"
	"testing"

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
		if got := lang.Nearest(name, boards); got != want {
			t.Errorf("Nearest(%q) = %q, not %q", name, got, want)
		}
	}
	if got := lang.Nearest("netowrk", []string{"network", "networks"}); got != "network" {
		t.Errorf("swapped letters: %q", got)
	}
	if got := lang.Nearest("b", nil); got != "" {
		t.Errorf("no options: %q", got)
	}
	long := strings.Repeat("x", 1<<20)
	if got := lang.Nearest(long, []string{long + "y"}); got == "" {
		t.Error("long names are compared by their beginning")
	}
}

func TestChoices(t *testing.T) {
	for name, want := range map[string]string{
		"udpp": `Did you mean "udp"? Known: rdma, tcp, udp.`,
		"ib":   "Known: rdma, tcp, udp.",
	} {
		if got := lang.Choices(name, []string{"udp", "tcp", "rdma"}); got != want {
			t.Errorf("%q", got)
		}
	}
	if got := lang.Choices("x", nil); got != "There are none." {
		t.Errorf("%q", got)
	}
}
