package emit

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/templates"
)

// pin is a port of a module as its source has it.
type pin struct {
	Name   string
	Output bool
	Width  int // bits; 0 where it depends on a parameter
}

// moduleHeader is what the platform's top level has to know of one.
type moduleHeader struct {
	Name       string
	Pins       []pin
	Parameters map[string]bool
}

// errNoModule says that there is neither RTL nor a model of a kernel.
var errNoModule = errors.New("there is no module")

var (
	pinLine       = regexp.MustCompile(`^\s*(input|output)\s+(?:wire|logic)?\s*(\[[^\]]+\])?\s*(\w+)\s*,?\s*(?://.*)?$`)
	parameterLine = regexp.MustCompile(`^\s*parameter\b.*?(\w+)\s*=`)
	literalRange  = regexp.MustCompile(`^\[(\d+):0\]$`)
)

// parseModule reads the header of a module: a line for each port, as all of
// ours have it.
func parseModule(name string, text []byte) (*moduleHeader, error) {
	m := &moduleHeader{Name: name, Parameters: map[string]bool{}}
	inside := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "module "+name) {
			inside = true
			continue
		}
		if !inside {
			continue
		}
		if strings.HasPrefix(line, ");") {
			return m, nil
		}
		if p := parameterLine.FindStringSubmatch(line); p != nil {
			m.Parameters[p[1]] = true
		}
		if p := pinLine.FindStringSubmatch(line); p != nil {
			width := 1
			if p[2] != "" {
				width = 0
				if r := literalRange.FindStringSubmatch(p[2]); r != nil {
					high, err := strconv.Atoi(r[1])
					if err != nil {
						return nil, fmt.Errorf("the width of %s.%s: %w", name, p[3], err)
					}
					width = high + 1
				}
			}
			m.Pins = append(m.Pins, pin{p[3], p[1] == "output", width})
		}
	}
	return nil, fmt.Errorf("%w %s in its file", errNoModule, name)
}

// modelFolder holds simulation models, among them those of kernels of others.
const modelFolder = "rtl/sim"

// moduleOf is the module of a kernel: its RTL, or the model of a kernel that
// somebody else has written.
func moduleOf(d *design.Design, k *design.Kernel, view hardwareView) (*moduleHeader, error) {
	folder := path.Join(rtlFolder, k.ID)
	if k.Source != hardwareSource {
		folder = modelFolder
	}
	name := path.Join(folder, k.Name+".sv")
	if text, err := fs.ReadFile(templates.FS, name); err == nil {
		return parseModule(k.Name, text)
	}
	if _, err := fs.Stat(templates.FS, name+templateSuffix); err != nil {
		return nil, fmt.Errorf("%w of %s", errNoModule, k.Name)
	}
	f, err := hardwareFile(d, name+templateSuffix, view)
	if err != nil {
		return nil, err
	}
	return parseModule(k.Name, f.Content)
}
