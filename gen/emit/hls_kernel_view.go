package emit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/platform"
)

// ErrForm says that a kernel cannot be written in C++ as it is described.
var ErrForm = errors.New("no form in C++")

// hlsView is what the templates of kernels in C++ know.
type hlsView struct {
	Kind                    string // "arithmetic", "compression" or "user"
	Source, Name, Doc, Part string
	Clock                   int
	Include, Top, Bench     string // files
	Streams                 []kernelStreamView
	Arguments               []kernelArgumentView
	Functions               []functionView // of plugins, by TDEST
	Pragmas                 []string
	Calls                   string // the function that the top function calls
	CallArguments           []string
	Command, Data           string // arguments of their constructors, empty without
	CallFile                string // the description of the call
	CallLine                int
	FreeRunning             int
	Words                   int // of a call

	kernel *design.Kernel
}

type kernelStreamView struct {
	Name         string
	Output       bool
	Width, TDEST int
	Role         string // "command", "answer", "to", "from", or "" for others
}

// Beat is its C++ type.
func (s kernelStreamView) Beat() string {
	switch {
	case s.Width == wordBits && s.TDEST == 0:
		return "cclo::word"
	case s.Width == lanePayloadBits:
		return fmt.Sprintf("cclo::beat<%d>", s.TDEST)
	}
	return fmt.Sprintf("ap_axiu<%d, 0, 0, %d>", s.Width, s.TDEST)
}

// Member is the stream in a component, whose own members have other names.
func (s kernelStreamView) Member() string { return s.Name + "_" }

// Parameter declares it.
func (s kernelStreamView) Parameter() string { return "hls::stream<" + s.Beat() + "> &" + s.Name }

type kernelArgumentView struct {
	Name, Element string // Element is the type, or what a pointer points to
	Offset, Width int
	Pointer       bool
}

// Declaration is its C++ type, ready for a name behind it.
func (a kernelArgumentView) Declaration() string {
	if a.Pointer {
		return a.Element + " *"
	}
	return a.Element + " "
}

// functionView is what a TDEST of a plugin does: it makes elements of one type
// elements of another.
type functionView struct {
	TDEST                 int
	Function              string // of reductions
	Title, CPP, From, To  string
	TakenCount, MadeCount int    // elements of a unit
	TakenBytes, MadeBytes int    // of an element
	File                  string // where it is described
	Line                  int
}

// exactTypes are the types whose arithmetic everybody knows, as classes of test benches.
var exactTypes = map[string]struct {
	class string
	bytes int
	real  bool
}{
	"float16": {"Binary<5, 10>", 2, true}, "bfloat16": {"Binary<8, 7>", 2, true}, "float32": {"Native<float>", 4, true},
	"float64": {"Native<double>", 8, true}, "int32": {"Native<int32_t>", 4, false}, "int64": {"Native<int64_t>", 8, false},
}

// Means is the function of test benches that compares results with exact arithmetic:
// of the generation's reductions, and of conversions between floating-point types.
// Others mean what they do.
func (f functionView) Means() string {
	from, known := exactTypes[strings.TrimPrefix(f.From, typesNamespace)]
	to, too := exactTypes[strings.TrimPrefix(f.To, typesNamespace)]
	known = known && too && f.TakenCount == 1 && f.MadeCount == 1 && from.bytes == f.TakenBytes && to.bytes == f.MadeBytes
	switch {
	case known && f.Function == "" && from.real && to.real:
		return "cclo::bench::converts<cclo::bench::" + from.class + ", cclo::bench::" + to.class + ">"
	case known && f.Function != "":
		return "cclo::bench::reduces<cclo::bench::" + from.class + ", cclo::bench::" + camel(f.Function) + ">"
	}
	return "nullptr"
}

// typesNamespace is before the names of types of elements in C++.
const typesNamespace = "cclo::types::"

// lanePayloadBits is the width of a beat of payload.
const lanePayloadBits = 512

func newHLSView(d *design.Design, k *design.Kernel) (*hlsView, error) {
	v := &hlsView{
		Kind:   "user",
		Source: d.Platform.File, Name: k.Name, Doc: k.Doc, Part: d.Platform.Board.Part, Clock: d.Platform.Clock,
		Include: k.HLS.Files[0].Name, Top: k.ID + ".cpp", Bench: k.ID + testBenchSuffix,
		Calls: k.HLS.Calls, FreeRunning: int(oneIf(k.Control == layout.FreeRunning)), kernel: k,
		CallFile: k.HLS.CallsRange.Filename, CallLine: k.HLS.CallsRange.Start.Line,
		Words: len(d.ABI().Record(abi.Call).Words),
	}
	for _, a := range k.Arguments {
		t, known := platform.ArgumentTypeOf(a.Type)
		if !known {
			return nil, fmt.Errorf("%w: argument %s has the type %q", ErrForm, a.Name, a.Type)
		}
		v.Arguments = append(v.Arguments, kernelArgumentView{a.Name, t.Name, int(a.At), a.Width, t.Pointer})
	}
	v.streams(d, k)
	if k.HLS.Top == "" && k.HLS.Calls == "" {
		v.functions(d, k)
	}
	v.pragmas(k)
	if v.Calls != "" {
		v.call()
	}
	return v, nil
}

// streams lists the streams, and finds out the purpose of the streams of user kernels.
func (v *hlsView) streams(d *design.Design, k *design.Kernel) {
	groups := map[string]string{}
	for _, s := range d.Streams {
		for _, p := range []*design.Port{s.From, s.To} {
			if p.Instance.Kernel == k {
				groups[p.Name] = s.Group
			}
		}
	}
	for _, p := range k.Ports {
		if p.Protocol != design.AXIS {
			continue
		}
		s := kernelStreamView{Name: p.Name, Output: p.Output, Width: p.Width, TDEST: p.TDEST}
		s.Role = map[string]map[bool]string{"control": {true: "command", false: "answer"},
			"kernel": {true: "to", false: "from"}}[groups[p.Name]][p.Output]
		v.Streams = append(v.Streams, s)
	}
}

func (v *hlsView) functions(d *design.Design, k *design.Kernel) {
	p := d.Platform
	typeOf := func(name string) (string, int) { return typesNamespace + name, p.Type(name).Bytes }
	add := func(f functionView, from, to string, rng hcl.Range) {
		f.From, f.TakenBytes = typeOf(from)
		f.To, f.MadeBytes = typeOf(to)
		f.File, f.Line = rng.Filename, rng.Start.Line
		v.Functions = append(v.Functions, f)
	}
	if a := p.Arithmetic; a != nil && a.Kernel == k.ID {
		v.Kind = "arithmetic"
		for _, f := range a.Functions {
			for _, t := range f.TDEST {
				add(functionView{TDEST: t.TDEST, Function: f.Name, Title: f.Name + " of " + t.Type, CPP: f.CPP, TakenCount: 1,
					MadeCount: 1}, t.Type, t.Type, t.Range)
			}
		}
	}
	if c := p.Compression; c != nil && c.Kernel == k.ID {
		v.Kind = "compression"
		for _, conv := range c.Conversions {
			f := functionView{TDEST: conv.TDEST, Title: conv.From + " to " + conv.To, CPP: conv.CPP,
				TakenCount: 1 << conv.RatioLog, MadeCount: 1}
			if conv.Widens {
				f.TakenCount, f.MadeCount = f.MadeCount, f.TakenCount
			}
			add(f, conv.From, conv.To, conv.Range)
		}
	}
	slices.SortFunc(v.Functions, func(a, b functionView) int { return cmp.Compare(a.TDEST, b.TDEST) })
}

func (v *hlsView) pragmas(k *design.Kernel) {
	add := func(format string, args ...any) { v.Pragmas = append(v.Pragmas, fmt.Sprintf(format, args...)) }
	for _, a := range k.Arguments {
		if bundle, memory := strings.CutPrefix(a.Port, memoryPrefix); memory {
			add("INTERFACE m_axi port=%s offset=slave bundle=%s", a.Name, bundle)
		}
	}
	control := "control"
	for _, p := range k.Ports {
		if p.Protocol == design.AXILite {
			control = strings.TrimPrefix(p.Name, controlPrefix)
		}
	}
	for _, a := range v.Arguments {
		add("INTERFACE s_axilite port=%s bundle=%s", a.Name, control)
	}
	for _, s := range v.Streams {
		add("INTERFACE axis port=%s", s.Name)
	}
	add("INTERFACE %s port=return", k.Control)
	if k.Called() {
		add("INTERFACE s_axilite port=return bundle=%s", control)
	}
	if len(v.Functions) > 0 {
		add("PIPELINE II=1 style=flp")
	}
}

// What Vitis HLS puts before the name of a bundle to name its port.
const (
	memoryPrefix  = "m_axi_"
	controlPrefix = "s_axi_"
)

// call works out what the function of a user kernel is given: the arguments,
// the engine as it calls it, and the streams.
func (v *hlsView) call() {
	named := map[string]string{}
	for _, s := range v.Streams {
		if s.Role != "" {
			named[s.Role] = s.Name
		}
	}
	for _, a := range v.Arguments {
		v.CallArguments = append(v.CallArguments, a.Name)
	}
	taken := map[string]bool{}
	if named["command"] != "" && named["answer"] != "" {
		v.Command = named["command"] + ", " + named["answer"]
		for _, name := range []string{"comm_adr", "dpcfg_adr"} {
			if !slices.Contains(v.CallArguments, name) {
				v.Command += ", 0"
			} else {
				v.Command += ", " + name
			}
		}
		v.CallArguments = append(v.CallArguments, "command")
		taken["command"], taken["answer"] = true, true
	}
	if named["to"] != "" && named["from"] != "" {
		v.Data = named["to"] + ", " + named["from"]
		v.CallArguments = append(v.CallArguments, "data")
		taken["to"], taken["from"] = true, true
	}
	for _, s := range v.Streams {
		if !taken[s.Role] {
			v.CallArguments = append(v.CallArguments, s.Name)
		}
	}
}
