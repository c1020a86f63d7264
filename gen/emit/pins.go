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
	"github.com/cclforge/cclforge/gen/platform"
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
	moduleLine    = regexp.MustCompile(`^module\s+(\w+)\s*(#?)\s*\($`)
	pinLine       = regexp.MustCompile(`^(input|output)\s+(?:wire|logic)?\s*(?:\[([^\]]+)\])?\s*(\w+)$`)
	parameterLine = regexp.MustCompile(`^parameter\b.*?(\w+)\s*=`)
	literalRange  = regexp.MustCompile(`^(\d+):0$`)
)

// parseModule reads the header of a module: a line for each parameter and port,
// as all of ours have it. What it does not understand is an error.
func parseModule(name string, text []byte) (*moduleHeader, error) {
	m := &moduleHeader{Name: name, Parameters: map[string]bool{}}
	const (
		before = iota
		parameters
		ports
	)
	at := before
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "//")
		line = strings.TrimSpace(line)
		switch {
		case at == before:
			if h := moduleLine.FindStringSubmatch(line); h != nil && h[1] == name {
				at = ports
				if h[2] != "" {
					at = parameters
				}
			}
		case line == "":
		case at == parameters && line == ") (":
			at = ports
		case at == ports && line == ");":
			return m, nil
		case at == parameters:
			p := parameterLine.FindStringSubmatch(line)
			if p == nil {
				return nil, fmt.Errorf("%s has no parameter in its line %q", name, line)
			}
			m.Parameters[p[1]] = true
		default:
			q, err := parsePin(strings.TrimSpace(strings.TrimSuffix(line, ",")))
			if err != nil {
				return nil, fmt.Errorf("module %s: %w", name, err)
			}
			m.Pins = append(m.Pins, q)
		}
	}
	if at != before {
		return nil, fmt.Errorf("the ports of module %s have no end", name)
	}
	return nil, fmt.Errorf("%w %s in its file", errNoModule, name)
}

func parsePin(line string) (pin, error) {
	p := pinLine.FindStringSubmatch(line)
	if p == nil {
		return pin{}, fmt.Errorf("no port in the line %q", line)
	}
	q := pin{p[3], p[1] == "output", 1}
	if p[2] != "" {
		q.Width = 0
		if r := literalRange.FindStringSubmatch(p[2]); r != nil {
			high, err := strconv.Atoi(r[1])
			if err != nil {
				return pin{}, fmt.Errorf("the width of %s: %w", q.Name, err)
			}
			q.Width = high + 1
		}
	}
	return q, nil
}

// modelFolder holds simulation models, also of kernels that are not part of the repository.
const modelFolder = "rtl/sim"

// moduleOf is the module of a kernel: its RTL, the one that leads to its C++, or the
// model of a kernel that somebody else has written.
func moduleOf(d *design.Design, k *design.Kernel, view hardwareView) (*moduleHeader, error) {
	if k.InCpp() {
		f, err := cosim(d, k, view)
		if err != nil {
			return nil, err
		}
		return parseModule(k.Name, f.Content)
	}
	own := hardwareFolder{path: path.Join(rtlFolder, k.ID), kernel: k}
	name := path.Join(own.path, k.Name+".sv")
	if k.Source != platform.SourceRTL {
		name = path.Join(modelFolder, k.Name+".sv")
	} else if from := own.from(); from != own.path {
		name = topFileOf(from)
	}
	if text, err := fs.ReadFile(templates.FS, name); err == nil {
		return parseModule(k.Name, text)
	}
	if _, err := fs.Stat(templates.FS, name+templateSuffix); err != nil {
		return nil, fmt.Errorf("%w of %s", errNoModule, k.Name)
	}
	view.Kernel = k
	f, err := hardwareFile(d, name+templateSuffix, view)
	if err != nil {
		return nil, err
	}
	return parseModule(k.Name, f.Content)
}
