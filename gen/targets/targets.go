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

	"github.com/cclforge/cclforge/gen/targets/internal/command"
)

// Generate writes everything that must agree with the platforms into out/.
//
// Nothing is written unless all selected platforms are valid; only what changed
// is written.
func Generate(ctx context.Context,
	only *string, // platforms, as names or patterns: 'u5*,u280_*' (all)
	vars *string, // variables, as one HCL object: '{clock = 300}'
	out *string, // directory to write to (out)
	godir *string, // directory in your module that receives the Go driver package of one platform
) error {
	return command.Generate(ctx, command.Options(only, vars, out, godir))
}

// Validate checks platforms and reports every mistake with its place, and
// writes nothing.
func Validate(ctx context.Context,
	only *string, // platforms, as names or patterns: 'u5*,u280_*' (all)
	vars *string, // variables, as one HCL object: '{clock = 300}'
) error {
	return command.Validate(ctx, command.Options(only, vars, nil, nil))
}

// Platforms lists the platforms and what each is made of.
func Platforms(ctx context.Context) error { return command.Platforms(ctx) }

// New starts a platform: new <name> <board> writes platforms/<name>.hcl.
func New(name, board string) error { return command.New(name, board) }

// Fmt brings the HCL files in platforms/ to their canonical form.
func Fmt(
	check *bool, // only list what is not, and fail if anything is
) error {
	return command.Fmt(check != nil && *check)
}

// Diff shows what generate would change, and fails if that is anything.
func Diff(ctx context.Context,
	only *string, // platforms, as names or patterns: 'u5*,u280_*' (all)
	vars *string, // variables, as one HCL object: '{clock = 300}'
	out *string, // directory to compare with (out)
	godir *string, // directory in your module with the Go driver package of one platform
) error {
	return command.Diff(ctx, command.Options(only, vars, out, godir))
}

// Docs generates, and says where the manuals are.
func Docs(ctx context.Context,
	only *string, // platforms, as names or patterns: 'u5*,u280_*' (all)
	vars *string, // variables, as one HCL object: '{clock = 300}'
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
	vars *string, // variables, as one HCL object: '{clock = 300}'
) error {
	return command.Demo(ctx, platform, n, vars)
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
func Doctor(ctx context.Context) error { return command.Doctor(ctx) }
