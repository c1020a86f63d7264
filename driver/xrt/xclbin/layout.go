package xclbin

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Errors of Layout, for errors.Is.
var (
	ErrInstance = errors.New("no such instance of a kernel")
	ErrNoMemory = errors.New("the argument reaches no memory")
)

// Kernel is an instance of a kernel.
type Kernel struct {
	IP
	Index    int    // index in IP_LAYOUT
	Kernel   string // "extdma"
	Instance string // "extdma_0_0"
}

// Place is a bank and its index in its table, by which XRT names banks.
type Place struct {
	Bank
	Index int
}

// Layout describes the kernels of a file: their registers, and the memory that they
// reach. It is plain data, and does not need the file any more.
type Layout struct {
	Kernels []Kernel // in the order of IP_LAYOUT, without other IPs
	Banks   []Bank   // MEM_TOPOLOGY
	// Groups are the banks by the numbers that XRT takes for buffers: GROUP_TOPOLOGY, or
	// MEM_TOPOLOGY in files without groups.
	Groups []Bank

	single, grouped []Connection
}

// Layout reads the sections about kernels and memory. The error matches ErrFormat if one
// is damaged, or if they contradict each other.
func (f *File) Layout() (*Layout, error) {
	ips, err := f.IPs()
	if err != nil {
		return nil, err
	}
	l := &Layout{}
	if l.Kernels, err = kernels(ips); err != nil {
		return nil, err
	}
	if l.Banks, err = f.Banks(); err != nil {
		return nil, err
	}
	if l.single, err = f.Connections(); err != nil {
		return nil, err
	}
	if err := agree(Connectivity, l.single, ips, l.Banks); err != nil {
		return nil, err
	}
	if l.Groups, err = f.Groups(); err != nil {
		return nil, err
	}
	if l.grouped, err = f.GroupConnections(); err != nil {
		return nil, err
	}
	// As in XRT, each of the two is replaced by itself.
	if l.Groups == nil {
		l.Groups = l.Banks
	}
	kind := AskGroupConnection
	if l.grouped == nil {
		l.grouped, kind = l.single, Connectivity
	}
	if err := agree(kind, l.grouped, ips, l.Groups); err != nil {
		return nil, err
	}
	return l, nil
}

// kernels takes the instances of kernels out of a layout.
func kernels(ips []IP) ([]Kernel, error) {
	var list []Kernel
	known := map[string]bool{}
	for i, ip := range ips {
		if ip.Type != KernelIP {
			continue
		}
		kernel, instance, ok := strings.Cut(ip.Name, ":")
		if !ok || kernel == "" || instance == "" {
			return nil, fmt.Errorf("%w: %s: the name of entry %d is %q, and not kernel:instance", ErrFormat,
				IPLayout, i, ip.Name)
		}
		if known[instance] {
			return nil, fmt.Errorf("%w: %s: there are two instances %s", ErrFormat, IPLayout, instance)
		}
		known[instance] = true
		list = append(list, Kernel{ip, i, kernel, instance})
	}
	return list, nil
}

// agree sees that connections are between kernels and banks that there are.
func agree(kind Kind, list []Connection, ips []IP, banks []Bank) error {
	for i, c := range list {
		switch {
		case c.IP >= len(ips):
			return fmt.Errorf("%w: %s: entry %d is of IP %d, and there are %d", ErrFormat, kind, i, c.IP, len(ips))
		case c.Bank >= len(banks):
			return fmt.Errorf("%w: %s: entry %d leads to bank %d, and there are %d", ErrFormat, kind, i, c.Bank, len(banks))
		case ips[c.IP].Type != KernelIP && ips[c.IP].Type != ProcessorKernel:
			return fmt.Errorf("%w: %s: entry %d is of IP %d (%s), which is no kernel", ErrFormat, kind, i, c.IP, ips[c.IP].Name)
		case !banks[c.Bank].Used && !banks[c.Bank].Type.Stream():
			return fmt.Errorf("%w: %s: entry %d leads to bank %d (%s), which is not used", ErrFormat, kind,
				i, c.Bank, banks[c.Bank].Tag)
		}
	}
	return nil
}

// Kernel finds a kernel by the name of its instance, such as "ccl_offload_0". The error
// matches ErrInstance if there is none.
func (l *Layout) Kernel(instance string) (Kernel, error) {
	i := slices.IndexFunc(l.Kernels, func(k Kernel) bool { return k.Instance == instance })
	if i < 0 {
		return Kernel{}, fmt.Errorf("%w: %s", ErrInstance, instance)
	}
	return l.Kernels[i], nil
}

// Of lists the instances of a kernel, such as "extdma", in the order of IP_LAYOUT.
func (l *Layout) Of(kernel string) []Kernel {
	var list []Kernel
	for _, k := range l.Kernels {
		if k.Kernel == kernel {
			list = append(list, k)
		}
	}
	return list
}

// Arguments lists the arguments of an instance that reach memory, ascending. The
// error matches ErrInstance if there is no such instance.
func (l *Layout) Arguments(instance string) ([]int, error) {
	k, err := l.Kernel(instance)
	if err != nil {
		return nil, err
	}
	var list []int
	for _, c := range l.single {
		if c.IP == k.Index && !l.Banks[c.Bank].Type.Stream() {
			list = append(list, c.Arg)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// Reach lists the banks of memory that an argument of an instance reaches, ascending by
// their index in Banks; none for a scalar or a stream. The error matches ErrInstance if
// there is no such instance.
func (l *Layout) Reach(instance string, argument int) ([]Place, error) {
	return l.reach(instance, argument, l.single, l.Banks)
}

// BufferBank is the bank in which XRT puts a buffer for an argument of an instance: the
// last entry of Groups that it reaches, which is a group if it reaches several banks. The
// error matches ErrInstance or ErrNoMemory.
func (l *Layout) BufferBank(instance string, argument int) (Place, error) {
	list, err := l.reach(instance, argument, l.grouped, l.Groups)
	if err != nil {
		return Place{}, err
	}
	if len(list) == 0 {
		return Place{}, fmt.Errorf("%w: argument %d of %s", ErrNoMemory, argument, instance)
	}
	return list[len(list)-1], nil
}

func (l *Layout) reach(instance string, argument int, connections []Connection, banks []Bank) ([]Place, error) {
	k, err := l.Kernel(instance)
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, c := range connections {
		if c.IP == k.Index && c.Arg == argument && !banks[c.Bank].Type.Stream() {
			numbers = append(numbers, c.Bank)
		}
	}
	slices.Sort(numbers)
	var list []Place
	for _, n := range slices.Compact(numbers) {
		list = append(list, Place{banks[n], n})
	}
	return list, nil
}
