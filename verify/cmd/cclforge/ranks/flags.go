package ranks

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/verify/emu"
)

// options are what the command line says.
type options struct {
	platform, vars string

	n                     int
	ranks, foreign, hosts string
	network               string
	faults, packets       string
	trace, metrics        string

	port        int
	listen      string
	listenAt    netip.Addr
	kernel      string
	kernelHost  string
	kernelAt    emu.KernelAt
	memory      Size
	hostMemory  bool
	message     Size
	connections int
	timeout     time.Duration
	patience    time.Duration
	health      time.Duration
	json        bool
	hardware    hardware
}

// DefaultRanks is the number of ranks of a world by default.
const DefaultRanks = 4

// Verbs returns the verbs that serve ranks, and replay recordings of simulated ones.
func Verbs() []*cobra.Command { return verbs(os.LookupEnv) }

// Main is cclforge with these verbs alone, for tests that play it.
func Main() {
	command.Main(func(ctx context.Context) error {
		return command.Execute(ctx, command.New(Verbs()...), os.Args[1:]...)
	})
}

func verbs(env func(string) (string, bool)) []*cobra.Command {
	return []*cobra.Command{emulateVerb(env), simulateVerb(env), replayVerb()}
}

func emulateVerb(env func(string) (string, bool)) *cobra.Command {
	o := newOptions()
	c := &cobra.Command{
		Use: "emulate <platform>", GroupID: command.Worlds,
		Short: "serve emulated ranks to host programs of ACCL, in C++ and Python, and to the Go driver",
		Long: "Emulate serves emulated ranks of a platform to host programs of ACCL, in C++ and Python, and to the\nGo " +
			"driver, until it is interrupted. " + events,
		Example: `  cclforge emulate u55c_tcp
        four ranks in this process; programs connect to port 5500 of this host
  mpirun -np 4 out/bin/cclforge emulate u55c_tcp
        a process for each rank, in shared memory. Over several hosts also give
        --hosts=FILE, the host file that mpirun was given; srun needs none
  cclforge emulate u55c_udp -n 4 --foreign=1,3
        ranks 0 and 2; the emulator of somebody else serves the others`,
		RunE: o.serve(env),
	}
	o.define(c.Flags())
	return c
}

func simulateVerb(env func(string) (string, bool)) *cobra.Command {
	o := newOptions()
	o.hardware.ranks = allRanks
	c := &cobra.Command{
		Use: "simulate <platform>", GroupID: command.Worlds,
		Short: "serve ranks whose engines are simulated from the description of the hardware",
		Long: "Simulate serves ranks of a platform whose engines are simulated from the description of the\n" +
			"hardware, to the same programs as emulate. It builds the hardware with Verilator, once. " + events,
		Example: "  cclforge simulate u55c_tcp -n 2\n  cclforge simulate u55c_tcp --only=0 --waves=rank%d.fst " +
			"--window=1000:5000",
		RunE: o.serve(env),
	}
	o.define(c.Flags())
	o.hardware.define(c.Flags())
	return c
}

func replayVerb() *cobra.Command {
	var h hardware
	c := &cobra.Command{
		Use: "replay <recording>", GroupID: command.Worlds,
		Short: "replay a recording of simulated hardware, and write waveforms",
		Long: "Replay replays a recording of simulated hardware, and writes waveforms: of a test that has failed, or\n" +
			"of simulate with --record. It builds the hardware as it was with waveforms, once, which takes minutes.",
		Example: "  cclforge replay rank0.rec",
		RunE: func(cmd *cobra.Command, args []string) error {
			h.replay = args[0]
			if err := h.check(); err != nil {
				return err
			}
			return interrupted(cmd.Context(), h.again(cmd.Context(), cmd.OutOrStdout()))
		},
	}
	h.defineWaves(c.Flags(), "file for waveforms, in FST (beside the recording)", "the last 4096")
	return c
}

// serve is what a verb does that serves ranks.
func (o *options) serve(env func(string) (string, bool)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		o.platform = args[0]
		if cmd.Flags().Changed("n") && o.n < 1 {
			return command.Misuse("-n: a world has at least 1 rank, not %d", o.n)
		}
		if err := o.check(); err != nil {
			return err
		}
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		// The second signal kills.
		defer context.AfterFunc(ctx, func() { signal.Reset(os.Interrupt, syscall.SIGTERM) })()
		return asked(serveRanks(ctx, o, env, newReport(o.json, cmd.OutOrStdout(), cmd.ErrOrStderr())))
	}
}

// events describes the output for scripts.
const events = `

With --json it prints an object a line: {"event":"ready",…} when all sockets are bound, with
platform, host, port, size and ranks (where clients of these connect); {"event":"health",…} for
each rank at the interval of --health; {"event":"failed","rank":0,"error":"…"};
{"event":"stopped"}. The package documentation lists all fields.`

func newOptions() *options { return &options{memory: 4 << 30, message: 64 << 20} }

// Size is a number of bytes on the command line: "4GiB".
type Size uint64

var units = []struct {
	name string
	is   uint64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB",
	1e12}, {"B", 1}, {"", 1}}

// Set reads a size.
func (b *Size) Set(text string) error {
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(number), 10, 64)
		if err != nil || n == 0 || n > 1<<62/u.is {
			break
		}
		*b = Size(n * u.is)
		return nil
	}
	return errors.New("expected is a number of bytes, like 512MiB")
}

// Type names the kind of value in the help.
func (b *Size) Type() string { return "bytes" }

// String writes a size as Set reads it.
func (b *Size) String() string {
	if b == nil || *b == 0 {
		return ""
	}
	for _, u := range slices.Backward(units[:4]) {
		if *b >= Size(u.is) && uint64(*b)%u.is == 0 {
			return fmt.Sprintf("%d%s", uint64(*b)/u.is, u.name)
		}
	}
	return fmt.Sprint(uint64(*b))
}

func (o *options) define(f *pflag.FlagSet) {
	command.Vars(f, &o.vars)
	f.IntVarP(&o.n, "n", "n", 0, "`number` of ranks in all (one for each process of the launcher, or 4)")
	f.StringVar(&o.network, "network", "auto",
		"`what` is between ranks: local, sockets, memory (of one host), mixed, packets (of the protocol), auto")
	f.StringVar(&o.faults, "faults", "", "bad network, as one HCL `object` or a file: '{loss = 0.01}'")
	f.StringVar(&o.packets, "packets", "",
		"`file` for what ranks here send, in pcapng for Wireshark; %d in its name is the first of them")
	f.StringVar(&o.trace, "trace", "",
		"`directory` for what ranks here have done last, written when they end: a sequence diagram, a timeline, packets")
	f.StringVar(&o.metrics, "metrics", "",
		"`host:port` of http://…/metrics for Prometheus; \":port\" is on this host alone, port 0 any free one")
	f.IntVar(&o.port, "port", sim.DefaultPort, "first `port`; five for each rank are used from there on")
	f.StringVar(&o.listen, "listen", "127.0.0.1", "`address` for clients; 0.0.0.0 lets anybody in")
	f.StringVar(&o.kernel, "kernel", "platform", "`what` is at the kernel streams: platform, loopback, client")
	f.StringVar(&o.kernelHost, "kernel-host", "127.0.0.1", "`host` of a client that plays the user kernel")
	f.IntVar(&o.connections, "connections", 64, "largest `number` of connections to a socket of a rank")
	f.Var(&o.message, "message", "largest message, in `bytes`")
	f.Var(&o.memory, "memory", "largest memory of a rank, in `bytes`, of the device and of the host each")
	f.StringVar(&o.ranks, "ranks", "", "ranks that are served here, a `list`: 0,2-3 (all)")
	f.StringVar(&o.foreign, "foreign", "", "ranks that the emulator of somebody else serves, a `list`")
	f.StringVar(&o.hosts, "hosts", "",
		"hosts where ranks are: a `list` like a:2,b:2, or a file (this host, or what srun says)")
	f.BoolVar(&o.hostMemory, "hostmemory", true,
		"reach host memory also where the platform does not, as C++ programs expect")
	f.DurationVar(&o.timeout, "timeout", 0, "`time` of waits for another rank (what the platform says)")
	f.DurationVar(&o.patience, "patience", 0, "`time` that a wait within an engine lasts at least (1s)")
	f.DurationVar(&o.health, "health", 0, "`interval` of a line for each rank that says how it is: 5s")
	command.JSON(f, &o.json, "print a JSON object a line, for scripts")
}

// check reports values that cannot be.
func (o *options) check() (err error) {
	for _, c := range []struct {
		name, value string
		choices     []string
	}{
		{"network", o.network, []string{"auto", "local", "sockets", "memory", "mixed", "packets"}},
		{"kernel", o.kernel, []string{"platform", "loopback", "client"}},
	} {
		if !slices.Contains(c.choices, c.value) {
			return command.Misuse("--%s=%s: it is one of %s", c.name, c.value, strings.Join(c.choices, ", "))
		}
	}
	switch {
	case o.port < 1 || o.port > 65535:
		return command.Misuse("--port=%d: ports are 1 to 65535", o.port)
	case o.connections < 1:
		return command.Misuse("--connections=%d: at least 1", o.connections)
	case o.timeout < 0 || o.timeout > 0 && o.timeout < time.Millisecond:
		return command.Misuse("--timeout=%v: at least 1ms", o.timeout)
	case o.patience < 0:
		return command.Misuse("--patience=%v: a time like 1s", o.patience)
	case o.health < 0:
		return command.Misuse("--health=%v: an interval like 5s", o.health)
	case o.foreign != "" && o.network != "auto" && o.network != "packets":
		return command.Misuse(
			"--foreign with --network=%s: emulators of others are reached on the packet sockets, --network=packets", o.network)
	}
	if err := o.hardware.check(); err != nil {
		return err
	}
	o.kernelAt = map[string]emu.KernelAt{"platform": emu.AsPlatform, "loopback": emu.Loopback,
		"client": emu.Client}[o.kernel]
	if o.listenAt, err = netip.ParseAddr(o.listen); err != nil || !o.listenAt.Is4() {
		return command.Misuse("--listen=%s: an address of IPv4, like 127.0.0.1 or 0.0.0.0", o.listen)
	}
	return nil
}
