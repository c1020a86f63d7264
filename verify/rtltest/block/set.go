package block

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/ebitengine/purego"

	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
)

// Module says what to build.
type Module struct {
	Name     string
	As       string   // name in the set; "" for Name
	Platform string   // "" for u55c_tcp
	Kernel   string   // a user kernel of the platform
	Host     bool     // with host memory
	Folder   string   // of RTL; "" for ccl_offload
	Needs    []string // folders of RTL beside it
	Parts    []string // modules inside it that have no bench of their own: defects are planted in them, too
	Params   map[string]string
	Sources  []string // paths of all RTL there is, packages first, in the place of a platform's
	Streams  bool     // the promises of all streams in it are checked, too

	edit func(name, text string) string // plants a defect
	dir  string                         // build directory of a module that is not cached
}

// sources are the files that the module needs.
func (m Module) sources(ctx context.Context) ([]file, error) {
	all, err := m.available(ctx)
	if err != nil {
		return nil, err
	}
	files, err := needed(all, m.Name)
	if err != nil || !m.Streams {
		return files, err
	}
	texts := make([]string, len(files))
	for i, f := range files {
		texts[i] = f.text
	}
	checks := verilate.Checks(texts...)
	if checks == "" {
		return files, nil
	}
	placed, err := verilate.Place(map[string][]byte{"handshakes.sv": []byte(checks)})
	if err != nil {
		return nil, err
	}
	more, err := read(placed)
	return append(files, more...), err
}

// available are the files among which are those that the module needs.
func (m Module) available(ctx context.Context) ([]file, error) {
	if len(m.Sources) > 0 {
		return read(m.Sources)
	}
	platform, folder := m.Platform, m.Folder
	if platform == "" {
		platform = "u55c_tcp"
	}
	if folder == "" {
		folder = "ccl_offload"
	}
	return everything(ctx, platform, m.Kernel, m.Host, append([]string{folder}, m.Needs...)...)
}

func (m Module) called() string {
	if m.As != "" {
		return m.As
	}
	return m.Name
}

// On are the modules of platforms, each with that of its platform behind its name.
func (m Module) On(platforms ...string) (modules []Module) {
	name := m.called()
	for _, p := range platforms {
		m.As, m.Platform = name+"_"+p, p
		modules = append(modules, m)
	}
	return modules
}

// Set is modules that are built together.
type Set struct {
	modules []Module
	lock    sync.Mutex
	built   bool
	lib     uintptr
	err     error
}

// NewSet is a set of modules.
func NewSet(modules ...Module) *Set { return &Set{modules: modules} }

// module is one of the set.
func (s *Set) module(name string) (Module, error) {
	for _, m := range s.modules {
		if m.called() == name {
			return m, nil
		}
	}
	return Module{}, fmt.Errorf("%s is not in the set", name)
}

// open builds the set and loads it, once.
func (s *Set) open(ctx context.Context) (uintptr, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.built {
		return s.lib, s.err
	}
	s.lib, s.err = load(ctx, s.modules)
	s.built = ctx.Err() == nil
	return s.lib, s.err
}

// load builds modules and loads them.
func load(ctx context.Context, modules []Module) (uintptr, error) {
	b, err := newBuilder(ctx)
	if err != nil {
		return 0, err
	}
	var units []unit
	for _, m := range modules {
		files, err := m.sources(ctx)
		if err != nil {
			return 0, err
		}
		if m.edit != nil {
			for i := range files {
				files[i] = file{name: files[i].name, text: m.edit(files[i].name, files[i].text)}
			}
		}
		units = append(units, unit{m.called(), m, files})
	}
	path, err := b.library(ctx, units, modules[0].dir)
	if err != nil {
		return 0, err
	}
	lib, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return 0, fmt.Errorf("load the simulation of blocks: %w", err)
	}
	return lib, nil
}

// New makes a module of the set. Its registers begin with random values of the
// seed; it has been reset. Errors match verilate.ErrTools if a tool is missing.
func (s *Set) New(ctx context.Context, name string, seed uint64) (*Bench, error) {
	if _, err := s.module(name); err != nil {
		return nil, err
	}
	lib, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	return newBench(lib, name, seed)
}

// Start makes a module of the set for a test, as New does. An assertion that is violated fails the test at its end;
// without a tool the test is skipped.
func (s *Set) Start(t testing.TB, name string, seed uint64) *Bench {
	t.Helper()
	b, err := s.New(t.Context(), name, seed)
	if errors.Is(err, verilate.ErrTools) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Err(); err != nil {
			t.Error(err)
		}
		b.Close()
	})
	return b
}

func newBench(lib uintptr, name string, seed uint64) (*Bench, error) {
	b := &Bench{at: map[string]place{}}
	var create func(seed uint64) uintptr
	var ports func() string
	purego.RegisterLibFunc(&create, lib, name+"_new")
	purego.RegisterLibFunc(&ports, lib, name+"_ports")
	purego.RegisterLibFunc(&b.free, lib, name+"_delete")
	purego.RegisterLibFunc(&b.step, lib, name+"_step")
	purego.RegisterLibFunc(&b.failed, lib, "block_failed")
	var d description
	if err := json.Unmarshal([]byte(ports()), &d); err != nil {
		return nil, fmt.Errorf("the ports of %s: %w", name, err)
	}
	b.in, b.out = make([]uint32, d.In+1), make([]uint32, d.Out+1)
	b.consts = d.Consts
	for _, p := range d.Ports {
		words := b.out
		if p.Input {
			words = b.in
		}
		for path, f := range p.Fields {
			name := p.Name
			if path != "" && path[0] != '[' {
				name += "."
			}
			b.at[name+path] = place{words: words[p.At:], low: f.Low, width: f.Width, input: p.Input}
		}
	}
	b.handle = create(seed)
	b.Reset()
	return b, nil
}
