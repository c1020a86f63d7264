package emit

import (
	"fmt"
	"io/fs"
	"math/bits"
	"path"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/templates"
)

const (
	rtlFolder      = "rtl"
	templateSuffix = ".tmpl"
	commonFolder   = "rtl/common"
	hardwareSource = "rtl"
	packageSuffix  = "_pkg.sv"
)

// hardwareView is what templates of RTL know of a platform.
type hardwareView struct {
	Source               string
	Platform             *design.Design
	TCP, RDMA            bool  // streams of the network engine: of TCP, of RDMA, otherwise of UDP
	SessionPorts         bool  // the engine asks the network engine for sessions
	DMA                  []int // engines
	ResultDMA            int   // the one that writes results
	ThirdDMA             bool
	ControlHigh          int // highest bit of an address of the host's port
	Rendezvous, Sessions bool
	Registers            []optionalRegister
	Reductions           []reductionView
	Conversions          []conversionView
}

// optionalRegister is a register that some generations lack.
type optionalRegister struct{ Name, Value string }

// optionalRegisters are those that RTL implements and some generations lack,
// by register map.
var optionalRegisters = []struct {
	registers string
	names     []string
}{
	{"sessions", []string{"listen", "listen_status", "ip", "connect", "connect_status"}},
	{"rendezvous", []string{
		"window", "address", "address_high", "bytes", "open", "shut", "arrived", "done", "seek", "announced_count",
		"announced_address", "announced_address_high", "announced_host", "announced_transfer", "take", "foreign",
	}},
	{"move", []string{"remote_address", "remote_address_high", "packet_index", "header_count", "window"}},
}

func newHardwareView(d *design.Design) hardwareView {
	p, features := d.Platform, d.ABI().Features
	v := hardwareView{Source: p.File, Platform: d, Rendezvous: features["rendezvous"], Sessions: features["engine_sessions"]}
	v.network(p)
	v.ControlHigh = bits.Len64(constantOf(d, "host_space_bytes")-1) - 1
	for i := range p.CCLO.DMAEngines {
		v.DMA = append(v.DMA, i)
	}
	v.ResultDMA, v.ThirdDMA = p.CCLO.DMAEngines-1, p.CCLO.DMAEngines > 2
	missing := 0
	for _, m := range optionalRegisters {
		registers := d.ABI().RegisterMap(m.registers)
		for _, name := range m.names {
			r := optionalRegister{Name: upper(m.registers, name)}
			if registers != nil && hasRegister(registers, name) {
				r.Value = "cclo_pkg::" + r.Name + "_OFFSET"
			} else {
				r.Value = fmt.Sprintf("8'h%X", 2*missing+1)
				missing++
			}
			v.Registers = append(v.Registers, r)
		}
	}
	if p.Arithmetic != nil {
		for _, f := range p.Arithmetic.Functions {
			for _, t := range f.TDEST {
				if log, ok := elementLog2(d, t.Type); ok {
					v.Reductions = append(v.Reductions, reductionView{f.Name, t.Type, t.TDEST, log})
				}
			}
		}
	}
	if p.Compression != nil {
		for _, c := range p.Compression.Conversions {
			from, okFrom := elementLog2(d, c.From)
			to, okTo := elementLog2(d, c.To)
			if okFrom && okTo && c.RatioLog == 0 {
				v.Conversions = append(v.Conversions, conversionView{c.From, c.To, c.TDEST, from, to})
			}
		}
	}
	return v
}

// network says which streams lead to the network engine.
func (v *hardwareView) network(p *platform.Platform) {
	for _, poe := range p.POEs {
		v.TCP = v.TCP || poe.Kind == "tcp" || poe.Kind == "axis"
		v.RDMA = v.RDMA || poe.Kind == "rdma"
	}
	v.SessionPorts = v.Sessions && v.TCP
}

// constantOf is one of the interface generation; 1 if it has no such.
func constantOf(d *design.Design, name string) uint64 {
	if c := d.ABI().Constant(name); c != nil {
		return c.Value
	}
	return 1
}

// hasRegister tells whether a map has a register, or one with this high word.
func hasRegister(m *abi.RegisterMap, name string) bool {
	return slices.ContainsFunc(m.Registers, func(r abi.Register) bool {
		return r.Name == name || r.Width == 64 && r.Name+"_high" == name
	})
}

// elementLog2 is log2 of the bytes of an element; false where that is not whole.
func elementLog2(d *design.Design, name string) (int, bool) {
	t := d.Platform.Type(name)
	if t == nil || t.Bytes < 1 || t.Bytes&(t.Bytes-1) != 0 {
		return 0, false
	}
	return bits.TrailingZeros(uint(t.Bytes)), true
}

// hardwareFolders are the folders of RTL that the kernels of a design are made
// of, in the order in which they are compiled.
func hardwareFolders(d *design.Design) []string {
	folders := []string{commonFolder}
	for _, i := range d.Instances {
		if i.Kernel.Source != hardwareSource {
			continue
		}
		for _, f := range append(slices.Clone(i.Kernel.Needs), i.Kernel.ID) {
			if f = path.Join(rtlFolder, f); !slices.Contains(folders, f) {
				folders = append(folders, f)
			}
		}
	}
	return folders
}

// hardware renders the RTL of a design's kernels.
func hardware(d *design.Design) ([]File, error) {
	view := newHardwareView(d)
	var files []File
	for _, folder := range hardwareFolders(d) {
		entries, err := fs.ReadDir(templates.FS, folder)
		if err != nil {
			continue // not written in RTL
		}
		for _, e := range entries {
			name := path.Join(folder, e.Name())
			if e.IsDir() || path.Ext(strings.TrimSuffix(name, templateSuffix)) != ".sv" {
				continue
			}
			f, err := hardwareFile(d, name, view)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		}
	}
	return files, nil
}

func hardwareFile(d *design.Design, name string, view any) (File, error) {
	out := strings.TrimSuffix(name, templateSuffix)
	if out == name {
		text, err := fs.ReadFile(templates.FS, name)
		return File{out, text, []string{path.Join("templates", name)}}, err
	}
	text, err := execute(name, view)
	if err != nil {
		return File{}, fmt.Errorf("%s: %w", name, err)
	}
	if strings.HasSuffix(out, packageSuffix) {
		if text, err = inlineSymbols(d, text); err != nil {
			return File{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	return File{out, text, platformInputs(d, name)}, nil
}
