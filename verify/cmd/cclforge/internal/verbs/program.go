package verbs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cclforge/cclforge/gen/vitis/cards"
)

// runProgram loads a card, with a file or with the last build of a platform.
func runProgram(ctx context.Context, o *options, c *console) error {
	file := o.names[0]
	if ext := filepath.Ext(file); ext != ".xclbin" && ext != ".bit" {
		file = filepath.Join(resultsOf(o.out, o.names[0]), o.names[0]+".xclbin")
		if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
			// A platform inside a shell has a bit stream, which cards.Program has words for.
			bit := strings.TrimSuffix(file, ".xclbin") + ".bit"
			if _, err := os.Stat(bit); err != nil {
				return fmt.Errorf("there is no %s; cclforge build %s makes it", file, o.names[0])
			}
			file = bit
		}
	}
	card, err := cards.Program(ctx, cards.Request{File: file, Device: o.device, Force: o.force,
		Say: func(line string) { c.remark("%s", line) }})
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "%s %s holds %s, %s\n", card.BDF, card.Name, file, card.Loaded)
	return nil
}
