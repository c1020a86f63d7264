package block

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/ebitengine/purego"
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

	edit func(name, text string) string // plants a defect
	dir  string                         // build directory of a module that is not cached
}

// sources are the files that the module needs.
func (m Module) sources(ctx context.Context) ([]file, error) {
	platform, folder := m.Platform, m.Folder
	if platform == "" {
		platform = "u55c_tcp"
	}
	if folder == "" {
		folder = "ccl_offload"
	}
	all, err := everything(ctx, platform, m.Kernel, m.Host, append([]string{folder}, m.Needs...)...)
	if err != nil {
		return nil, err
	}
	return needed(all, m.Name)
}

func (m Module) called() string {
	if m.As != "" {
		return m.As
	}
	return m.Name
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
	b.failed(1)
	b.handle = create(seed)
	b.Reset()
	return b, nil
}
