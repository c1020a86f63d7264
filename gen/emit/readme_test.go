package emit

import (
	"os"
	"testing"

	"github.com/cclforge/cclforge/gen/designtest"
)

// The picture in the README is what the generator draws today. After a change
// of the drawing, copy out/u55c_tcp/docs/floorplan.svg there, and look at it.
func TestPictureOfTheReadme(t *testing.T) {
	shown, err := os.ReadFile("../../platforms/u55c_tcp.svg")
	check(t, err)
	files, err := docs(designtest.Load(t, "u55c_tcp", nil))
	check(t, err)
	for _, f := range files {
		if f.Path == "docs/floorplan.svg" && string(f.Content) != string(shown) {
			t.Error("platforms/u55c_tcp.svg differs from the floorplan that is rendered")
		}
	}
}
