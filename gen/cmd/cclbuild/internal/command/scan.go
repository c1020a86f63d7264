package command

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/vitis/inspect"
	"github.com/cclforge/cclforge/gen/vitis/scan"
	"github.com/cclforge/cclforge/gen/workspace"
)

// runScan says what the cards of this host hold, and how their engines and networks are.
func runScan(ctx context.Context, o *options, c *console) error {
	if len(o.names) > 0 {
		return usagef("scan %s: expected are options, such as -xclbin=%[1]s", o.names[0])
	}
	w, err := workspace.Open(".", c.remark)
	if err != nil {
		return err
	}
	if _, err := w.Inputs("-vars", o.vars); err != nil {
		return err
	}
	inspectors := []scan.Inspector{&inspect.Inspector{Designs: elaborate(w, o.vars)}}
	found, err := scan.Scan(ctx, scan.Options{Files: o.xclbins, Out: o.out, Cache: o.cache, Inspectors: inspectors})
	if err != nil {
		return err
	}
	if o.json {
		if found == nil {
			found = []scan.Card{}
		}
		e := json.NewEncoder(c.out)
		e.SetIndent("", "  ")
		return e.Encode(found)
	}
	return scan.Table(c.out, found)
}

// elaborate finds designs by the names of their platforms: as the variables have them,
// and as they are without.
func elaborate(w *workspace.Workspace, vars string) func(platform string) ([]*design.Design, error) {
	return func(platform string) (out []*design.Design, err error) {
		lib, err := w.Library()
		if err != nil {
			return nil, err
		}
		for _, text := range slices.Compact([]string{vars, ""}) {
			in, err := w.Inputs("-vars", text)
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
