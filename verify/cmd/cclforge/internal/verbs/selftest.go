package verbs

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cclforge/cclforge/driver/bringup"
	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/verify/bench/rates"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/conformance/selftest"
	"github.com/cclforge/cclforge/verify/target"
)

func selftestVerb() *cobra.Command {
	var where target.Options
	var o selftest.Options
	asJSON := false
	c := worldVerb(&where, &cobra.Command{
		Use:   "selftest [world]",
		Short: "check a world: every operation, data type, reduction, compression and root",
		Long: "Selftest runs every operation on a world and compares each element with plain arithmetic, in sizes at\n" +
			"which engines change what they do. Under mpirun and srun each process has a rank, and rank 0 reports.\n" +
			"The exit code is 1 if anything is wrong, and 2 for options that make no sense.",
		Example: "  cclforge selftest u55c_tcp\n  cclforge selftest sim:5500 -n 4\n" +
			"  mpirun --oversubscribe -np 4 out/bin/cclforge selftest u55c_tcp",
	}, func(ctx context.Context, cmd *cobra.Command) error { return runSelftest(ctx, where, o, asJSON) })
	f := c.Flags()
	f.BoolVar(&o.Thorough, "thorough", false,
		"more sizes, all roots with all types, random cases of everything that can vary")
	f.StringSliceVar(&o.Only, "only", nil, "`operations`, separated by commas (all)")
	f.Int64Var(&o.Seed, "seed", 1, "`number` that data and random cases come from")
	f.DurationVar(&o.Limit, "limit", selftest.DefaultLimit, "`time` that a case may take")
	f.Func("case", "one `case` alone, as the report has it", func(s string) error {
		c, err := conformance.Parse(s)
		o.Cases = append(o.Cases, c)
		return err
	})
	command.JSON(f, &asJSON, "print a JSON object in place of the table")
	return c
}

// worldVerb gives a verb a world as its argument, and the options of that.
func worldVerb(where *target.Options, c *cobra.Command, do func(context.Context, *cobra.Command) error) *cobra.Command {
	set := flag.NewFlagSet(c.Use, flag.ContinueOnError)
	where.Flags(set)
	c.Flags().AddGoFlagSet(set)
	where.Log = func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
	c.GroupID = command.Worlds
	var forms []string
	for _, k := range target.Kinds() {
		forms = append(forms, fmt.Sprintf("  %s: %s", k.Form, k.Doc))
	}
	c.Long += "\n\nA world is one of\n" + strings.Join(forms, "\n")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		where.On = append(args, target.DefaultPlatform)[0]
		return command.AskedWrongly(do(cmd.Context(), cmd),
			target.ErrText, bringup.ErrOption, conformance.ErrCase, rates.ErrOption, lang.ErrInvalid)
	}
	return c
}

func runSelftest(ctx context.Context, where target.Options, o selftest.Options, asJSON bool) error {
	w, err := target.Open(ctx, where)
	if err != nil {
		return err
	}
	defer func() {
		if closing := w.Close(); err == nil {
			err = closing
		}
	}()
	var out io.Writer = os.Stdout
	if asJSON {
		out = io.Discard
	}
	if err := o.Check(w.Platform); err != nil {
		return err
	}
	report, err := selftest.Run(ctx, w, o, out)
	if report != nil && asJSON {
		e := json.NewEncoder(os.Stdout)
		e.SetIndent("", "  ")
		if err := e.Encode(report); err != nil {
			return err
		}
	}
	if errors.Is(err, selftest.ErrWrong) && !w.Reports() {
		return command.Silent{Err: err} // rank 0 says it
	}
	return err
}
