package rtlsim

import (
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/platforms"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
)

// joinedEngines is a platform with some engines that talk to each other on the card:
// one with memory for more than those that are shipped.
func joinedEngines(t *testing.T, n int) *design.Design {
	t.Helper()
	board, err := platforms.FS.ReadFile("boards/u280.hcl")
	assert.NilError(t, err)
	text := strings.NewReplacer(`board "u280"`, `board "large"`, "banks = 32", "banks = 64").Replace(string(board))
	name := fmt.Sprintf("joined%d", n)
	own := fmt.Sprintf(`platform %q {
  board = "large"
  clock = 250
  cclo {
    count = %d
  }
  poe "axis" {}
  arithmetic "reduce_ops" {}
  compression "hp_compression" {}
}
`, name, n)
	return designtest.Made(t, name, map[string]string{"boards/large.hcl": text, name + ".hcl": own})
}

// TestOneToEightEnginesLint checks cards with as many engines as there may be.
func TestOneToEightEnginesLint(t *testing.T) {
	if err := verilate.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	if testing.Short() {
		t.Skip("short")
	}
	for _, n := range nightly.Of([]int{8}, []int{1, 2, 3, 8}) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			d := joinedEngines(t, n)
			files, own := hardware(t, d)
			assert.Check(t, lint(t.Context(), outside(t, files, own), top))
			for i := range n {
				if _, err := controlPort(d, i); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
