package verbs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cclforge/cclforge/gen/firmware"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/platforms"
)

// prebuilt builds the control firmware again and compares it with the embedded images.
// Unlike the test, it reports what it cannot check.
func prebuilt(ctx context.Context) error {
	compiler, err := firmware.FindCompiler(ctx)
	if err != nil && !errors.Is(err, firmware.ErrNoCompiler) {
		return err
	}
	lib, diags := platform.NewLibrary(lang.NewParser(), platforms.FS)
	if diags.HasErrors() {
		return diags
	}
	for _, name := range slices.Sorted(maps.Keys(lib.ABIs)) {
		unverified, err := firmware.Verify(ctx, compiler, lib.ABIs[name])
		switch {
		case err != nil:
			return err
		case unverified != "":
			fmt.Printf("SKIPPED: the image of %s was not built again: %s\n", name, unverified)
		default:
			fmt.Printf("the image of %s is what its sources make, byte for byte\n", name)
		}
	}
	return nil
}
