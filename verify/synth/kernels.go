package synth

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/emit"
)

// Sources are files of RTL by their paths under a platform's folder of it.
type Sources map[string][]byte

// Kernel is one that we have the RTL of.
type Kernel struct {
	ID      string // of its description
	Module  string
	Sources Sources
}

const (
	source        = "rtl" // of kernels whose RTL is ours
	folder        = "rtl/"
	shared        = "common"
	suffix        = ".sv"
	packageSuffix = "_pkg" + suffix
)

// Rendered are the sources of a platform.
func Rendered(d *design.Design) (Sources, error) {
	files, err := emit.Platform(d)
	if err != nil {
		return nil, fmt.Errorf("render the hardware of %s: %w", d.Platform.Name, err)
	}
	s := Sources{}
	for _, f := range files {
		if name, ok := strings.CutPrefix(f.Path, folder); ok && path.Ext(name) == suffix {
			s[name] = f.Content
		}
	}
	return s, nil
}

// KernelsOf are the kernels of a platform, each once.
func KernelsOf(d *design.Design, all Sources) ([]Kernel, error) {
	var found []Kernel
	for _, i := range d.Instances {
		k := i.Kernel
		if k.Source != source || slices.ContainsFunc(found, func(f Kernel) bool { return f.ID == k.ID }) {
			continue
		}
		own, from := all.of(k), path.Join(k.ID, k.Name+suffix)
		if own[from] == nil {
			return nil, fmt.Errorf("%s: there is no %s", d.Platform.Name, from)
		}
		found = append(found, Kernel{k.ID, k.Name, own.below(from)})
	}
	return found, nil
}

// of are the sources that a kernel may be made of: its folder, those that it
// needs, what is shared, and packages.
func (s Sources) of(k *design.Kernel) Sources {
	folders := append([]string{shared, k.ID}, k.Needs...)
	own := Sources{}
	for name, text := range s {
		in, _, inside := strings.Cut(name, "/")
		if inside && slices.Contains(folders, in) || !inside && strings.HasSuffix(name, packageSuffix) {
			own[name] = text
		}
	}
	return own
}

var identifier = regexp.MustCompile(`\b[a-z]\w*\b`)

// below are the files that a file refers to, itself among them.
func (s Sources) below(from string) Sources {
	byModule := s.byModule()
	found := Sources{}
	var visit func(name string)
	visit = func(name string) {
		if found[name] != nil {
			return
		}
		found[name] = s[name]
		for _, word := range identifier.FindAll(code(s[name]), -1) {
			if other, ok := byModule[string(word)]; ok {
				visit(other)
			}
		}
	}
	visit(from)
	return found
}

// byModule are the files by what they hold.
func (s Sources) byModule() map[string]string {
	byModule := map[string]string{}
	for name := range s {
		byModule[strings.TrimSuffix(path.Base(name), suffix)] = name
	}
	return byModule
}

// Below are the files that a module is made of; nil if there is none.
func (s Sources) Below(module string) Sources {
	if from, ok := s.byModule()[module]; ok {
		return s.below(from)
	}
	return nil
}

// code leaves lines of comment empty: they name the platform.
func code(text []byte) []byte {
	var left bytes.Buffer
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("//")) {
			line = []byte("\n")
		}
		left.Write(line)
	}
	return left.Bytes()
}

// Key is the same for sources that say the same.
func (s Sources) Key(top string) string {
	h := sha256.New()
	fmt.Fprintln(h, top)
	for _, name := range slices.Sorted(maps.Keys(s)) {
		text := code(s[name])
		fmt.Fprintln(h, name, len(text))
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil))
}
