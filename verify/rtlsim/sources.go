package rtlsim

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
)

const (
	rtlRoot = "rtl/"
	topFile = rtlRoot + top + ".sv"
	// defines is compiled before everything else.
	defines = "sim/simulation.sv"
)

// sources are the files of a platform with its top level for simulation, in
// compile order.
func sources(d *design.Design) ([]string, error) {
	rendered, err := emit.Platform(d)
	if err != nil {
		return nil, fmt.Errorf("render the hardware of %s: %w", d.Platform.Name, err)
	}
	files, complete := map[string][]byte{}, false
	for _, f := range rendered {
		if strings.HasPrefix(f.Path, rtlRoot) && path.Ext(f.Path) == ".sv" {
			files[strings.TrimPrefix(f.Path, rtlRoot)] = f.Content
			complete = complete || f.Path == topFile
		}
	}
	if !complete {
		return nil, fmt.Errorf("%s links kernels that there are no models of", d.Platform.Name)
	}
	paths, err := verilate.Place(files)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(paths, func(a, b string) int { return first(a) - first(b) })
	return paths, nil
}

// first is 0 for what is compiled first.
func first(path string) int {
	if strings.HasSuffix(path, defines) {
		return 0
	}
	return 1
}
