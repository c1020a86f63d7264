package targets

import (
	"context"

	"github.com/cclforge/cclforge/gen/targets/internal/command"
)

// Build takes a platform to an .xclbin, with Vitis: kernels, link, firmware, reports.
//
// Results of earlier builds are used, also of one that was interrupted. out/build/<platform> has what came of it.
//
// For example: go tool mage build u55c_tcp -on=slurm
func Build(ctx context.Context,
	platform string, // platforms, as names or patterns
	vars *string, // variables, as one HCL object: '{hw_emu = true}'
	on *string, // where steps run: local, slurm (local)
	jobs *int, // steps that run at a time, on this host (what its memory and processors allow)
	timing *string, // must: a build that misses timing has failed; report: it is only told (what the platform says)
	cache *string, // directory with results, which builds and users may share ($CCLFORGE_CACHE, or yours)
	out *string, // directory for results: <out>/build/<platform> (out)
	json *bool, // print a JSON object a line, for scripts
) error {
	return command.Run(ctx, "build", []string{platform}, "vars", vars, "on", on, "jobs", jobs, "timing", timing,
		"cache", cache, "out", out, "json", json)
}

// Reports shows timing, utilization, power and durations of the last build of a
// platform, next to the one before.
//
// For example: go tool mage reports u55c_tcp
func Reports(ctx context.Context,
	platform string, // platforms, as names or patterns
	out *string, // directory with results (out)
	json *bool, // print what out/build/<platform>/build.json has
) error {
	return command.Run(ctx, "reports", []string{platform}, "out", out, "json", json)
}

// Cache lists the results of builds that are kept.
func Cache(ctx context.Context,
	cache *string, // directory ($CCLFORGE_CACHE, or yours)
	json *bool, // print a JSON object a line
) error {
	return command.Run(ctx, "cache", nil, "cache", cache, "json", json)
}

// Scan lists the cards of this host: what is loaded, temperatures, links, engines, networks.
//
// A design is known by its file: a result of a build, or one that is given. Cards are
// only read: each engine and each network is taken for some milliseconds, unless another
// process has it, which is said and leaves it alone.
func Scan(ctx context.Context,
	xclbin *string, // .xclbin that a card may hold, or several with commas between
	platform *string, // platform that cards in the Coyote shell hold, whose engines are not read without it
	vars *string, // variables that a design was built with, as one HCL object
	cache *string, // directory with results of builds ($CCLFORGE_CACHE, or yours)
	out *string, // directory with results (out)
	json *bool, // print a JSON list
) error {
	return command.Run(ctx, "scan", nil, "xclbin", xclbin, "platform", platform, "vars", vars, "cache", cache,
		"out", out, "json", json)
}

// Program loads a card with the last build of a platform.
//
// For example: go tool mage program u55c_tcp -device=0000:65:00.1
func Program(ctx context.Context,
	platform string, // platform, as a name, or an .xclbin
	device *string, // card, by its address: 0000:65:00.1 (the only one)
	force *bool, // load it although somebody uses the card, or it is meant for another
	out *string, // directory with results (out)
) error {
	return command.Run(ctx, "program", []string{platform}, "device", device, "force", force, "out", out)
}
