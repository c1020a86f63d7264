package bench

import (
	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/driverview"
)

// summed are the data types that the platform can sum, of those whose results can be
// checked.
func summed(d *design.Design) []accl.DType {
	p := driverview.Of(d)
	var types []accl.DType
	for _, f := range p.Functions {
		if _, ok := forms[f.Type]; ok && f.Name == accl.Sum {
			types = append(types, f.Type)
		}
	}
	return types
}
