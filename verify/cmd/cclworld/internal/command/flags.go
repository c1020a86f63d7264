package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/verify/emu"
)

// options are what the command line says.
type options struct {
	platform, vars string

	n                     int
	ranks, foreign, hosts string
	network               string
	faults                string

	port        int
	listen      string
	listenAt    netip.Addr
	kernel      string
	kernelHost  string
	kernelAt    emu.KernelAt
	memory      size
	hostMemory  bool
	message     size
	connections int
	timeout     time.Duration
	patience    time.Duration
	health      time.Duration
	json        bool
	version     bool
	hardware    hardware
}

const intro = `cclworld serves ranks of an emulated platform to host programs of ACCL, in C++ and
Python, and to the Go driver.

  cclworld u55c_tcp -n=4
        four ranks in this process; programs connect to port 5500 of this host
  mpirun -np 4 cclworld u55c_tcp
        a process for each rank, on real TCP sockets. Over several hosts also give
        -hosts=FILE, the host file that mpirun was given; srun needs none
  cclworld u55c_udp -n=4 -foreign=1,3
        ranks 0 and 2; the emulator of somebody else serves the others

Usage: cclworld <platform> [options]
       cclworld -replay=FILE [options]
`

// sections are the options in the order of the help.
var sections = []struct {
	title string
	flags []string
}{
	{"The world", []string{"platform", "vars", "n", "ranks", "hosts", "foreign", "network", "faults"}},
	{"Clients", []string{"port", "listen", "kernel", "kernel-host", "connections", "message", "memory", "host-memory"}},
	{"Engines", []string{"timeout", "patience"}},
	{"Simulated hardware", []string{"simulate", "careful", "seed", "trace", "trace-window", "trace-scope", "trace-levels", "record", "replay"}},
	{"Output", []string{"health", "json", "version"}},
}

// help writes what there is.
func help(f *flag.FlagSet, out io.Writer) {
	var b strings.Builder
	b.WriteString(intro)
	for _, s := range sections {
		fmt.Fprintf(&b, "\n%s\n", s.title)
		for _, name := range s.flags {
			what, usage := flag.UnquoteUsage(f.Lookup(name))
			if what != "" {
				name += "=" + strings.ToUpper(what)
			}
			fmt.Fprintf(&b, "  -%-20s %s\n", name, strings.ReplaceAll(usage, "\n", "\n"+strings.Repeat(" ", 24)))
		}
	}
	fmt.Fprint(out, b.String())
}

// size is a number of bytes on the command line: "4GiB".
type size uint64

var units = []struct {
	name string
	is   uint64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}, {"", 1}}

func (b *size) Set(text string) error {
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(number), 10, 64)
		if err != nil || n == 0 || n > 1<<62/u.is {
			break
		}
		*b = size(n * u.is)
		return nil
	}
	return errors.New("expected is a number of bytes, like 512MiB")
}

func (b *size) String() string {
	if b == nil {
		return ""
	}
	for _, u := range slices.Backward(units[:4]) {
		if *b >= size(u.is) && uint64(*b)%u.is == 0 {
			return fmt.Sprintf("%d%s", uint64(*b)/u.is, u.name)
		}
	}
	return fmt.Sprint(uint64(*b))
}

// errUsage says that the command line is wrong; what has been written about it
// is enough if the text is empty.
type errUsage struct{ text string }

func (e errUsage) Error() string { return e.text }

func usagef(format string, args ...any) error { return errUsage{fmt.Sprintf(format, args...)} }

// parse reads the command line. The error is flag.ErrHelp after it has been
// given, or an errUsage.
func parse(args []string, out io.Writer) (*options, error) {
	o := &options{memory: 4 << 30, message: 64 << 20}
	f := flag.NewFlagSet("cclworld", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	o.define(f)
	var names []string
	for rest := args; ; {
		if err := f.Parse(rest); errors.Is(err, flag.ErrHelp) {
			help(f, out)
			return nil, err
		} else if err != nil {
			return nil, errUsage{err.Error()}
		}
		if f.NArg() == 0 {
			break
		}
		names, rest = append(names, f.Arg(0)), f.Args()[1:]
	}
	if o.version {
		return o, nil
	}
	f.Visit(func(given *flag.Flag) {
		if given.Name == "n" && o.n == 0 {
			o.n = -1 // as wrong as that
		}
	})
	if o.platform != "" {
		names = append([]string{o.platform}, names...)
	}
	if o.hardware.replay != "" {
		if len(names) > 0 {
			return nil, usagef("-replay=%s: the recording says which platform, not %s", o.hardware.replay, strings.Join(names, " "))
		}
		return o, o.hardware.check()
	}
	switch len(names) {
	case 0:
		return nil, usagef("which platform? go tool mage platforms lists them; u55c_tcp is one")
	case 1:
		o.platform = names[0]
	default:
		return nil, usagef("%s: there is one platform, and options are given as -name=value", strings.Join(names, " "))
	}
	return o, o.check()
}

func (o *options) define(f *flag.FlagSet) {
	f.StringVar(&o.platform, "platform", "", "the platform, in place of the argument `name`")
	f.StringVar(&o.vars, "vars", "", "its variables, as one HCL `object`: '{hw_emu = true}'")
	f.IntVar(&o.n, "n", 0, "`number` of ranks in all (one for each process of the launcher, or 1)")
	f.StringVar(&o.ranks, "ranks", "", "those that this process serves, a `list` like 0,2-3 (its part of all)")
	f.StringVar(&o.hosts, "hosts", "", "where ranks are: a `list` like a:2,b:2, or a file with a host in each line\n"+
		"(this host, or what srun says)")
	f.StringVar(&o.foreign, "foreign", "", "those that the emulator of somebody else serves, a `list`")
	f.StringVar(&o.network, "network", "auto", "`what` is between ranks: local, within one process; sockets, real UDP or TCP;\n"+
		"packets, those of the protocol; auto, local if this process has all ranks,\n"+
		"packets with -foreign, sockets otherwise (auto)")
	f.StringVar(&o.faults, "faults", "", "a bad network, as one HCL `object` or a file: '{loss = 0.01, latency = \"2ms\"}'")

	f.IntVar(&o.port, "port", sim.DefaultPort, "first port `number`; each rank of the world takes five from there on (5500)")
	f.StringVar(&o.listen, "listen", "127.0.0.1", "`address` for clients; 0.0.0.0 lets in everybody who reaches this host (127.0.0.1)")
	f.StringVar(&o.kernel, "kernel", "platform", "`what` is at the kernel streams: loopback; client, a program that plays the user\n"+
		"kernel; platform, as that says (platform)")
	f.StringVar(&o.kernelHost, "kernel-host", "127.0.0.1", "`host` of that program (127.0.0.1)")
	f.IntVar(&o.connections, "connections", 64, "largest `number` of connections to a socket of a rank (64)")
	f.Var(&o.message, "message", "largest message, in `bytes` (64MiB)")
	f.Var(&o.memory, "memory", "largest memory of a rank, in `bytes`, of the device and of the host each (4GiB)")

	f.BoolVar(&o.hostMemory, "host-memory", true, "emulated engines reach host memory also where the platform does not, as C++\n"+
		"programs expect; -host-memory=false for those of the platform (true)")

	f.DurationVar(&o.timeout, "timeout", 0, "`time` that a call waits for another rank, like 5s (what the platform says)")
	f.DurationVar(&o.patience, "patience", 0, "`time` that a wait within an engine lasts at least (1s)")

	o.hardware.define(f)

	f.DurationVar(&o.health, "health", 0, "`time` between lines that say how each rank is, like 5s (none)")
	f.BoolVar(&o.json, "json", false, "an object a line, for scripts")
	f.BoolVar(&o.version, "version", false, "print the version, and end")
}

// check reports values that cannot be.
func (o *options) check() (err error) {
	for _, c := range []struct {
		name, value string
		choices     []string
	}{
		{"network", o.network, []string{"auto", "local", "sockets", "packets"}},
		{"kernel", o.kernel, []string{"platform", "loopback", "client"}},
	} {
		if !slices.Contains(c.choices, c.value) {
			return usagef("-%s=%s: it is one of %s", c.name, c.value, strings.Join(c.choices, ", "))
		}
	}
	switch {
	case o.n < 0:
		return usagef("-n: a world has at least 1 rank")
	case o.port < 1 || o.port > 65535:
		return usagef("-port=%d: ports are 1 to 65535", o.port)
	case o.connections < 1:
		return usagef("-connections=%d: at least 1", o.connections)
	case o.timeout < 0 || o.timeout > 0 && o.timeout < time.Millisecond:
		return usagef("-timeout=%v: at least 1ms", o.timeout)
	case o.patience < 0:
		return usagef("-patience=%v: a time like 1s", o.patience)
	case o.health < 0:
		return usagef("-health=%v: an interval like 5s", o.health)
	case o.foreign != "" && o.network != "auto" && o.network != "packets":
		return usagef("-foreign with -network=%s: emulators of others are reached on the packet sockets, -network=packets", o.network)
	}
	if err := o.hardware.check(); err != nil {
		return err
	}
	o.kernelAt = map[string]emu.KernelAt{"platform": emu.AsPlatform, "loopback": emu.Loopback, "client": emu.Client}[o.kernel]
	if o.listenAt, err = netip.ParseAddr(o.listen); err != nil || !o.listenAt.Is4() {
		return usagef("-listen=%s: an address of IPv4, like 127.0.0.1 or 0.0.0.0", o.listen)
	}
	return nil
}
