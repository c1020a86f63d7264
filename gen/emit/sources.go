package emit

import (
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designjson"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/templates"
)

const (
	rtlFolder      = "rtl"
	templateSuffix = ".tmpl"
	commonFolder   = "rtl/common"
	packageSuffix  = "_pkg.sv"
)

// hardwareView is what templates of RTL know of a platform.
type hardwareView struct {
	Source               string
	Platform             *design.Design
	Kernel               *design.Kernel // whose folder is rendered; nil for one that others share
	TCP, RDMA            bool           // streams of the network engine: of TCP, of RDMA, otherwise of UDP
	SessionPorts         bool           // the engine asks the network engine for sessions
	DMA                  []int          // engines
	ResultDMA            int            // the one that writes results
	ThirdDMA             bool
	ControlHigh          int // highest bit of an address of the host's port
	Rendezvous, Sessions bool
	Registers            []optionalRegister
	Functions            []reduceFunction
	FunctionCodes        int // one more than the largest number of a function
	Reductions           []reductionView
	Conversions          []conversionView
	symbols              map[string]string // values of cclo_pkg's symbols
}

// DesignHash is what hardware says of the design of its engine, in hexadecimal.
func (v hardwareView) DesignHash() (string, error) {
	hash, err := designjson.HardwareHash(v.Platform)
	return fmt.Sprintf("%08x", hash), err
}

// reduceFunction is a reduction of the interface generation.
type reduceFunction struct {
	Upper string
	Code  int
	Doc   string
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
		"announced_address", "announced_address_high", "announced_host", "announced_transfer",
		"announced_number", "announced_collective_count", "announced_shape", "take", "foreign",
	}},
	{"move", []string{"remote_address", "remote_address_high", "packet_index", "header_count", "window"}},
}

func newHardwareView(d *design.Design, symbols map[string]string) hardwareView {
	p, features := d.Platform, d.ABI().Features
	v := hardwareView{
		Source: p.File, Platform: d, Rendezvous: features["rendezvous"], Sessions: features["engine_sessions"],
		symbols: symbols,
	}
	v.network(p)
	space := constantOf(d, "host_space_bytes")
	for _, w := range d.ABI().Memory(abi.Exchange).Words { // those of the hardware may lie behind it
		space = max(space, uint64(w.At)+uint64(w.Count*w.Width/8))
	}
	v.ControlHigh = bits.Len64(space-1) - 1
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
	v.reduce(d)
	if p.Compression != nil {
		for _, c := range p.Compression.Conversions {
			from, to := unitBytes(d, c)
			fromLog2, okFrom := log2(from)
			toLog2, okTo := log2(to)
			if okFrom && okTo && (c.RatioLog == 0 || convertsUnits(d)) {
				v.Conversions = append(v.Conversions, conversionView{c.From, c.To, c.TDEST, fromLog2, toLog2})
			}
		}
	}
	return v
}

// reduce lists the reductions, and what TDESTs select.
func (v *hardwareView) reduce(d *design.Design) {
	for _, f := range d.ABI().Enum(abi.ReduceFunctions).Values {
		v.Functions = append(v.Functions, reduceFunction{upper(f.Name), int(f.Value), f.Doc})
		v.FunctionCodes = max(v.FunctionCodes, int(f.Value)+1)
	}
	a := d.Platform.Arithmetic
	if a == nil {
		return
	}
	for _, f := range a.Functions {
		for _, t := range f.TDEST {
			if log, ok := elementLog2(d, t.Type); ok {
				v.Reductions = append(v.Reductions, reductionView{
					Function: f.Name, Type: t.Type, TDEST: t.TDEST, Log2: log,
					Code: int(f.Code), Codes: v.FunctionCodes, Own: a.Has(f.Name, t.Type),
				})
			}
		}
	}
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

// convertsUnits tells whether the compression plugin makes one element of several:
// our RTL does not.
func convertsUnits(d *design.Design) bool {
	return slices.ContainsFunc(d.Instances, func(i *design.Instance) bool {
		return i.Role == "compression" &&
			i.Kernel.Source != platform.SourceRTL
	})
}

// elementLog2 is log2 of the bytes of an element; false where that is not whole.
func elementLog2(d *design.Design, name string) (int, bool) {
	if t := d.Platform.Type(name); t != nil {
		return log2(t.Bytes)
	}
	return 0, false
}

// log2 is false where it is not whole.
func log2(bytes int) (int, bool) {
	return bits.TrailingZeros(uint(bytes)), bytes > 0 && bytes&(bytes-1) == 0
}

// hardwareFolder is a folder of RTL, with folders of its parts inside if it is
// large. Its file of the same name is a kernel's top module, which only those who
// link that kernel need.
type hardwareFolder struct {
	path   string
	top    bool
	kernel *design.Kernel // whose folder it is; nil for one that others share
}

// from is the folder of the templates: a kernel without one has that of the kernel
// that it is like, if its top module is a template.
func (f hardwareFolder) from() string {
	if f.kernel == nil || there(f.path) {
		return f.path
	}
	if name := moduleFile(f.kernel); name != "" {
		return path.Dir(name)
	}
	return f.path
}

// there tells whether a file or folder is in the templates.
func there(name string) bool {
	_, err := fs.Stat(templates.FS, name)
	return err == nil
}

// topFileOf is the path of the top module of a kernel with a folder.
func topFileOf(folder string) string { return path.Join(folder, path.Base(folder)+".sv") }

// MemoryPorts are the names of the kernel's ports to memory.
func (v hardwareView) MemoryPorts() (names []string) {
	for _, p := range v.Kernel.Ports {
		if p.Protocol == design.AXI4 {
			names = append(names, p.Name)
		}
	}
	return names
}

// Bursts are those of the kernel's ports to memory, which its own RTL makes.
func (v hardwareView) Bursts() (b platform.Bursts, err error) {
	for _, p := range v.Kernel.Ports {
		switch {
		case p.Protocol != design.AXI4:
		case p.Bursts == nil:
			return b, fmt.Errorf("port %s of kernel %s says nothing of its bursts", p.Name, v.Kernel.ID)
		case b.Read == 0:
			b = *p.Bursts
		case b.Outstanding != p.Bursts.Outstanding || b.Read != p.Bursts.Read || b.Write != p.Bursts.Write:
			return b, fmt.Errorf("the memory ports of kernel %s make different bursts", v.Kernel.ID)
		}
	}
	for _, n := range []int{b.Outstanding, b.Read, b.Write} {
		if n < 2 || n > 64 || bits.OnesCount(uint(n)) != 1 {
			return b, fmt.Errorf("kernel %s: %d in bursts; its RTL takes powers of two from 2 to 64", v.Kernel.ID, n)
		}
	}
	return b, nil
}

// hardwareFolders are those that the kernels of a design are made of, in the
// order in which they are compiled.
func hardwareFolders(d *design.Design) []hardwareFolder {
	folders := []hardwareFolder{{path: commonFolder}}
	add := func(name string, top bool, kernel *design.Kernel) {
		at := slices.IndexFunc(folders, func(f hardwareFolder) bool { return f.path == path.Join(rtlFolder, name) })
		if at < 0 {
			at = len(folders)
			folders = append(folders, hardwareFolder{path: path.Join(rtlFolder, name)})
		}
		folders[at].top = folders[at].top || top
		if kernel != nil {
			folders[at].kernel = kernel
		}
	}
	for _, i := range d.Instances {
		if i.Kernel.Source != platform.SourceRTL {
			continue
		}
		for _, needed := range i.Kernel.Needs {
			add(needed, false, nil)
		}
		add(i.Kernel.ID, true, i.Kernel)
	}
	if len(ringOf(d)) > 0 {
		add(switchFolder, true, nil)
	}
	return folders
}

// hardware renders the RTL of a design's kernels.
func hardware(d *design.Design, view hardwareView) ([]File, error) {
	var files []File
	for _, folder := range hardwareFolders(d) {
		from := folder.from()
		view.Kernel = folder.kernel
		err := fs.WalkDir(templates.FS, from, func(name string, _ fs.DirEntry, err error) error {
			source := strings.TrimSuffix(name, templateSuffix)
			if err != nil || path.Ext(source) != ".sv" || !folder.top && source == topFileOf(from) || leftOut(d, source) {
				return err
			}
			f, err := hardwareFile(d, name, view)
			f.Path = strings.ReplaceAll(f.Path, path.Base(from), path.Base(folder.path))
			files = append(files, f)
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // a kernel that is not written in RTL has no folder
			return nil, err
		}
	}
	return files, nil
}

// copies are the sources that copied has made, by name. Nobody changes them.
var copies sync.Map

// copied is a source as it is, with a line that says where it came from.
func copied(name string) (File, error) {
	if made, ok := copies.Load(name); ok {
		return made.(File), nil
	}
	from := path.Join("templates", name)
	text, err := fs.ReadFile(templates.FS, name)
	if err != nil {
		return File{}, err
	}
	f := File{name, append(fmt.Appendf(nil, "// Code generated by cclforge from %s; DO NOT EDIT.\n\n", from), text...),
		[]string{from}}
	copies.Store(name, f)
	return f, nil
}

func hardwareFile(d *design.Design, name string, view hardwareView) (File, error) {
	out := strings.TrimSuffix(name, templateSuffix)
	if out == name {
		return copied(name)
	}
	text, err := execute(name, view)
	if err != nil {
		return File{}, fmt.Errorf("%s: %w", name, err)
	}
	if strings.HasSuffix(out, packageSuffix) {
		if text, err = inlineSymbols(view.symbols, text); err != nil {
			return File{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	return File{out, text, platformInputs(d, name)}, nil
}
