package command

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/cclforge/cclforge/gen/firmware"
	"github.com/cclforge/cclforge/gen/workspace"
)

// images is where prebuilt control firmware stands in the repository.
const images = "firmware/images"

// buildFirmware builds the control firmware of every interface generation.
func buildFirmware(ctx context.Context) error {
	compiler, err := firmware.FindCompiler(ctx)
	if err != nil {
		return err
	}
	return with(func(w *workspace.Workspace) error {
		lib, err := w.Library()
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(lib.ABIs)) {
			built, err := firmware.Write(ctx, compiler, lib.ABIs[name], images)
			if err != nil {
				return err
			}
			news := "unchanged"
			if built.Changed {
				news = "written to " + images
			}
			fmt.Printf("%s: %d bytes of %d, %s\n", built.Generation, built.Bytes, built.RAMBytes, news)
		}
		return nil
	})
}
