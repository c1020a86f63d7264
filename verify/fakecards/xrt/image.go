package xrt

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/vitis/plan"
	"github.com/cclforge/cclforge/verify/fakecards/xclbin"
)

// memories are how the memories of cards are listed: what kind they are, and where the
// first bank begins.
var memories = map[string]struct {
	kind string
	base uint64
}{
	"HBM":  {"MEM_HBM", 0},
	"DDR":  {"MEM_DDR4", 0x4000000000},
	"HOST": {"MEM_HOST", 0x2000000000},
}

// unsaidMiB is the size of banks of which the board does not say it.
const unsaidMiB = 256

// unitsAt is where the registers of the first kernel are.
const unitsAt = 0x1800000

// Image makes an .xclbin as the linker and the build make it of a design, with tables of
// kernels and memory and the description of the design, but without a bit stream. Its UUID
// depends on the design and the salt.
func Image(d *design.Design, salt string) ([]byte, error) {
	description, err := plan.Describe(d, nil)
	if err != nil {
		return nil, fmt.Errorf("make an .xclbin of %s: %w", d.Platform.Name, err)
	}
	f := &xclbin.File{UUID: identity(description.Design + salt), Platform: Shell(d), Version: "2.13.466"}
	if err := tables(f, d); err != nil {
		return nil, fmt.Errorf("make an .xclbin of %s: %w", d.Platform.Name, err)
	}
	text, err := json.Marshal(description)
	if err != nil {
		return nil, err
	}
	f.Set("USER_METADATA", text)
	return f.Bytes()
}

// Shell returns the name of the Vitis platform that the .xclbin of a design is for, without
// its release.
func Shell(d *design.Design) string {
	name, number, ok := strings.Cut(d.Platform.Board.Shell, "_xdma_")
	if !ok {
		return d.Platform.Board.Shell
	}
	number, _, _ = strings.Cut(number, "_")
	return name + "_xdma_base_" + number
}

// tables lists kernels, and the memory that they reach: an argument that reaches
// several banks is led to each of them, and besides to a group.
func tables(f *xclbin.File, d *design.Design) error {
	var banks []xclbin.Bank
	first := map[string]int{}
	for _, m := range d.Platform.Board.Memories {
		known, ok := memories[m.Name]
		if !ok {
			return fmt.Errorf("board %s has a memory %s", d.Platform.Board.Name, m.Name)
		}
		kib := uint64(cmp.Or(m.BankMiB, unsaidMiB)) << 10
		first[m.Name] = len(banks)
		for i := range m.Banks {
			banks = append(banks, xclbin.Bank{Type: known.kind, KiB: kib, Base: known.base + uint64(i)*kib<<10,
				Tag: fmt.Sprintf("%s[%d]", m.Name, i)})
		}
	}
	// Those without registers are last.
	instances := slices.Clone(d.Instances)
	slices.SortStableFunc(instances, func(a, b *design.Instance) int { return registerless(a) - registerless(b) })
	var ips []xclbin.IP
	for i, in := range instances {
		ip := xclbin.IP{Type: "IP_KERNEL", Name: in.Kernel.Name + ":" + in.Name, Base: unitsAt + uint64(i)<<16,
			Control: strings.ToUpper(in.Kernel.Control)}
		if ip.Control == "USER_MANAGED" {
			ip.Control = "AP_CTRL_NONE" // the table has no number for it
		}
		if registerless(in) > 0 {
			ip.Base = xclbin.NotUsed
		}
		ips = append(ips, ip)
	}
	var single []xclbin.Connection
	groups := banks[:len(banks):len(banks)]
	var grouped []xclbin.Connection
	for _, m := range d.Memories {
		c := xclbin.Connection{Arg: argument(m.Port), IP: int32(slices.Index(instances, m.Port.Instance))}
		from := first[m.Memory] + m.First
		for n := m.First; n <= m.Last; n++ {
			c.Bank = int32(first[m.Memory] + n)
			banks[c.Bank].Used = true
			single = append(single, c)
		}
		if m.First < m.Last {
			group := banks[from]
			group.KiB *= uint64(m.Last - m.First + 1)
			group.Tag = fmt.Sprintf("MBG[%d]", len(groups)-len(banks))
			c.Bank = int32(len(groups))
			groups = append(groups, group)
			grouped = append(grouped, c)
		}
	}
	copy(groups, banks) // which of them are used is known now
	return fill(f, ips, banks, groups, single, append(single[:len(single):len(single)], grouped...))
}

func fill(f *xclbin.File, ips []xclbin.IP, banks, groups []xclbin.Bank, single, grouped []xclbin.Connection) error {
	layout, err := xclbin.IPLayout(ips)
	if err != nil {
		return err
	}
	for kind, list := range map[string][]xclbin.Bank{"MEM_TOPOLOGY": banks, "GROUP_TOPOLOGY": groups} {
		data, err := xclbin.MemTopology(list)
		if err != nil {
			return err
		}
		f.Set(kind, data)
	}
	f.Set("IP_LAYOUT", layout)
	f.Set("CONNECTIVITY", xclbin.Connectivity(single))
	f.Set("GROUP_CONNECTIVITY", xclbin.Connectivity(grouped))
	return nil
}

// argument is the number of the argument that a memory port belongs to; of kernels
// whose arguments nobody knows, that of the port among the memory ports.
func argument(p *design.Port) int32 {
	for i, a := range p.Instance.Kernel.Arguments {
		if a.Port == p.Name {
			return int32(i)
		}
	}
	n := int32(0)
	for _, other := range p.Instance.Ports {
		if other == p {
			break
		}
		if other.Protocol == design.AXI4 {
			n++
		}
	}
	return n
}

// registerless is 1 for instances without registers, and 0 for others.
func registerless(in *design.Instance) int {
	for _, p := range in.Ports {
		if p.Protocol == design.AXILite && !p.Output {
			return 0
		}
	}
	return 1
}

// identity is a UUID, as 32 hexadecimal digits, that depends on a text.
func identity(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}
