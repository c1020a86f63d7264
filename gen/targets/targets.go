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
	return command.Run(ctx, "generate", command.Argument(only), "vars", vars, "out", out, "godir", godir)
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
	return command.Run(ctx, "validate", command.Argument(only), "vars", vars, "json", json)
}

// Platforms lists the platforms and what each is made of.
//
// With -json it prints an object with a list, platforms: each has name, valid and
// status, and if it is valid board, abi, engines, networks, lanes, memory.
func Platforms(ctx context.Context,
	json *bool, // print a JSON object
) error {
	return command.Run(ctx, "platforms", nil, "json", json)
}

// New starts a platform: new <name> <board> writes platforms/<name>.hcl.
//
// For example: go tool mage new mycard u55c
func New(ctx context.Context,
	name string, // of the platform and its file
	board string, // of those in platforms, as a name
) error {
	return command.Run(ctx, "new", []string{name, board})
}

// Fmt brings the HCL files in platforms/ to their canonical form.
func Fmt(ctx context.Context,
	check *bool, // only list what is not, and fail if anything is
) error {
	return command.Run(ctx, "fmt", nil, "check", check)
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
	return command.Run(ctx, "diff", command.Argument(only), "vars", vars, "out", out, "godir", godir, "json", json)
}

// Docs generates, and says where the manuals are.
func Docs(ctx context.Context,
	only *string, // platforms, as names or patterns: 'u5*,u280_*' (all)
	vars *string, // variables, as one HCL object: '{hw_emu = true}'
	out *string, // directory to write to (out)
) error {
	return command.Run(ctx, "docs", command.Argument(only), "vars", vars, "out", out)
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
	return command.Run(ctx, "demo", command.Argument(platform), "n", n, "vars", vars)
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
	return command.Run(ctx, "kernel", []string{platform}, "vars", vars, "only", only)
}

// Emulate serves emulated ranks of a platform to host programs of ACCL, in C++
// and Python, and to the Go driver.
//
// It builds out/bin/cclforge and runs its verb until Ctrl-C, which also spreads ranks over
// processes and hosts, under mpirun and srun: out/bin/cclforge emulate --help
//
// For example: go tool mage emulate u55c_tcp -n=2
func Emulate(ctx context.Context,
	platform string, // platform, as a name
	n *int, // number of ranks (4)
	vars *string, // variables, as one HCL object: '{hw_emu = true}'
	port *int, // first port; five for each rank are used from there on (5500)
	listen *string, // address for clients; 0.0.0.0 lets anybody in (127.0.0.1)
	network *string, // what is between ranks: auto, local, sockets, memory, mixed, packets (auto)
	faults *string, // bad network, as one HCL object or a file: '{loss = 0.01}'
	packets *string, // file for what ranks here send, in pcapng for Wireshark
	trace *string, // directory for what ranks here have done last, written when they end
	metrics *string, // host:port of /metrics for Prometheus; ":port" is on this host alone
	kernel *string, // what is at the kernel streams: platform, loopback, client (platform)
	ranks *string, // ranks that are served here: 0,2-3 (all)
	foreign *string, // ranks that the emulator of somebody else serves
	hosts *string, // hosts where ranks are: a:2,b:2, or a file
	hostmemory *bool, // reach host memory also where the platform does not, as C++ programs expect (true)
	timeout *time.Duration, // of waits for another rank (what the platform says)
	health *time.Duration, // interval of a line for each rank that says how it is: 5s
	json *bool, // print a JSON object a line, for scripts
) error {
	return command.Run(ctx, "emulate", []string{platform}, "n", n, "vars", vars, "port", port, "listen", listen,
		"network", network, "faults", faults, "packets", packets, "trace", trace, "metrics", metrics, "kernel", kernel,
		"ranks", ranks, "foreign", foreign, "hosts", hosts, "hostmemory", hostmemory, "timeout", timeout,
		"health", health, "json", json)
}

// EmulateCards plays a host with cards that are not there, for programs that reach cards
// through XRT: behind them are emulated ranks.
//
// It runs until Ctrl-C. It says where the libraries are
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
	return command.Run(ctx, "emulate-cards", []string{platform}, "n", n, "vars", vars, "empty", empty)
}

// Simulate serves ranks of a platform whose engines are simulated from the
// description of the hardware, to the same programs as emulate.
//
// It builds the hardware with Verilator, once.
//
// For example: go tool mage simulate u55c_tcp -n=2
func Simulate(ctx context.Context,
	platform string, // platform, as a name
	n *int, // number of ranks (4)
	vars *string, // variables, as one HCL object: '{hw_emu = true}'
	only *string, // ranks that are simulated, the others are emulated: 0,2-3 (all)
	port *int, // first port; five for each rank are used from there on (5500)
	listen *string, // address for clients; 0.0.0.0 lets anybody in (127.0.0.1)
	network *string, // what is between ranks: auto, local, sockets, memory, mixed, packets (auto)
	faults *string, // bad network, as one HCL object or a file: '{loss = 0.01}'
	packets *string, // file for what ranks here send, in pcapng for Wireshark
	trace *string, // directory for what ranks here have done last, written when they end
	metrics *string, // host:port of /metrics for Prometheus; ":port" is on this host alone
	kernel *string, // what is at the kernel streams: platform, client (platform)
	careful *bool, // check assertions, and begin with random values
	seed *int, // number that those come from (0)
	waves *string, // file for waveforms, in FST; %d in its name is the rank
	window *string, // cycles of which there are waveforms: 1000:5000 (all)
	scope *string, // part of the hierarchy: TOP.platform_top.ccl_offload_0 (all)
	levels *int, // levels of it (all)
	record *string, // file for a recording, of which replay makes waveforms; %d in its name is the rank
	health *time.Duration, // interval of a line for each rank that says how it is: 5s
	json *bool, // print a JSON object a line, for scripts
) error {
	return command.Run(ctx, "simulate", []string{platform}, "n", n, "vars", vars, "only", only, "port", port,
		"listen", listen, "network", network, "faults", faults, "packets", packets, "trace", trace, "metrics", metrics,
		"kernel", kernel, "careful", careful, "seed", seed, "waves", waves, "window", window, "scope", scope,
		"levels", levels, "record", record, "health", health, "json", json)
}

// Replay does what was recorded of simulated hardware again, and writes waveforms: of
// a test that has failed, or of simulate with a recording.
//
// It builds the hardware as it was with waveforms, once, which takes minutes.
//
// For example: go tool mage replay rank0.rec
func Replay(ctx context.Context,
	recording string, // file
	waves *string, // file for waveforms, in FST (beside the recording)
	window *string, // cycles of which there are waveforms: 1000:5000 (the last 4096)
	scope *string, // part of the hierarchy: TOP.platform_top.ccl_offload_0 (all)
	levels *int, // levels of it (all)
) error {
	return command.Run(ctx, "replay", []string{recording}, "waves", waves, "window", window, "scope", scope,
		"levels", levels)
}

// Selftest checks a world: every operation, data type, reduction, compression and root.
//
// Sizes are those at which engines change what they do, and each element is compared with
// plain arithmetic.
//
// It builds out/bin/cclforge and runs its verb, which has a rank in each process under
// mpirun and srun: mpirun --oversubscribe -np 4 out/bin/cclforge selftest u55c_tcp
func Selftest(ctx context.Context,
	// world: a platform's name for emulated ranks, verilated:platform, sim:host:port, card:file.xclbin, coyote:platform
	// (u55c_tcp)
	on *string,
	n *int, // number of ranks (4)
	thorough *bool, // more sizes, all roots with all types, random cases of everything that can vary
	only *string, // operations, separated by commas (all)
	platform *string, // of a world that has none in its name (u55c_tcp)
	vars *string, // variables, as one HCL object: '{hw_emu = true}'
	seed *int, // number that data and random cases come from (1)
	json *bool, // print a JSON object in place of the table
) error {
	return command.Run(ctx, "selftest", command.Argument(on), "n", n, "thorough", thorough, "only", only,
		"platform", platform, "vars", vars, "seed", seed, "json", json)
}

// Inspect says of the ranks of a world how their control processors are, also if these have halted.
//
// It reads registers that need no firmware: nothing is configured or reset. A processor that has
// halted is named with its cause, address and instruction.
func Inspect(ctx context.Context,
	// world: sim:host:port, card:file.xclbin, coyote:platform; ranks of u55c_tcp or verilated:platform are new ones
	// (u55c_tcp)
	on *string,
	n *int, // number of ranks (4)
	platform *string, // of a world that has none in its name (u55c_tcp)
	vars *string, // variables, as one HCL object: '{hw_emu = true}'
	events *int, // also print up to this number of the last events of each rank, with their times
	restart *bool, // restart the processors that have halted; engines must be configured again then
	json *bool, // print a JSON list in place of the table
) error {
	return command.Run(ctx, "inspect", command.Argument(on), "n", n, "platform", platform, "vars", vars,
		"events", events, "restart", restart, "json", json)
}

// Trace runs an operation of a world, and writes what the ranks have done: a sequence diagram, a timeline, packets.
//
// For example: go tool mage trace u55c_tcp -op=allreduce -size=64KiB -n=4 -out=out/trace
func Trace(ctx context.Context,
	world string, // a platform's name for emulated ranks, verilated:platform, sim:host:port, card:file.xclbin
	n *int, // number of ranks (4)
	op *string, // operation (allreduce)
	size *string, // bytes of a rank's largest buffer (64KiB)
	out *string, // directory for the files (out/trace)
	summary *bool, // say where the time went
	platform *string, // of a world that has none in its name (u55c_tcp)
	vars *string, // variables, as one HCL object: '{hw_emu = true}'
	dtype *string, // of elements (float32)
	compress *string, // type that is sent (as they are)
	redop *string, // reduction, such as max (sum)
	root *int, // rank that is the root (0)
	warmup *int, // operations before the one that is traced (1)
) error {
	return command.Run(ctx, "trace", []string{world}, "n", n, "op", op, "size", size, "out", out, "summary", summary,
		"platform", platform, "vars", vars, "dtype", dtype, "compress", compress, "redop", redop, "root", root,
		"warmup", warmup)
}

// Bench measures the operations of a world: tables as nccl-tests and OSU have them.
//
// It builds out/bin/cclforge and runs its verb, which has a rank in each process under
// mpirun and srun: mpirun --oversubscribe -np 4 out/bin/cclforge bench u55c_tcp
func Bench(ctx context.Context,
	on *string, // world: a platform's name for emulated ranks, verilated:platform, sim:host:port (u55c_tcp)
	n *int, // number of ranks (4)
	only *string, // operations, separated by commas (all)
	platform *string, // of a world that has none in its name (u55c_tcp)
	vars *string, // variables, as one HCL object: '{hw_emu = true}'
	sizes *string, // of a rank's largest buffer: 1KiB:16MiB:x2 (1KiB:4MiB:x4)
	dtype *string, // of elements (float32)
	compress *string, // type that is sent (as they are)
	redop *string, // reduction, such as max (sum)
	root *int, // rank that is the root (0)
	iterations *int, // that are measured (100 of sizes up to 64 KiB, then 20)
	warmup *int, // iterations before these (5)
	json *bool, // print a JSON object in place of tables
) error {
	return command.Run(ctx, "bench", command.Argument(on), "n", n, "only", only, "platform", platform, "vars", vars,
		"sizes", sizes, "dtype", dtype, "compress", compress, "redop", redop, "root", root, "iterations", iterations,
		"warmup", warmup, "json", json)
}

// Library builds the C library of the engines into out/lib, with its header and its file for pkg-config.
//
// It needs gcc.
func Library(ctx context.Context,
	engines *string, // main package that registers the worlds (that with worlds of all kinds)
) error {
	return command.Run(ctx, "library", nil, "engines", engines)
}

// Python prints what to set so that Python programs are on a world: package cclforge, and pyaccl of ACCL's programs.
//
// A shell sets it: eval "$(out/bin/cclforge python u280_2022)"
func Python(ctx context.Context,
	world string, // a platform's name for emulated ranks, verilated:platform, sim:host:port, card:file.xclbin
	out *string, // directory whose folder lib has the library (out)
	platform *string, // of a world that has none in its name
) error {
	return command.Run(ctx, "python", []string{world}, "out", out, "platform", platform)
}

// Mpi prints what to set so that MPI programs have their collectives done by engines, unchanged.
//
// A shell sets it: eval "$(out/bin/cclforge mpi u55c_tcp)"
func Mpi(ctx context.Context,
	world string, // a platform's name for emulated ranks, verilated:platform, sim:host:port, card:file.xclbin
	out *string, // directory whose folder lib has the libraries (out)
	mpicc *string, // compiler of the MPI that programs run with (mpicc)
) error {
	return command.Run(ctx, "mpi", []string{world}, "out", out, "mpicc", mpicc)
}

// Clean removes everything that was generated, and nothing else.
func Clean(ctx context.Context,
	out *string, // directory to clean (out)
	godir *string, // directory in your module with a generated Go driver package
) error {
	return command.Run(ctx, "clean", nil, "out", out, "godir", godir)
}

// Doctor says which optional tools are there, what they are for and how to get
// them.
//
// With -json it prints an object with a list, tools: each has name, found and for,
// version if it is there, get (how) if it is missing, error if it does not run.
func Doctor(ctx context.Context,
	json *bool, // print a JSON object
) error {
	return command.Run(ctx, "doctor", nil, "json", json)
}
