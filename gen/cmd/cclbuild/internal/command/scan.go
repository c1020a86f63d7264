package command

import (
	"context"
	"encoding/json"

	"github.com/cclforge/cclforge/gen/vitis/scan"
)

// inspectors look into cards.
var inspectors []scan.Inspector

// runScan says what the cards of this host hold.
func runScan(ctx context.Context, o *options, c *console) error {
	if len(o.names) > 0 {
		return usagef("scan %s: expected are options, such as -xclbin=%[1]s", o.names[0])
	}
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
