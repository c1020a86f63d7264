package command

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cclforge/cclforge/gen/workspace"
)

// DefaultPlatform is the one that is meant where none is named.
const DefaultPlatform = "u55c_tcp"

// Vars defines the option for values of a platform's variables.
func Vars(f *pflag.FlagSet, to *string) {
	f.StringVar(to, "vars", "", "variables, as one HCL `object`: '{hw_emu = true}'")
}

// JSON defines the option for output that programs read.
func JSON(f *pflag.FlagSet, to *bool, what string) { f.BoolVar(to, "json", false, what) }

// Names is a selection of platforms as arguments have it: names and patterns.
func Names(args []string) string { return strings.Join(args, ",") }

// verbs lists the verbs of this package.
func verbs() []*cobra.Command {
	return []*cobra.Command{
		generateVerb(), validateVerb(), diffVerb(), platformsVerb(), newVerb(), fmtVerb(), docsVerb(), cleanVerb(),
		doctorVerb(), demoVerb(), firmwareVerb(),
	}
}

func generateVerb() *cobra.Command {
	var o workspace.Options
	c := &cobra.Command{
		Use: "generate [platform]...", GroupID: Platforms,
		Short: "write everything that must agree with the platforms into out/",
		Long: "Generate writes everything that must agree with the platforms, all of them or those that are\n" +
			"named, into out/. Nothing is written unless all selected platforms are valid; only what\nchanged is written.",
		Example: "  cclforge generate u55c_tcp\n  cclforge generate 'u5*' u280_udp --vars='{hw_emu = true}'",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Only = Names(args)
			return bringUpToDate(cmd.Context(), o)
		},
	}
	f := c.Flags()
	Vars(f, &o.Vars)
	f.StringVar(&o.Out, "out", workspace.DefaultOut, "`directory` to write to")
	f.StringVar(&o.GoDir, "godir", "", "`directory` in your module that receives the Go driver package of one platform")
	return c
}

func validateVerb() *cobra.Command {
	var o workspace.Options
	asJSON := false
	c := &cobra.Command{
		Use: "validate [platform]...", GroupID: Platforms,
		Short: "check platforms and report every mistake with its place",
		Long: "Validate checks platforms, reports every mistake with its place, and writes nothing.\n\n" +
			"With --json it prints an object: valid, platforms (names of valid ones), and\n" +
			"diagnostics, each with severity (error, warning), summary, and as far as there are\n" +
			"detail, file, line, column, end_line, end_column. The exit code is the same.",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Only = Names(args)
			return validate(cmd.Context(), o, asJSON)
		},
	}
	Vars(c.Flags(), &o.Vars)
	JSON(c.Flags(), &asJSON, "print a JSON object")
	return c
}

func diffVerb() *cobra.Command {
	var o workspace.Options
	asJSON := false
	c := &cobra.Command{
		Use: "diff [platform]...", GroupID: Platforms,
		Short: "show what generate would change, and fail if that is anything",
		Long: "Diff shows what generate would change, and fails if that is anything.\n\n" +
			"With --json it prints an object: platforms (names), current, and changes, each with\n" +
			"path and change (added, changed, removed). The exit code is the same.",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Only = Names(args)
			return diff(cmd.Context(), o, asJSON)
		},
	}
	f := c.Flags()
	Vars(f, &o.Vars)
	f.StringVar(&o.Out, "out", workspace.DefaultOut, "`directory` to compare with")
	f.StringVar(&o.GoDir, "godir", "", "`directory` in your module with the Go driver package of one platform")
	JSON(f, &asJSON, "print a JSON object")
	return c
}

func platformsVerb() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use: "platforms", GroupID: Platforms,
		Short: "list the platforms and what each is made of",
		Long: "Platforms lists the platforms and what each is made of.\n\n" +
			"With --json it prints an object with a list, platforms: each has name, valid and\n" +
			"status, and if it is valid board, abi, engines, networks, lanes, memory.",
		RunE: func(cmd *cobra.Command, _ []string) error { return listPlatforms(cmd.Context(), asJSON) },
	}
	JSON(c.Flags(), &asJSON, "print a JSON object")
	return c
}

func newVerb() *cobra.Command {
	return &cobra.Command{
		Use: "new <name> <board>", GroupID: Platforms,
		Short:   "start a platform: write platforms/<name>.hcl",
		Example: "  cclforge new mycard BOARD",
		RunE:    func(_ *cobra.Command, args []string) error { return start(args[0], args[1]) },
	}
}

func fmtVerb() *cobra.Command {
	check := false
	c := &cobra.Command{
		Use: "fmt", GroupID: Platforms,
		Short: "bring the HCL files in platforms/ to their canonical form",
		RunE:  func(*cobra.Command, []string) error { return format(check) },
	}
	c.Flags().BoolVar(&check, "check", false, "only list what is not, and fail if anything is")
	return c
}

func docsVerb() *cobra.Command {
	var o workspace.Options
	c := &cobra.Command{
		Use: "docs [platform]...", GroupID: Platforms,
		Short: "generate, and list where the manuals are",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Only = Names(args)
			return docs(cmd.Context(), o)
		},
	}
	Vars(c.Flags(), &o.Vars)
	c.Flags().StringVar(&o.Out, "out", workspace.DefaultOut, "`directory` to write to")
	return c
}

func cleanVerb() *cobra.Command {
	var o workspace.Options
	c := &cobra.Command{
		Use: "clean", GroupID: Platforms,
		Short: "remove everything that was generated, and nothing else",
		RunE:  func(cmd *cobra.Command, _ []string) error { return clean(cmd.Context(), o) },
	}
	c.Flags().StringVar(&o.Out, "out", workspace.DefaultOut, "`directory` to clean")
	c.Flags().StringVar(&o.GoDir, "godir", "", "`directory` in your module with a generated Go driver package")
	return c
}

func doctorVerb() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use: "doctor", GroupID: Platforms,
		Short: "list the optional tools: which are there, what for, how to get them",
		Long: "Doctor lists which optional tools are there, what they are for and how to get them.\n\n" +
			"With --json it prints an object with a list, tools: each has name, found and for,\n" +
			"version if it is there, get (how) if it is missing, error if it does not run.",
		RunE: func(cmd *cobra.Command, _ []string) error { return look(cmd.Context(), asJSON) },
	}
	JSON(c.Flags(), &asJSON, "print a JSON object")
	return c
}

func demoVerb() *cobra.Command {
	var ranks int
	var vars string
	c := &cobra.Command{
		Use: "demo [platform]", GroupID: Worlds,
		Short: "run every operation of a platform on emulated ranks, and check each result",
		Long: "Demo generates a platform, runs every operation of its Go driver package on emulated ranks, and\n" +
			"checks each result against plain arithmetic.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return demo(cmd.Context(), append(args, DefaultPlatform)[0], ranks, vars)
		},
	}
	c.Flags().IntVarP(&ranks, "n", "n", 4, "`number` of ranks")
	Vars(c.Flags(), &vars)
	return c
}

func firmwareVerb() *cobra.Command {
	return &cobra.Command{
		Use: "firmware", GroupID: Develop,
		Short: "build the control firmware of every interface generation into firmware/images",
		RunE:  func(cmd *cobra.Command, _ []string) error { return buildFirmware(cmd.Context()) },
	}
}
