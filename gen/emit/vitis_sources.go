package emit

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/platform"
)

// A module or package stands in the file of its name, which is how the files of a
// kernel are found.
var (
	packageUse  = regexp.MustCompile(`\b(\w+)\s*::`)
	instanceUse = regexp.MustCompile(`(?m)^\s*(\w+)\s+(?:#\s*\(|\w+\s*(?:\[[^\]]*\]\s*)?\()`)
	commentText = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"`)
)

// hardwareSources is the RTL that the kernels of a platform are made of, by path.
func hardwareSources(d *design.Design) (map[string][]byte, hardwareView, error) {
	pkg, symbols, err := svPackage(d)
	if err != nil {
		return nil, hardwareView{}, err
	}
	view := newHardwareView(d, symbols)
	files, err := hardware(d, view)
	if err != nil {
		return nil, view, err
	}
	sources := map[string][]byte{}
	for _, f := range append(files, pkg...) {
		sources[f.Path] = f.Content
	}
	return sources, view, nil
}

// KernelSources are the paths of the RTL of a kernel, and of nothing else, in the
// order in which they are compiled: packages, and modules before those that have
// them inside. The last one is the top module.
func KernelSources(d *design.Design, k *design.Kernel) ([]string, error) {
	sources, _, err := hardwareSources(d)
	if err != nil {
		return nil, err
	}
	return kernelSources(sources, k)
}

func kernelSources(sources map[string][]byte, k *design.Kernel) ([]string, error) {
	top := path.Join(rtlFolder, k.ID, k.Name+".sv")
	if sources[top] == nil {
		return nil, fmt.Errorf("kernel %s: there is no file %s", k.ID, top)
	}
	byName := map[string][]string{}
	for name := range sources {
		unit := strings.TrimSuffix(path.Base(name), ".sv")
		byName[unit] = append(byName[unit], name)
	}
	var packages, modules []string
	seen := map[string]bool{}
	var visit func(name string) error
	visit = func(name string) error {
		if seen[name] {
			return nil
		}
		seen[name] = true
		for _, unit := range usedUnits(sources[name]) {
			in := byName[unit]
			switch {
			case len(in) == 0: // not ours: a word of the language, or a model
				continue
			case len(in) > 1:
				return fmt.Errorf("kernel %s: %s may be any of %s", k.ID, unit, strings.Join(slices.Sorted(slices.Values(in)), ", "))
			}
			if err := visit(in[0]); err != nil {
				return err
			}
		}
		if strings.HasSuffix(name, packageSuffix) {
			packages = append(packages, name)
		} else {
			modules = append(modules, name)
		}
		return nil
	}
	if err := visit(top); err != nil {
		return nil, err
	}
	return append(packages, modules...), nil
}

// usedUnits are the packages and modules that a source may use, in order of
// appearance. What only simulations have is left out.
func usedUnits(text []byte) []string {
	plain := commentText.ReplaceAll(synthesized(text), []byte(" "))
	var units []string
	add := func(found [][][]byte) {
		for _, f := range found {
			if unit := string(f[1]); !slices.Contains(units, unit) {
				units = append(units, unit)
			}
		}
	}
	add(packageUse.FindAllSubmatch(plain, -1))
	add(instanceUse.FindAllSubmatch(plain, -1))
	return units
}

// synthesisMacro is the only macro that synthesis defines (UG901, "Verilog Macros").
const synthesisMacro = "SYNTHESIS"

// synthesized is a source without the lines that synthesis does not see.
func synthesized(text []byte) []byte {
	var out []byte
	var hidden []bool // for each conditional that we are in
	for line := range bytes.Lines(text) {
		directive, macro, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		last := len(hidden) - 1
		switch {
		case directive == "`ifdef" || directive == "`ifndef":
			words := strings.Fields(macro)
			defined := len(words) > 0 && words[0] == synthesisMacro
			hidden = append(hidden, defined != (directive == "`ifdef"))
		case directive == "`else" && last >= 0:
			hidden[last] = !hidden[last]
		case directive == "`endif" && last >= 0:
			hidden = hidden[:last]
		case !slices.Contains(hidden, true):
			out = append(out, line...)
		}
	}
	return out
}

// kernelPins are the pins of a kernel's top module with their widths, each by the
// port that it belongs to: nil for clock and reset.
func kernelPins(d *design.Design, k *design.Kernel, view hardwareView) ([]kernelPin, error) {
	if k.Source != platform.SourceRTL {
		return nil, fmt.Errorf("kernel %s is not RTL", k.ID)
	}
	m, err := moduleOf(d, k, view)
	if err != nil {
		return nil, err
	}
	var pins []kernelPin
	for _, q := range m.Pins {
		owner := kernelPin{pin: q}
		for _, p := range k.Ports {
			if suffix, ok := strings.CutPrefix(q.Name, p.Name+"_"); ok && (owner.Port == nil || len(p.Name) > len(owner.Port.Name)) {
				owner.Port, owner.Suffix = p, suffix
			}
		}
		if owner.Port == nil && q.Name != clockPin && q.Name != resetPin {
			return nil, fmt.Errorf("kernel %s: the pin %s of its module belongs to no port of its description", k.ID, q.Name)
		}
		if owner.Width == 0 { // depends on a parameter that follows the description
			p := owner.Port
			owner.Width = map[string]int{"tdata": p.Width, "tkeep": p.Width / 8, "tdest": p.TDEST}[owner.Suffix]
		}
		if owner.Width == 0 {
			return nil, fmt.Errorf("kernel %s: the width of the pin %s is not known", k.ID, q.Name)
		}
		pins = append(pins, owner)
	}
	for _, p := range k.Ports {
		if !slices.ContainsFunc(pins, func(q kernelPin) bool { return q.Port == p }) {
			return nil, fmt.Errorf("kernel %s: its module has no pins of the port %s", k.ID, p.Name)
		}
	}
	return pins, nil
}

// kernelPin is a pin with the port that it belongs to.
type kernelPin struct {
	pin
	Port   *design.Port
	Suffix string // "tdata", "awvalid"
}

// The clock and the reset of all our kernels.
const (
	clockPin = "ap_clk"
	resetPin = "ap_rst_n"
)
