package target

import (
	"cmp"
	"flag"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup"
	"github.com/cclforge/cclforge/verify/world"
)

// What options are if they are zero.
const (
	DefaultPlatform = "u55c_tcp"
	DefaultRanks    = 4
)

// Options say which world is opened.
type Options struct {
	On       string // as the package has it
	Platform string // where the text has none
	Vars     string // values of its variables, as an HCL object
	// Ranks is the size of the world, if this process has all of it. Of several processes
	// each has one rank.
	Ranks int
	// Address is that of this process for those with the other ranks; by default the
	// one from which it reaches rank 0.
	Address string
	// Network is what is between emulated engines of several processes: "sockets", "memory" that
	// processes of one host share, or "auto", which is "" too: memory where that is possible.
	Network string
	Timeout time.Duration // until all processes are there; 0 for that of bringup
	Env     bringup.Lookup
	Open    []accl.OpenOption                // of engines, before those of the kind of world
	World   world.Options                    // of emulated engines, if this process has all of them
	Log     func(format string, args ...any) // may be nil
}

// Flags defines the flags of the options, and those by which processes without a launcher
// find each other.
func (o *Options) Flags(set *flag.FlagSet) {
	set.StringVar(&o.Platform, "platform", DefaultPlatform, "`name` of the platform of a world that has none in its name")
	set.StringVar(&o.Vars, "vars", "", "variables, as one HCL `object`: '{hw_emu = true}'")
	set.IntVar(&o.Ranks, "n", 0, "`number` of ranks, all of this process; of several processes each has one (4)")
	set.StringVar(&o.Address, "address", "",
		"`address` of this process for those with the other ranks (the one from which it reaches rank 0)")
	set.StringVar(&o.Network, "network", "auto",
		"`what` is between emulated engines of several processes: auto, sockets, memory (of one host)")
	set.DurationVar(&o.Timeout, "timeout", bringup.DefaultTimeout, "`time` until all processes are there")
	o.Env = bringup.Flags(set, os.LookupEnv)
}

func (o *Options) env() bringup.Lookup {
	if o.Env == nil {
		return os.LookupEnv
	}
	return o.Env
}

// place settles who this process is: all ranks, or one.
func (o *Options) place() (b bringup.Options, local []int, err error) {
	if b, err = bringup.FromEnv(o.env()); err != nil {
		return b, nil, err
	}
	if b.Size > 1 {
		if o.Ranks != 0 && o.Ranks != b.Size {
			return b, nil, fmt.Errorf("%w: %d ranks on %d processes, each of which has one", ErrText, o.Ranks, b.Size)
		}
		b.Timeout = o.Timeout
		return b, []int{b.Rank}, nil
	}
	n := cmp.Or(o.Ranks, DefaultRanks)
	if n < 1 || n > bringup.MaxSize {
		return b, nil, fmt.Errorf("%w: a world has 1 to %d ranks, not %d", ErrText, bringup.MaxSize, n)
	}
	for rank := range n {
		local = append(local, rank)
	}
	return bringup.Options{Size: n}, local, nil
}

// address is that of this process for others.
func (o *Options) address(b *bringup.Options) (netip.Addr, error) {
	if o.Address != "" {
		a, err := netip.ParseAddr(o.Address)
		if err != nil || !a.Is4() || a.IsUnspecified() {
			return a, fmt.Errorf("%w: -address=%s is no address of IPv4", ErrText, o.Address)
		}
		return a, nil
	}
	host, _, err := net.SplitHostPort(b.Meet)
	if err != nil {
		return netip.Addr{}, err
	}
	started, err := accl.LaunchOf(o.env())
	if err != nil {
		return netip.Addr{}, err
	}
	here := host == "localhost" || started.LocalSize == b.Size
	if a, err := netip.ParseAddr(host); err == nil {
		here = here || a.IsLoopback()
	}
	if here {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1}), nil
	}
	// Nothing is sent: the system only looks up the way.
	c, err := net.Dial("udp4", b.Meet)
	if err != nil {
		return netip.Addr{}, fmt.Errorf("find the address from which rank %d reaches rank 0 at %s: %w; -address says it",
			b.Rank, b.Meet, err)
	}
	defer c.Close()
	a := c.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap()
	if !a.IsLoopback() {
		return a, nil
	}
	// This is the host of rank 0, which has a loopback address for its own name, as Debian
	// gives one.
	all, err := onNetworks()
	if err != nil || len(all) != 1 {
		return a, fmt.Errorf(
			"%w: rank %d reaches rank 0 at %s from %v, which no other host can reach, and this host has %d others: -address "+
				"says which", ErrText, b.Rank, b.Meet, a, len(all))
	}
	return all[0], nil
}

// onNetworks are the addresses that this host has on networks.
func onNetworks() ([]netip.Addr, error) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	var out []netip.Addr
	for _, a := range all {
		if n, is := a.(*net.IPNet); is && n.IP.IsGlobalUnicast() {
			if a, is := netip.AddrFromSlice(n.IP); is && a.Unmap().Is4() {
				out = append(out, a.Unmap())
			}
		}
	}
	return out, nil
}
