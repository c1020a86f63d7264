package launch

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/driver/accl"
)

// finder finds where ranks are.
type finder struct {
	ctx   context.Context
	env   func(string) (string, bool)
	o     Options
	l     accl.Launch
	w     *World
	known map[string]netip.Addr // that have been looked up
}

// hosts lists the addresses of all ranks.
func (f *finder) hosts() ([]netip.Addr, error) {
	byRank := f.l.Launcher == "" || f.o.Ranks != "" || f.o.Foreign != ""
	if f.o.Hosts != "" {
		return f.given(byRank)
	}
	if f.l.Launcher == "" || f.l.LocalSize == f.l.Size {
		return slices.Repeat([]netip.Addr{loopback}, f.w.Size), nil
	}
	if f.l.Launcher != "Slurm" {
		return nil,
			fmt.Errorf(
				"%w: %s has not started all %s on this host: --hosts says where they are; give it the host file that mpirun was "+
					"given",
				ErrOption, f.l.Launcher, count(f.l.Size, "process", "processes"))
	}
	names, err := f.nodes()
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(names, func(n string) bool { return n != names[0] }) {
		return slices.Repeat([]netip.Addr{loopback}, f.w.Size), nil
	}
	if byRank {
		return nil, fmt.Errorf("%w: with --ranks or --foreign, --hosts has to say where each rank is", ErrOption)
	}
	out, err := f.ofRanks(names)
	if err != nil {
		return nil, fmt.Errorf("where Slurm has started ranks: %w; --hosts can give addresses", err)
	}
	return out, nil
}

// given lists the addresses of ranks from the option.
func (f *finder) given(byRank bool) ([]netip.Addr, error) {
	places, err := f.places()
	if err != nil {
		return nil, err
	}
	n, noun := f.l.Size, "processes"
	if byRank {
		n, noun = f.w.Size, "ranks"
	}
	names, err := fill(places, n, noun)
	if err != nil {
		return nil, err
	}
	if !byRank {
		if err := f.agrees(names); err != nil {
			return nil, err
		}
		return f.ofRanks(names)
	}
	several := slices.ContainsFunc(names, func(n string) bool { return n != names[0] })
	if f.l.Launcher == "" && f.o.Ranks == "" && several {
		return nil, fmt.Errorf("%w: --hosts has several hosts; --ranks says which ranks this process serves", ErrOption)
	}
	return f.lookUpAll(names)
}

// agrees compares places of processes with the launcher's number of processes on this
// host.
func (f *finder) agrees(names []string) error {
	if f.l.LocalSize == 0 {
		return nil
	}
	mine, n := names[f.l.Rank], 0
	for _, name := range names {
		if name == mine {
			n++
		}
	}
	if n != f.l.LocalSize {
		return fmt.Errorf(
			"%w: --hosts places %s on %s, where process %d is, but %s says %d: give each host its number in the order in "+
				"which mpirun fills them, like \"%s slots=%d\"",
			ErrOption, count(n, "process", "processes"), mine, f.l.Rank, f.l.Launcher, f.l.LocalSize, mine, f.l.LocalSize)
	}
	return nil
}

// ofRanks lists the addresses of ranks by the hosts of the processes that serve
// them.
func (f *finder) ofRanks(names []string) ([]netip.Addr, error) {
	addresses, err := f.lookUpAll(names)
	if err != nil {
		return nil, err
	}
	var out []netip.Addr
	for p := range f.l.Size {
		from, to := block(f.w.Size, f.l.Size, p)
		for range to - from {
			out = append(out, addresses[p])
		}
	}
	return out, nil
}

// fill puts n things onto places, in order.
func fill(places []Place, n int, noun string) ([]string, error) {
	if len(places) == 1 && places[0].Slots == 0 {
		return slices.Repeat([]string{places[0].Host}, n), nil
	}
	var out []string
	for _, p := range places {
		for range min(max(p.Slots, 1), n-len(out)) {
			out = append(out, p.Host)
		}
	}
	if len(out) < n {
		return nil,
			fmt.Errorf(
				"%w: --hosts has room for %d of %d %s: give each host the number that it takes, like \"%s:2\" or, in a file, "+
					"\"%s slots=2\"",
				ErrOption, len(out), n, noun, places[0].Host, places[0].Host)
	}
	return out, nil
}

// places reads the option, or the file that it names.
func (f *finder) places() ([]Place, error) {
	text := strings.TrimSpace(f.o.Hosts)
	info, err := os.Stat(text)
	switch {
	case err == nil && !info.IsDir():
		return file(text)
	case strings.ContainsAny(text, "/\\"):
		return nil, fmt.Errorf("%w: --hosts is %q, and there is no such file", ErrOption, text)
	}
	places, err := List(text, maxSize)
	if err != nil {
		return nil, fmt.Errorf("%w: --hosts: %w", ErrOption, err)
	}
	return places, nil
}

func file(name string) ([]Place, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%w: read the hosts: %w", ErrOption, err)
	}
	defer file.Close()
	places, err := Read(file, name, maxSize)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOption, err)
	}
	return places, nil
}

// lookUpAll finds the addresses of hosts. If there are several, none may be a
// loopback address where another is not: that host cannot be reached by others.
func (f *finder) lookUpAll(names []string) ([]netip.Addr, error) {
	several := slices.ContainsFunc(names, func(n string) bool { return n != names[0] })
	out := make([]netip.Addr, len(names))
	inside, outside := -1, -1
	for i, name := range names {
		a, err := f.lookUp(name, several)
		if err != nil {
			return nil, err
		}
		if out[i] = a; a.IsLoopback() {
			inside = i
		} else {
			outside = i
		}
	}
	if inside >= 0 && outside >= 0 {
		return nil, fmt.Errorf("%w: %s is %v, which %s cannot reach; give its address on the network in --hosts", ErrHost,
			names[inside], out[inside], names[outside])
	}
	return out, nil
}

// lookUp finds the address of a host, rather one that others reach.
func (f *finder) lookUp(name string, outside bool) (netip.Addr, error) {
	if a, err := netip.ParseAddr(name); err == nil {
		switch {
		case !a.Is4():
			return a, fmt.Errorf("%w: %v is of IPv6, and engines speak IPv4", ErrHost, a)
		case a.IsUnspecified() || a.IsMulticast() || a == netip.AddrFrom4([4]byte{255, 255, 255, 255}):
			return a, fmt.Errorf("%w: %v is not that of a host", ErrHost, a)
		}
		return a, nil
	}
	if a, there := f.known[name]; there {
		return a, nil
	}
	lookup := f.o.Lookup
	if lookup == nil {
		lookup = func(ctx context.Context, name string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip4", name)
		}
	}
	all, err := lookup(f.ctx, name)
	if err != nil && name == f.o.Hosts {
		return netip.Addr{}, fmt.Errorf("%w of %s, and no file of that name: %w", ErrHost, name, err)
	}
	if err != nil {
		return netip.Addr{}, fmt.Errorf("%w of %s: %w", ErrHost, name, err)
	}
	var found netip.Addr
	for _, a := range all {
		if a = a.Unmap(); a.Is4() && (!found.IsValid() || outside && found.IsLoopback() && !a.IsLoopback()) {
			found = a
		}
	}
	if !found.IsValid() {
		return found, fmt.Errorf("%w of %s: it has none of IPv4", ErrHost, name)
	}
	f.known[name] = found
	return found, nil
}
