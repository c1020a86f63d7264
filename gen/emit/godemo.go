package emit

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/gen/design"
)

const (
	demoFile     = "demo/main.go"
	demoTemplate = "driver/demo.go.tmpl"
	// outputPath is how the demo imports driver packages: as those of our own
	// checkout. Who runs it elsewhere says where they are.
	outputPath = "github.com/cclforge/cclforge/out"
)

// DriverImport is what the demo of a platform imports its driver package as.
func DriverImport(platform string) string { return path.Join(outputPath, platform, "driver") }

// godemo renders the program that runs the driver package on emulated ranks.
// It stands beside the package, because users who copy that do not want the
// emulator with it.
func godemo(d *design.Design) ([]File, error) {
	p := d.Platform
	text, err := formatted(demoTemplate, struct{ Source, Package, Import, Variables string }{
		p.File, p.Name, DriverImport(p.Name), assignments(p.Variables),
	})
	return []File{{demoFile, text, platformInputs(d, demoTemplate)}}, err
}

// assignments writes values of variables as one HCL object on one line, or
// nothing if there are none.
func assignments(values map[string]cty.Value) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := hclwrite.TokensForValue(values[name]).Bytes()
		list = append(list, name+" = "+string(value))
	}
	if list == nil {
		return ""
	}
	return "{" + strings.Join(list, ", ") + "}"
}
