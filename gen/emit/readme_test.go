package emit

import (
	"os"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/designtest"
)

// The picture in the README is what the generator draws today. After a change
// of the drawing, copy out/u55c_tcp/docs/floorplan.svg there, and look at it.
func TestPictureOfTheReadme(t *testing.T) {
	shown, err := os.ReadFile("../../platforms/u55c_tcp.svg")
	assert.NilError(t, err)
	files, err := docs(designtest.Load(t, "u55c_tcp", nil))
	assert.NilError(t, err)
	for _, f := range files {
		assert.Check(t, f.Path != "docs/floorplan.svg" || string(f.Content) == string(shown),
			"platforms/u55c_tcp.svg differs from the floorplan that is rendered")
	}
}
