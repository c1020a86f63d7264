package emit

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/cclforge/cclforge/gen/design"
)

// sourceSet is the RTL that the kernels of a platform are made of. A module or
// package stands in the file of its name, which is how the files of a kernel are
// found.
type sourceSet struct {
	list   []File
	files  map[string]File     // by path
	byName map[string][]string // paths, by the name of the module or package
	uses   map[string][]string // names of modules and packages of the set that a file uses

	symbols map[string]string // values of the symbols of cclo_pkg
}

func newSourceSet(files []File) *sourceSet {
	s := &sourceSet{list: files, files: map[string]File{}, byName: map[string][]string{}, uses: map[string][]string{}}
	for _, f := range files {
		unit := strings.TrimSuffix(path.Base(f.Path), ".sv")
		s.files[f.Path] = f
		s.byName[unit] = append(s.byName[unit], f.Path)
	}
	for name, f := range s.files {
		s.uses[name] = slices.DeleteFunc(unitsOf(name, f.Content), func(unit string) bool { return len(s.byName[unit]) == 0 })
	}
	return s
}

// usedBy are what files use, by path: most are the same in all designs.
var usedBy sync.Map // path → scanned

type scanned struct {
	text  []byte
	units []string
}

// unitsOf is usedUnits, which reads a text again only if it has changed.
func unitsOf(name string, text []byte) []string {
	if last, ok := usedBy.Load(name); ok && bytes.Equal(last.(scanned).text, text) {
		return slices.Clone(last.(scanned).units)
	}
	found := usedUnits(text)
	usedBy.Store(name, scanned{text, found})
	return slices.Clone(found)
}

// hardwareSources is the RTL of a design's kernels. Their forms may be chosen anew.
var hardwareSources = per[design.Design, *sourceSet]{
	form: func(d *design.Design) string {
		var forms strings.Builder
		for _, k := range d.Kernels() {
			forms.WriteString(k.ID + "=" + k.Source + " ")
		}
		return forms.String()
	},
	build: func(d *design.Design) (*sourceSet, error) {
		pkg, symbols, err := svPackage(d)
		if err != nil {
			return nil, err
		}
		files, err := hardware(d, newHardwareView(d, symbols))
		if err != nil {
			return nil, err
		}
		set := newSourceSet(append(files, pkg...))
		set.symbols = symbols
		return set, nil
	},
}

// KernelSources are the paths of the RTL of a kernel, and of nothing else, in the
// order in which they are compiled: packages, and modules before those that have
// them inside. The last one is the top module.
func KernelSources(d *design.Design, k *design.Kernel) ([]string, error) {
	sources, err := hardwareSources.of(d)
	if err != nil {
		return nil, err
	}
	return kernelSources(sources, k)
}

// topSource is the file of a kernel's top module.
func topSource(k *design.Kernel) string { return path.Join(rtlFolder, k.ID, k.Name+".sv") }

func kernelSources(sources *sourceSet, k *design.Kernel) ([]string, error) {
	top := topSource(k)
	if _, ok := sources.files[top]; !ok {
		return nil, fmt.Errorf("kernel %s: there is no file %s", k.ID, top)
	}
	var packages, modules []string
	seen := map[string]bool{}
	var visit func(name string) error
	visit = func(name string) error {
		if seen[name] {
			return nil
		}
		seen[name] = true
		for _, unit := range sources.uses[name] {
			in := sources.byName[unit]
			if len(in) > 1 {
				return fmt.Errorf("kernel %s: %s may be any of %s", k.ID, unit,
					strings.Join(slices.Sorted(slices.Values(in)), ", "))
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
// appearance: what stands before ::, and what begins a line and has a parameter
// list, or a name and ports, behind it. All of our RTL is written so. What only
// simulations have is no kernel's source, wherever it is mentioned.
func usedUnits(text []byte) []string {
	var units []string
	seen := map[string]bool{}
	add := func(unit []byte) {
		if len(unit) > 0 && !seen[string(unit)] {
			seen[string(unit)] = true
			units = append(units, string(unit))
		}
	}
	for line := range bytes.Lines(text) {
		line, _, _ = bytes.Cut(line, []byte("//"))
		for rest := line; ; {
			before, after, ok := bytes.Cut(rest, []byte("::"))
			if !ok {
				break
			}
			add(before[len(bytes.TrimRightFunc(before, inWord)):])
			rest = after
		}
		line = bytes.TrimSpace(line)
		behind := bytes.TrimLeftFunc(line, inWord)
		unit := line[:len(line)-len(behind)]
		if len(unit) == 0 || len(behind) == 0 || behind[0] != ' ' {
			continue
		}
		behind = bytes.TrimLeft(behind, " ")
		if bytes.HasPrefix(behind, []byte("#")) {
			add(unit)
			continue
		}
		ports := bytes.TrimLeft(bytes.TrimLeftFunc(behind, inWord), " ")
		if len(ports) < len(behind) && (bytes.HasPrefix(ports, []byte("(")) || bytes.HasPrefix(ports, []byte("["))) {
			add(unit)
		}
	}
	return units
}

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// kernelPins are the pins of a kernel's top module with their widths, each by the
// port that it belongs to: nil for clock and reset.
func kernelPins(sources *sourceSet, k *design.Kernel) ([]kernelPin, error) {
	m, err := parseModule(k.Name, sources.files[topSource(k)].Content)
	if err != nil {
		return nil, err
	}
	var pins []kernelPin
	for _, q := range m.Pins {
		owner := kernelPin{pin: q}
		for _, p := range k.Ports {
			if suffix, ok := strings.CutPrefix(q.Name, p.Name+"_"); ok &&
				(owner.Port == nil || len(p.Name) > len(owner.Port.Name)) {
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
