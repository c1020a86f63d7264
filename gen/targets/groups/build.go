// Package groups holds the targets below build and cache, as build:all: import it with
// "mage:import" beside package targets. A function Build and a type Build, whose methods
// they are, cannot be in one package.
package groups

import (
	"context"

	"github.com/magefile/mage/mg"

	"github.com/cclforge/cclforge/gen/targets/internal/command"
)

// Build are the targets below build.
type Build mg.Namespace

// All takes all platforms to .xclbin files, or some of them; what they have in
// common is built once.
func (Build) All(ctx context.Context,
	only *string, // platforms, as names or patterns: 'u5*,u280_*' (all)
	vars *string, // variables, as one HCL object: '{hw_emu = true}'
	on *string, // where steps run: local, slurm (local)
	jobs *int, // steps that run at a time, on this host (what its memory and processors allow)
	timing *string, // must: a build that misses timing has failed; report: it is only told (what the platform says)
	cache *string, // directory with results, which builds and users may share ($CCLFORGE_CACHE, or yours)
	out *string, // directory for results: <out>/build/<platform> (out)
	json *bool, // print a JSON object a line, for scripts
) error {
	return command.Run(ctx, "build", selected(only), "vars", vars, "on", on, "jobs", jobs, "timing", timing,
		"cache", cache, "out", out, "json", json)
}

// Plan says what a build would run, and why.
//
// With -json there is an object a line for each step: step, key, runs, same (the step
// that does its work), why, expected_seconds, version, and commands with -commands.
func (Build) Plan(ctx context.Context,
	only *string, // platforms, as names or patterns: 'u5*,u280_*' (all)
	vars *string, // variables, as one HCL object: '{hw_emu = true}'
	cache *string, // directory with results, which builds and users may share ($CCLFORGE_CACHE, or yours)
	version *string, // version of Vitis that is planned for: 2022.1 (what is here, or the newest)
	commands *bool, // print the commands of each step, too
	json *bool, // print a JSON object a line
) error {
	return command.Run(ctx, "plan", command.Argument(only), "vars", vars, "cache", cache, "version", version,
		"commands", commands, "json", json)
}

func selected(only *string) []string {
	if only == nil {
		return []string{"*"}
	}
	return []string{*only}
}
