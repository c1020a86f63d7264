package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cclforge/cclforge/verify/fakecards/xclbin"
	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// memories says for a memory by its name how it is listed, and where it begins.
var memories = map[string]struct {
	kind string
	base uint64
}{"HBM": {"MEM_HBM", 0}, "DDR": {"MEM_DDR4", 0x4000000000}, "PLRAM": {"MEM_DRAM", 0x3000000000}, "HOST": {"MEM_HOST",
	0x2000000000}}

// layout puts into a device binary where its kernels lie, and which memory they
// reach, as the linker does: an argument that reaches several banks is led to each,
// and besides to a group of them.
func layout(f *xclbin.File, sys *System, sh *standin.Shell) error {
	var banks []xclbin.Bank
	first := map[string]int{}
	for _, m := range sh.Memories {
		known, ok := memories[m.Name]
		if !ok {
			return fmt.Errorf("platform %s has a memory %s", sh.Name, m.Name)
		}
		first[m.Name] = len(banks)
		for i := range m.Banks {
			banks = append(banks, xclbin.Bank{Type: known.kind, KiB: m.KiB, Base: known.base + uint64(i)*m.KiB*1024,
				Tag: fmt.Sprintf("%s[%d]", m.Name, i)})
		}
	}
	// The linker sorts by address; what has no registers is last.
	instances := slices.Clone(sys.Instances)
	slices.SortStableFunc(instances, func(a, b Instance) int { return free(a) - free(b) })
	var ips []xclbin.IP
	var single []xclbin.Connection
	groups := map[string][]xclbin.Connection{}
	for i, in := range instances {
		ip := xclbin.IP{Type: "IP_KERNEL", Name: in.Kernel.Name + ":" + in.Name, Base: 0x1800000 + uint64(i)<<16,
			Control: strings.ToUpper(in.Kernel.Control)}
		if ip.Control == "USER_MANAGED" {
			ip.Control = "AP_CTRL_NONE" // the table has no number for it
		}
		if free(in) > 0 {
			ip.Base = xclbin.NotUsed
		}
		ips = append(ips, ip)
		for _, a := range in.Kernel.Args {
			tag, ok := sys.Banks[in.Name+"."+a.Port]
			if !ok {
				if tag, ok = sys.Banks[in.Name+"."+a.Name]; !ok {
					continue
				}
			}
			number, err := strconv.Atoi(a.ID)
			if err != nil {
				return fmt.Errorf("argument %s of %s: %w", a.Name, in.Kernel.Name, err)
			}
			memory, from, to, err := span(tag)
			if err != nil {
				return err
			}
			c := xclbin.Connection{Arg: int32(number), IP: int32(i)}
			for n := from; n <= to; n++ {
				c.Bank = int32(first[memory] + n)
				banks[c.Bank].Used = true
				single = append(single, c)
			}
			if from < to {
				groups[tag] = append(groups[tag], c)
			}
		}
	}
	all, grouped := slices.Clone(banks), slices.Clone(single)
	for _, tag := range sorted(groups) {
		memory, from, to, err := span(tag)
		if err != nil {
			return err
		}
		group := banks[first[memory]+from]
		group.KiB *= uint64(to - from + 1)
		group.Tag = fmt.Sprintf("MBG[%d]", len(all)-len(banks))
		for _, c := range groups[tag] {
			c.Bank = int32(len(all))
			grouped = append(grouped, c)
		}
		all = append(all, group)
	}
	for kind, list := range map[string][]xclbin.Bank{"MEM_TOPOLOGY": banks, "GROUP_TOPOLOGY": all} {
		data, err := xclbin.MemTopology(list)
		if err != nil {
			return err
		}
		f.Set(kind, data)
	}
	data, err := xclbin.IPLayout(ips)
	if err != nil {
		return err
	}
	f.Set("IP_LAYOUT", data)
	f.Set("CONNECTIVITY", xclbin.Connectivity(single))
	f.Set("GROUP_CONNECTIVITY", xclbin.Connectivity(grouped))
	return nil
}

// free is 1 for instances without registers, and 0 for others.
func free(in Instance) int {
	for _, p := range in.Kernel.Ports {
		if p.Mode == "slave" {
			return 0
		}
	}
	return 1
}

// span takes "HBM[0:5]", "HBM[6]" or "HOST" apart.
func span(tag string) (memory string, from, to int, err error) {
	memory, numbers, ok := strings.Cut(strings.TrimSuffix(tag, "]"), "[")
	if !ok {
		return memory, 0, 0, nil
	}
	low, high, ok := strings.Cut(numbers, ":")
	if !ok {
		high = low
	}
	if from, err = strconv.Atoi(low); err == nil {
		to, err = strconv.Atoi(high)
	}
	if err != nil {
		return "", 0, 0, fmt.Errorf("banks %s: %w", tag, err)
	}
	return memory, from, to, nil
}
