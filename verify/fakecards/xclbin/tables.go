package xclbin

import (
	"fmt"
	"slices"
)

// Names of numbers in tables, as xclbinutil has them.
var (
	ipTypes = []string{"IP_MB", "IP_KERNEL", "IP_DNASC", "IP_DDR4_CONTROLLER", "IP_MEM_DDR4", "IP_MEM_HBM",
		"IP_MEM_HBM_ECC", "IP_PS_KERNEL"}
	controls = []string{"AP_CTRL_HS", "AP_CTRL_CHAIN", "AP_CTRL_NONE", "AP_CTRL_ME", "ACCEL_ADAPTER", "FAST_ADAPTER"}
	memTypes = []string{"MEM_DDR3", "MEM_DDR4", "MEM_DRAM", "MEM_STREAMING", "MEM_PREALLOCATED_GLOB", "MEM_ARE", "MEM_HBM",
		"MEM_BRAM", "MEM_URAM",
		"MEM_STREAMING_CONNECTION", "MEM_HOST", "MEM_PS_KERNEL"}
)

// NotUsed is the base address of an instance without registers.
const NotUsed = ^uint64(0)

// IP is an entry of IP_LAYOUT.
type IP struct {
	Type string // "IP_KERNEL", "IP_MEM_HBM", ...
	Name string // of a kernel "kernel:instance"
	Base uint64

	// Of a kernel.
	Control   string // "AP_CTRL_HS", ...; empty for the first
	Interrupt uint8  // number
	Enabled   bool   // the interrupt

	// Of a memory.
	Index   uint16
	Channel uint8
}

// Bank is an entry of MEM_TOPOLOGY or GROUP_TOPOLOGY.
type Bank struct {
	Type string // "MEM_HBM", ...
	Used bool
	KiB  uint64
	Base uint64
	Tag  string
}

// Connection is an entry of CONNECTIVITY or GROUP_CONNECTIVITY.
type Connection struct{ Arg, IP, Bank int32 }

// IPLayout is the data of a section IP_LAYOUT. The error matches ErrFile, as those
// of the other tables do.
func IPLayout(list []IP) ([]byte, error) {
	w := &writer{}
	w.number(uint32(len(list)))
	w.number(0) // aligns the entries
	for _, ip := range list {
		kind := slices.Index(ipTypes, ip.Type)
		control := max(0, slices.Index(controls, ip.Control))
		if kind < 0 || ip.Interrupt > 127 || control == 0 && ip.Control != "" && ip.Control != controls[0] {
			return nil, fmt.Errorf("%w: IP_LAYOUT: %+v", ErrFile, ip)
		}
		w.number(uint32(kind))
		switch ip.Type {
		case "IP_MEM_DDR4", "IP_MEM_HBM", "IP_MEM_HBM_ECC":
			w.short(ip.Index)
			w.bytes([]byte{ip.Channel, 0})
		default:
			low := ip.Interrupt << 1
			if ip.Enabled {
				low++
			}
			w.bytes([]byte{low, byte(control), 0, 0})
		}
		w.long(ip.Base)
		w.text(ip.Name, 64)
	}
	return w.b, w.err
}

// MemTopology is the data of a section MEM_TOPOLOGY or GROUP_TOPOLOGY.
func MemTopology(list []Bank) ([]byte, error) {
	w := &writer{}
	w.number(uint32(len(list)))
	w.number(0)
	for _, b := range list {
		kind := slices.Index(memTypes, b.Type)
		if kind < 0 {
			return nil, fmt.Errorf("%w: MEM_TOPOLOGY: %+v", ErrFile, b)
		}
		used := byte(0)
		if b.Used {
			used = 1
		}
		w.bytes([]byte{byte(kind), used, 0, 0, 0, 0, 0, 0})
		w.long(b.KiB)
		w.long(b.Base)
		w.text(b.Tag, 16)
	}
	return w.b, w.err
}

// Connectivity is the data of a section CONNECTIVITY or GROUP_CONNECTIVITY.
func Connectivity(list []Connection) []byte {
	w := &writer{}
	w.number(uint32(len(list)))
	for _, c := range list {
		w.number(uint32(c.Arg))
		w.number(uint32(c.IP))
		w.number(uint32(c.Bank))
	}
	return w.b
}
