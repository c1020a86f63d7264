package emit

import (
	"fmt"
	"strings"

	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/platform"
)

const (
	linkTemplate   = "vitis/link.cfg.tmpl"
	kernelTemplate = "vitis/kernel.xml.tmpl"
)

// vitis renders what v++ and package_xo read.
func vitis(d *design.Design) ([]File, error) {
	if !linkedByVitis(d) {
		return nil, nil
	}
	out := bundle{d: d}
	out.render(linkFile, linkTemplate, linkView(d))
	for _, k := range d.Kernels() {
		if k.Source == platform.SourceRTL {
			out.render("vitis/"+k.ID+".xml", kernelTemplate, kernelView(d, k))
		}
	}
	out.take(linking(d))
	out.take(packaging(d))
	return out.files, out.err
}

type link struct {
	Platform, Source    string
	Kernels             []string
	Places, Banks, Flow []section
}

// section is a heading and the lines below it.
type section struct {
	Title string
	Lines []string
}

func linkView(d *design.Design) link {
	v := link{Platform: d.Platform.Name, Source: d.Platform.File}
	byKernel := map[string][]string{}
	var order []string
	for _, in := range d.Instances {
		if _, ok := byKernel[in.Kernel.Name]; !ok {
			order = append(order, in.Kernel.Name)
		}
		byKernel[in.Kernel.Name] = append(byKernel[in.Kernel.Name], in.Name)
	}
	for _, kernel := range order {
		v.Kernels = append(v.Kernels, fmt.Sprintf("nk=%s:%d:%s", kernel, len(byKernel[kernel]),
			strings.Join(byKernel[kernel], ".")))
	}
	var places, banks, flow grouped
	for _, in := range d.Instances {
		if in.SLR >= 0 {
			places.add(owner(in.Scope), fmt.Sprintf("slr=%s:SLR%d", in.Name, in.SLR))
		}
	}
	for _, m := range d.Memories {
		banks.add(owner(m.Port.Instance.Scope), fmt.Sprintf("sp=%s:%s", m.Port.FullName(), m.Banks()))
	}
	for _, s := range d.Streams {
		line := fmt.Sprintf("stream_connect=%s:%s", s.From.FullName(), s.To.FullName())
		if s.Depth > 0 {
			line += fmt.Sprintf(":%d", s.Depth)
		}
		flow.add(owner(s.Scope)+": "+s.Group, line)
	}
	v.Places, v.Banks, v.Flow = places, banks, flow
	return v
}

// grouped collects lines under titles, in order of appearance.
type grouped []section

func (g *grouped) add(title, line string) {
	if n := len(*g); n == 0 || (*g)[n-1].Title != title {
		*g = append(*g, section{Title: title})
	}
	last := &(*g)[len(*g)-1]
	last.Lines = append(last.Lines, line)
}

func owner(scope int) string {
	if scope < 0 {
		return "card"
	}
	return fmt.Sprintf("engine %d", scope)
}

type kernelXML struct {
	Source, Name, Language, Control string
	Ports                           []portXML
	Args                            []argXML
}

type portXML struct {
	Name, Mode, Type, Range string
	Width                   int
}

type argXML struct {
	ID, Qualifier            int
	Name, Port, Type, Offset string
	Bytes                    int
}

// Address qualifiers of kernel arguments (Vitis: UG1393, "RTL Kernel XML File").
const (
	scalarArgument  = 0
	pointerArgument = 1
	streamArgument  = 4
)

func kernelView(d *design.Design, k *design.Kernel) kernelXML {
	v := kernelXML{Source: d.Platform.File, Name: k.Name, Language: "ip_c", Control: k.Control}
	if k.Control == layout.UserManaged {
		v.Language = "ip"
	}
	var streams []argXML
	for _, p := range k.Ports {
		port := portXML{Name: p.Name, Width: p.Width}
		switch {
		case p.Protocol == design.AXIS:
			port.Type, port.Mode = "stream", "read_only"
			if p.Output {
				port.Mode = "write_only"
			}
			streams = append(streams, argXML{Qualifier: streamArgument, Name: p.Name, Port: p.Name,
				Type: fmt.Sprintf("stream<qdma_axis<%d,0,0,%d>>&", p.Width, p.TDEST), Offset: "0x0", Bytes: 4})
		case p.Output:
			port.Type, port.Mode, port.Range = "addressable", "master", "0xFFFFFFFFFFFFFFFF"
		default:
			port.Type, port.Mode, port.Range = "addressable", "slave", fmt.Sprintf("0x%X", p.Range)
		}
		v.Ports = append(v.Ports, port)
	}
	for _, a := range k.Arguments {
		arg := argXML{Qualifier: scalarArgument, Name: a.Name, Port: a.Port, Type: a.Type,
			Offset: fmt.Sprintf("0x%03X", a.At), Bytes: a.Width / 8}
		if strings.HasSuffix(a.Type, "*") {
			arg.Qualifier = pointerArgument
		}
		v.Args = append(v.Args, arg)
	}
	// Hosts pass the arguments of a call by position. A kernel that is not called has its
	// streams first, as ACCL's external_dma.
	if k.Control == layout.UserManaged {
		v.Args = append(streams, v.Args...)
	} else {
		v.Args = append(v.Args, streams...)
	}
	for i := range v.Args {
		v.Args[i].ID = i
	}
	return v
}
