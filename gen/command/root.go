// Package command holds the verbs of cclforge that need nothing but descriptions, and
// what all verbs have in common: how arguments are checked and completed, how errors are
// told, and how programs begin and end. The command cclforge adds the verbs of verify, the targets of mage call
// the verbs of this package in their own process.
package command

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/magefile/mage/mg"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/workspace"
)

// Groups of verbs, in the order of the help.
const (
	Platforms = "platforms"
	Worlds    = "worlds"
	Cards     = "cards"
	Develop   = "develop"
)

// New returns cclforge with the verbs of this package and more.
func New(more ...*cobra.Command) *cobra.Command {
	root := &cobra.Command{
		Use:   "cclforge",
		Short: "collectives between FPGAs, from one description",
		Long: "Cclforge makes everything that must agree with the description of a platform, checks it,\n" +
			"serves and measures its ranks, and builds it for cards.",
		Version:       Version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE:          unknown,
	}
	root.SetVersionTemplate("cclforge {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.AddGroup(
		&cobra.Group{ID: Platforms, Title: "Platforms:"}, &cobra.Group{ID: Worlds, Title: "Worlds of ranks:"},
		&cobra.Group{ID: Cards, Title: "Builds and cards:"}, &cobra.Group{ID: Develop, Title: "To work on cclforge itself:"})
	root.AddCommand(verbs()...)
	root.AddCommand(more...)
	complete(root)
	return root
}

// Has reports whether a verb is one of this package.
func Has(verb string) bool {
	return slices.ContainsFunc(verbs(), func(c *cobra.Command) bool { return c.Name() == verb })
}

// Execute runs a command line. Mistakes in descriptions are shown where they stand; an
// error of usage says where its help is.
func Execute(ctx context.Context, root *cobra.Command, args ...string) error {
	root.SetArgs(args)
	at, err := root.ExecuteContextC(ctx)
	return explain(root, at, err)
}

func explain(root, at *cobra.Command, err error) error {
	var usage misuse
	var problems *workspace.Problems
	switch {
	case errors.Is(err, context.Canceled):
		return mg.Fatal(130, "interrupted; run it again to finish")
	case errors.As(err, &problems):
		if failed := problems.Show(root.ErrOrStderr(), terminal(root.ErrOrStderr())); failed != nil {
			return errors.Join(err, failed)
		}
		text := problems.Count()
		if Has(at.Name()) {
			text += "; nothing was written"
		}
		return mg.Fatal(mg.ExitStatus(err), text)
	case errors.As(err, &usage):
		return Usagef("%w\nHelp: %s --help", err, at.CommandPath())
	}
	return err
}

// misuse is an error of a command line that its help explains.
type misuse struct{ text string }

func (m misuse) Error() string { return m.text }

// ExitStatus is that of errors of usage.
func (m misuse) ExitStatus() int { return Usage{}.ExitStatus() }

// Misuse is an error of a command line; the help of the verb says what is right.
func Misuse(format string, args ...any) error { return misuse{fmt.Sprintf(format, args...)} }

// unknown is the root without a verb that exists.
func unknown(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	names := lang.Names(cmd.Commands(), (*cobra.Command).Name)
	if near := lang.Nearest(args[0], names); near != "" {
		return Misuse("%s has no verb %q; did you mean %q?", cmd.CommandPath(), args[0], near)
	}
	return Misuse("%s has no verb %q", cmd.CommandPath(), args[0])
}

// complete gives all commands below one what their forms of use say: checks of
// their arguments, and completion of platforms.
func complete(c *cobra.Command) {
	for _, verb := range c.Commands() {
		if verb.Args == nil {
			verb.Args = arguments
		}
		switch named := strings.Contains(verb.Use, "[platform") || strings.Contains(verb.Use, "<platform"); {
		case named || strings.Contains(verb.Use, "[world"):
			verb.ValidArgsFunction = platformNames
		case !strings.Contains(verb.Use, "<recording"):
			verb.ValidArgsFunction = cobra.NoFileCompletions
		}
		if f := verb.Flags().Lookup("platform"); f != nil {
			_ = verb.RegisterFlagCompletionFunc(f.Name, platformNames) // an error says that there is one
		}
		complete(verb)
	}
}

func platformNames(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	w, err := workspace.Open(".", func(string, ...any) {})
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	lib, err := w.Library()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return lib.PlatformNames(), cobra.ShellCompDirectiveNoFileComp
}

// argument is one in the form of use of a verb: "<platform>" is required, "[world]" is
// not, "[platform]..." may be several.
var argument = regexp.MustCompile(`[<\[]([^>\]]+)[>\]](\.\.\.)?`)

// arguments checks the arguments of a verb by its form of use.
func arguments(cmd *cobra.Command, args []string) error {
	var all, missing []string
	several := false
	for i, m := range argument.FindAllStringSubmatch(cmd.Use, -1) {
		all, several = append(all, strings.TrimSuffix(m[0], "...")), m[2] != ""
		if i >= len(args) && strings.HasPrefix(m[0], "<") {
			missing = append(missing, all[i])
		}
	}
	switch {
	case len(missing) > 0:
		example, _, _ := strings.Cut(cmd.Example, "\n")
		return Misuse("%s needs %s; for example: %s", cmd.Name(), strings.Join(missing, " "), strings.TrimSpace(example))
	case len(args) <= len(all) || several:
		return nil
	case len(all) == 0:
		return Misuse("%s takes no argument, and %q is none of its options, which have two dashes", cmd.Name(), args[0])
	}
	return Misuse("%s takes only %s, not %q as well", cmd.Name(), strings.Join(all, " "), args[len(all)])
}

// flagError names the option that was meant, and what one takes.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return err
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			name, _, _ = strings.Cut(short, "=")
		}
		return noFlag(cmd, name)
	case errors.As(err, &missing):
		f := missing.GetFlag()
		what, about := pflag.UnquoteUsage(f)
		return Misuse("--%s needs a value: --%s=<%s>, %s", f.Name, f.Name, what, about)
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		_, about := pflag.UnquoteUsage(f)
		cause := errors.Unwrap(err)
		return Misuse("--%s=%s: %v (%s)", f.Name, invalid.GetValue(), cause, about)
	}
	return Misuse("%v", err)
}

// noFlag says that there is no option of a name.
func noFlag(cmd *cobra.Command, name string) error {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	switch near := lang.Nearest(name, names); {
	case near == name:
		return Misuse("options have two dashes: --%s", name)
	case near != "":
		return Misuse("%s has no option %q; did you mean --%s?", cmd.Name(), name, near)
	}
	return Misuse("%s has no option %q", cmd.Name(), name)
}
