// Package targets holds the targets of cclforge for mage. A magefile of your
// own module gets them with
//
//	import (
//		// mage:import
//		_ "github.com/cclforge/cclforge/gen/targets"
//	)
//
// or, if their names collide with yours, below a prefix with
// "mage:import cclforge".
package targets

import (
	"context"
	"time"

	"github.com/cclforge/cclforge/gen/targets/internal/command"
)

// Generate writes everything that must agree with the platforms into out/.
//
// Nothing is written unless all selected platforms are valid; only what changed
// is written.
func Generate(ctx context.Context,
	only *string, // platforms, as names or patterns: 'u5*,u280_*' (all)
	vars *string, // variables, as one HCL object: '{hw_emu = true}'
	out *string, // directory to write to (out)
	godir *string, // directory in your module that receives the Go driver package of one platform
) error {
	return command.Generate(ctx, command.Options(only, vars, out, godir))
}

// Validate checks platforms and reports every mistake with its place, and
// writes nothing.
//
// With -json it prints an object: valid, platforms (names of valid ones), and
// diagnostics, each with severity (error, warning), summary, and as far as there are
// detail, file, line, column, end_line, end_column. The exit code is the same.
func Validate(ctx context.Context,
	only *string, // platforms, as names or patterns: 'u5*,u280_*' (all)
	vars *string, // variables, as one HCL object: '{hw_emu = true}'
	json *bool, // print a JSON object
) error {
	return command.Validate(ctx, command.Options(only, vars, nil, nil), json != nil && *json)
}

// Platforms lists the platforms and what each is made of.
//
// With -json it prints an object with a list, platforms: each has name, valid and
// status, and if it is valid board, abi, engines, networks, lanes, memory.
func Platforms(ctx context.Context,
	json *bool, // print a JSON object
) error {
	return command.Platforms(ctx, json != nil && *json)
}

// New starts a platform: new <name> <board> writes platforms/<name>.hcl.
//
// For example: go tool mage new mycard u55c
func New(name, board string) error { return command.New(name, board) }

// Fmt brings the HCL files in platforms/ to their canonical form.
func Fmt(
	check *bool, // only list what is not, and fail if anything is
) error {
	return command.Fmt(check != nil && *check)
}

// Diff shows what generate would change, and fails if that is anything.
//
// With -json it prints an object: platforms (names), current, and changes, each with
// path and change (added, changed, removed). The exit code is the same.
func Diff(ctx context.Context,
	only *string, // platforms, as names or patterns: 'u5*,u280_*' (all)
	vars *string, // variables, as one HCL object: '{hw_emu = true}'
	out *string, // directory to compare with (out)
	godir *string, // directory in your module with the Go driver package of one platform
	json *bool, // print a JSON object
) error {
	return command.Diff(ctx, command.Options(only, vars, out, godir), json != nil && *json)
}

// Docs generates, and says where the manuals are.
func Docs(ctx context.Context,
	only *string, // platforms, as names or patterns: 'u5*,u280_*' (all)
	vars *string, // variables, as one HCL object: '{hw_emu = true}'
	out *string, // directory to write to (out)
) error {
	return command.Docs(ctx, command.Options(only, vars, out, nil))
}

// Demo runs every operation of a platform on emulated ranks, and checks each
// result against plain arithmetic.
//
// It generates the platform and runs its Go driver package.
func Demo(ctx context.Context,
	platform *string, // platform, as a name (u55c_tcp)
	n *int, // number of ranks (4)
	vars *string, // variables, as one HCL object: '{hw_emu = true}'
) error {
	return command.Demo(ctx, platform, n, vars)
}

// Kernel compiles the kernels of a platform that are written in C++, and runs their
// test benches.
//
// For example: go tool mage kernel bf16
func Kernel(ctx context.Context,
	platform string, // platform, as a name
	vars *string, // variables, as one HCL object: '{hw_emu = true}'
	only *string, // one kernel (all)
) error {
	return command.Kernel(ctx, platform, vars, only)
}

// Emulate serves emulated ranks of a platform to host programs of ACCL, in C++
// and Python, and to the Go driver.
//
// It builds out/bin/cclworld and runs it until Ctrl-C; that command also spreads
// ranks over processes and hosts, under mpirun and srun: out/bin/cclworld -h
//
// For example: go tool mage emulate u55c_tcp -n=2
func Emulate(ctx context.Context,
	platform string, // platform, as a name
	n *int, // number of ranks (4)
	vars *string, // variables, as one HCL object: '{hw_emu = true}'
	port *int, // first port; five for each rank are used from there on (5500)
	listen *string, // address for clients; 0.0.0.0 lets anybody in (127.0.0.1)
	network *string, // what is between ranks: auto, local, sockets, packets (auto)
	faults *string, // bad network, as one HCL object or a file: '{loss = 0.01}'
	kernel *string, // what is at the kernel streams: platform, loopback, client (platform)
	ranks *string, // ranks that are served here: 0,2-3 (all)
	foreign *string, // ranks that the emulator of somebody else serves
	hosts *string, // hosts where ranks are: a:2,b:2, or a file
	hostmemory *bool, // reach host memory also where the platform does not, as C++ programs expect (true)
	timeout *time.Duration, // of waits for another rank (what the platform says)
	health *time.Duration, // interval of a line for each rank that says how it is: 5s
	json *bool, // print a JSON object a line, for scripts
) error {
	return command.Emulate(ctx, platform, n,
		command.Flag("vars", vars), command.Flag("port", port), command.Flag("listen", listen), command.Flag("network", network),
		command.Flag("faults", faults), command.Flag("kernel", kernel), command.Flag("ranks", ranks), command.Flag("foreign", foreign),
		command.Flag("hosts", hosts), command.Flag("host-memory", hostmemory), command.Flag("timeout", timeout), command.Flag("health", health), command.Flag("json", json))
}

// EmulateCards plays a host with cards that are not there, for programs that reach cards
// through XRT: behind them are emulated ranks.
//
// It builds out/bin/cclcards and runs it until Ctrl-C. It says where the libraries are
// that such programs load in place of XRT's, where the .xclbin is, and how selftest and
// bench call the world. It needs gcc.
//
// For example: go tool mage emulateCards u55c_tcp -n=2
func EmulateCards(ctx context.Context,
	platform string, // platform, as a name
	n *int, // number of engines; each card has as many as its platform (2)
	vars *string, // variables, as one HCL object: '{hw_emu = true}'
	empty *bool, // cards hold nothing at the beginning
) error {
	return command.Cards(ctx, platform, command.Flag("n", n), command.Flag("vars", vars), command.Flag("empty", empty))
}

// Simulate serves ranks of a platform whose engines are simulated from the
// description of the hardware, to the same programs as emulate.
//
// It builds the hardware with Verilator, once, and out/bin/cclworld.
//
// For example: go tool mage simulate u55c_tcp -n=2
func Simulate(ctx context.Context,
	platform string, // platform, as a name
	n *int, // number of ranks (4)
	vars *string, // variables, as one HCL object: '{hw_emu = true}'
	only *string, // ranks that are simulated, the others are emulated: 0,2-3 (all)
	port *int, // first port; five for each rank are used from there on (5500)
	listen *string, // address for clients; 0.0.0.0 lets anybody in (127.0.0.1)
	network *string, // what is between ranks: auto, local, sockets, packets (auto)
	faults *string, // bad network, as one HCL object or a file: '{loss = 0.01}'
	kernel *string, // what is at the kernel streams: platform, client (platform)
	careful *bool, // check assertions, and begin with random values
	seed *int, // number that those come from (0)
	trace *string, // file for waveforms, in FST; %d in its name is the rank
	window *string, // cycles of which there are waveforms: 1000:5000 (all)
	scope *string, // part of the hierarchy: TOP.platform_top.ccl_offload_0 (all)
	levels *int, // levels of it (all)
	record *string, // file for a recording, of which replay makes waveforms; %d in its name is the rank
	health *time.Duration, // interval of a line for each rank that says how it is: 5s
	json *bool, // print a JSON object a line, for scripts
) error {
	simulated := "all"
	if only != nil {
		simulated = *only
	}
	return command.Emulate(ctx, platform, n,
		command.Flag("vars", vars), command.Flag("simulate", &simulated), command.Flag("port", port), command.Flag("listen", listen),
		command.Flag("network", network), command.Flag("faults", faults), command.Flag("kernel", kernel), command.Flag("careful", careful),
		command.Flag("seed", seed), command.Flag("trace", trace), command.Flag("trace-window", window), command.Flag("trace-scope", scope),
		command.Flag("trace-levels", levels), command.Flag("record", record), command.Flag("health", health), command.Flag("json", json))
}

// Replay does what was recorded of simulated hardware again, and writes waveforms: of
// a test that has failed, or of simulate with a recording.
//
// It builds the hardware as it was with waveforms, once, which takes minutes.
//
// For example: go tool mage replay rank0.rec
func Replay(ctx context.Context,
	recording string, // file
	trace *string, // file for waveforms, in FST (beside the recording)
	window *string, // cycles of which there are waveforms: 1000:5000 (the last 4096)
	scope *string, // part of the hierarchy: TOP.platform_top.ccl_offload_0 (all)
	levels *int, // levels of it (all)
) error {
	return command.Replay(ctx, recording,
		command.Flag("trace", trace), command.Flag("trace-window", window), command.Flag("trace-scope", scope), command.Flag("trace-levels", levels))
}

// Selftest checks a world: every operation, data type, reduction, compression and root.
//
// Sizes are those at which engines change what they do, and each element is compared with
// plain arithmetic.
//
// It builds out/bin/cclselftest and runs it. Under mpirun and srun that command has a rank
// in each process: mpirun --oversubscribe -np 4 out/bin/cclselftest -on=u55c_tcp
func Selftest(ctx context.Context,
	on *string, // world: a platform's name for emulated ranks, verilated:platform, sim:host:port, card:file.xclbin, coyote:platform (u55c_tcp)
	n *int, // number of ranks (4)
	thorough *bool, // more sizes, all roots with all types, random cases of everything that can vary
	only *string, // operations, separated by commas (all)
	platform *string, // of a world that has none in its name (u55c_tcp)
	vars *string, // variables, as one HCL object: '{hw_emu = true}'
	seed *int, // number that data and random cases come from (1)
	json *bool, // print a JSON object in place of the table
) error {
	return command.Selftest(ctx, command.Flag("on", on), command.Flag("n", n), command.Flag("thorough", thorough), command.Flag("only", only),
		command.Flag("platform", platform), command.Flag("vars", vars), command.Flag("seed", seed), command.Flag("json", json))
}

// Clean removes everything that was generated, and nothing else.
func Clean(ctx context.Context,
	out *string, // directory to clean (out)
	godir *string, // directory in your module with a generated Go driver package
) error {
	return command.Clean(ctx, command.Options(nil, nil, out, godir))
}

// Doctor says which optional tools are there, what they are for and how to get
// them.
//
// With -json it prints an object with a list, tools: each has name, found and for,
// version if it is there, get (how) if it is missing, error if it does not run.
func Doctor(ctx context.Context,
	json *bool, // print a JSON object
) error {
	return command.Doctor(ctx, json != nil && *json)
}
