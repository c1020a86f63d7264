package plugins_test

import (
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/world"
)

// The example of a type of one's own is as exact as the reference plugins.
func TestTheExampleOfBFloat16GivesTheExactBits(t *testing.T) {
	t.Chdir("../../examples/userkernels")
	d, err := world.Design("bf16", "")
	assert.NilError(t, err)
	all, tdests := operations(t, d)
	exactReductions(t, open(t, compiled(t, d, "bf16_ops"), 64), all, tdests)
	newCompressor(t, d).exact(t, open(t, compiled(t, d, "bf16_compression"), 64))
}
