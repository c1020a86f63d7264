package tcl_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/vitis/tcl"
)

// bus is a bus interface of an IP.
type bus struct {
	Kind, Mode string
	Data, Dest string // widths
	Clocked    bool
	Parameters string
}

func wantBuses(k *design.Kernel) map[string]bus {
	all := map[string]bus{"ap_clk": {Kind: "clock", Mode: "slave"}, "ap_rst_n": {Kind: "reset", Mode: "slave",
		Parameters: "POLARITY=ACTIVE_LOW"}}
	for _, p := range k.Ports {
		b := bus{Kind: "aximm", Mode: "slave", Data: fmt.Sprint(p.Width), Clocked: true}
		if p.Protocol == design.AXIS {
			b.Kind = "axis"
			if p.TDEST > 0 {
				b.Dest = fmt.Sprint(p.TDEST)
			}
		}
		switch p.Protocol {
		case design.AXI4:
			bursts := ""
			if s := p.Bursts; s != nil {
				bursts = fmt.Sprintf("MAX_BURST_LENGTH=%d NUM_READ_OUTSTANDING=%d NUM_WRITE_OUTSTANDING=%[2]d ",
					max(s.Read, s.Write), s.Outstanding)
			}
			b.Parameters = fmt.Sprintf("ADDR_WIDTH=64 DATA_WIDTH=%d HAS_BURST=0 %sPROTOCOL=AXI4 SUPPORTS_NARROW_BURST=0",
				p.Width, bursts)
		case design.AXILite:
			b.Parameters = fmt.Sprintf("DATA_WIDTH=%d PROTOCOL=AXI4LITE", p.Width)
		}
		if p.Output {
			b.Mode = "master"
		}
		all[p.Name] = b
	}
	return all
}

func gotBuses(state *tcl.State) map[string]bus {
	all := map[string]bus{}
	clocked := strings.Fields(state.Object("bus:ap_clk").Properties["ASSOCIATED_BUSIF"])
	for _, o := range state.All("bus") {
		name := o.Properties["NAME"]
		kind := strings.TrimSuffix(o.Properties["bus_type_vlnv"], ":1.0")
		b := bus{Kind: kind[strings.LastIndex(kind, ":")+1:], Mode: o.Properties["interface_mode"],
			Clocked: slices.Contains(clocked, name)}
		for _, m := range state.All("port_map") {
			if m.Properties["OWNER"] != o.Name {
				continue
			}
			switch m.Properties["NAME"] {
			case "TDATA", "WDATA":
				b.Data = m.Properties["WIDTH"]
			case "TDEST":
				b.Dest = m.Properties["WIDTH"]
			}
			if pin := name + "_" + strings.ToLower(m.Properties["NAME"]); b.Clocked && m.Properties["physical_name"] != pin {
				b.Kind += " with " + m.Properties["physical_name"] + " for " + pin
			}
		}
		var parameters []string
		for _, q := range state.All("bus_parameter") {
			if q.Properties["OWNER"] == o.Name {
				parameters = append(parameters, q.Properties["NAME"]+"="+q.Properties["value"])
			}
		}
		slices.Sort(parameters)
		b.Parameters = strings.Join(parameters, " ")
		all[name] = b
	}
	return all
}

// A register as its line in the address map: offset, bits and memory port.
func wantRegisters(k *design.Kernel) map[string]string {
	all := map[string]string{}
	for _, p := range k.Ports {
		if p.Protocol == design.AXILite {
			all[""] = fmt.Sprintf("%s %d", p.Name, p.Range)
		}
	}
	for _, a := range k.Arguments {
		all[a.Name] = strings.TrimSpace(fmt.Sprintf("%d %d ", a.At, a.Width))
		if strings.HasSuffix(a.Type, "*") {
			all[a.Name] += " " + a.Port
		}
	}
	if k.Control == "ap_ctrl_hs" {
		all["CTRL"] = "0 32 fields AP_START@0 AP_DONE@1 AP_IDLE@2 AP_READY@3 AUTO_RESTART@7"
	}
	return all
}

func gotRegisters(state *tcl.State) map[string]string {
	all := map[string]string{}
	for _, b := range state.All("address_block") {
		all[""] = strings.TrimPrefix(b.Properties["OWNER"], "map:") + " " + b.Properties["range"]
	}
	for _, r := range state.All("register") {
		var at int
		fmt.Sscanf(r.Properties["address_offset"], "0x%x", &at)
		line := fmt.Sprintf("%d %s", at, r.Properties["size"])
		for _, p := range state.All("register_parameter") {
			if p.Properties["OWNER"] == r.Name {
				line += " " + p.Properties["value"]
			}
		}
		var fields []tcl.Object
		for _, f := range state.All("field") {
			if f.Properties["OWNER"] == r.Name {
				fields = append(fields, f)
			}
		}
		slices.SortFunc(fields, func(a, b tcl.Object) int {
			return strings.Compare(a.Properties["bit_offset"], b.Properties["bit_offset"])
		})
		if len(fields) > 0 {
			line += " fields"
		}
		for _, f := range fields {
			line += " " + f.Properties["NAME"] + "@" + f.Properties["bit_offset"]
		}
		all[r.Properties["NAME"]] = line
	}
	return all
}
