package proofs

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
)

const (
	platform         = "u55c_tcp" // whose RTL is looked at
	rules            = "rules.sv" // what properties share
	propertiesFolder = "properties"
)

var folders = []string{"axis_switch", "ccl_offload", "client_arbiter", "external_dma", "hostctrl"}

// Sources are files of RTL by their paths below templates/rtl.
type Sources map[string]string

// Load reads the RTL.
func Load(ctx context.Context) (Sources, error) {
	files, err := verilate.Sources(ctx, platform, folders...)
	if err != nil {
		return nil, err
	}
	s := Sources{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		key, err := filepath.Rel(filepath.Dir(files[0]), name) // the platform's package comes first, at the top
		if err != nil {
			return nil, err
		}
		s[filepath.ToSlash(key)] = string(text)
	}
	return s, nil
}

// packages are in the order in which they refer to each other.
var packages = []string{"cclo_pkg.sv", "ccl_offload/engine_pkg.sv", "ccl_offload/move/move_pkg.sv"}

// files are the texts of a proof in the order in which they are read, with a
// defect or none.
func (p Proof) files(s Sources, d *Defect) (names []string, texts map[string]string, err error) {
	texts = map[string]string{}
	if d != nil && d.File != "" && !slices.Contains(p.Design, d.File) {
		return nil, nil, fmt.Errorf("%s: %s is no file of the proof", d.Name, d.File)
	}
	for i, file := range p.Design {
		text, ok := s[file]
		if !ok {
			return nil, nil, fmt.Errorf("there is no %s", file)
		}
		if d != nil && (d.File == file || d.File == "" && i == 0) {
			if n := strings.Count(text, d.Old); n != 1 {
				return nil, nil, fmt.Errorf("%s: %q is %d times in %s, want once", d.Name, d.Old, n, file)
			}
			text = strings.Replace(text, d.Old, d.New, 1)
		}
		texts[path.Base(file)] = text
		names = append(names, path.Base(file))
	}
	for _, file := range append([]string{rules, p.Name + ".sv"}, p.StandIns...) {
		own, err := properties.ReadFile(path.Join(propertiesFolder, file))
		if err != nil {
			return nil, nil, err
		}
		name := "proof_" + file
		texts[name] = string(own)
		names = append(names, name)
	}

	var used []string
	for i := len(packages) - 1; i >= 0; i-- { // the last one refers to the others
		base := path.Base(packages[i])
		for _, text := range texts {
			if strings.Contains(text, strings.TrimSuffix(base, ".sv")+"::") {
				texts[base] = s[packages[i]]
				used = append(used, base)
				break
			}
		}
	}
	for _, constant := range slices.Sorted(maps.Keys(p.Sizes)) {
		file, name, _ := strings.Cut(constant, ".")
		if texts[file+".sv"], err = resize(texts[file+".sv"], name, p.Sizes[constant]); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", constant, err)
		}
	}
	slices.Reverse(used)
	return append(used, names...), texts, nil
}

// resize gives a constant another value.
func resize(text, constant, value string) (string, error) {
	declaration := regexp.MustCompile(`(localparam [^;=]*\b` + regexp.QuoteMeta(constant) + `\s*=)[^;]*;`)
	if n := len(declaration.FindAllString(text, -1)); n != 1 {
		return "", fmt.Errorf("it is declared %d times, want once", n)
	}
	return declaration.ReplaceAllString(text, "${1} "+value+";"), nil
}

// Check tells whether the files, constants and places that a proof names are
// there.
func (p Proof) Check(s Sources) error {
	if _, _, err := p.files(s, nil); err != nil {
		return err
	}
	for _, d := range p.Broken {
		if _, _, err := p.files(s, &d); err != nil {
			return err
		}
	}
	return nil
}
