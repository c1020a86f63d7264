package verbs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/cclforge/cclforge/driver/coyote"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/vitis/cards"
	"github.com/cclforge/cclforge/gen/workspace"
)

// runScan says what the cards of this host hold, and how their engines and networks are.
func runScan(ctx context.Context, o *options, c *console) error {
	w, err := workspace.Open(".", c.remark)
	if err != nil {
		return err
	}
	if _, err := w.Inputs("--vars", o.vars); err != nil {
		return err
	}
	lib, err := w.Library()
	if err != nil {
		return err
	}
	designs := elaborate(w, o.vars)
	shells := &cards.Shells{Drivers: cards.Drivers(lib), System: shellSystem}
	if o.platform != "" {
		all, err := designs(o.platform)
		if err != nil {
			return err
		}
		shells.Design = all[0]
	}
	found, err := cards.Scan(ctx, cards.Options{
		Files: o.xclbins, Out: o.out, Cache: o.cache,
		Inspectors: []cards.Inspector{&cards.Engines{Designs: designs}}, Finders: []cards.Finder{shells},
	})
	switch {
	case errors.Is(err, cards.ErrNoXRT) && len(found) == 0:
		return fmt.Errorf("%w (and no shell's driver shows a card)", err)
	case err != nil && len(found) == 0:
		return err
	case errors.Is(err, cards.ErrNoXRT):
		// Cards in shells do not need it.
		c.remark("%v", err)
		err = nil
	}
	return errors.Join(err, tell(o, c, found))
}

// shellSystem is what cards in shells are reached by, nil for that which this process runs on.
var shellSystem coyote.System

func tell(o *options, c *console, found []cards.Found) error {
	if o.json {
		if found == nil {
			found = []cards.Found{}
		}
		e := json.NewEncoder(c.out)
		e.SetIndent("", "  ")
		return e.Encode(found)
	}
	return cards.Table(c.out, found)
}

// elaborate finds designs by the names of their platforms: as the variables have them,
// and as they are without.
func elaborate(w *workspace.Workspace, vars string) func(platform string) ([]*design.Design, error) {
	return func(platform string) (out []*design.Design, err error) {
		lib, err := w.Library()
		if err != nil {
			return nil, err
		}
		if err := workspace.Find(platform, lib.PlatformNames()); err != nil {
			return nil, err
		}
		for _, text := range slices.Compact([]string{vars, ""}) {
			in, err := w.Inputs("--vars", text)
			if err != nil {
				return nil, err
			}
			d, diags := design.Load(lib, platform, in)
			if err := w.Check(diags); err != nil {
				return nil, err
			}
			out = append(out, d)
		}
		return out, nil
	}
}
