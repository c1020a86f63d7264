// Cclselftest checks a world: it runs every operation on it and holds the results
// against plain arithmetic. Run it with -h. Under mpirun or srun each process has a rank,
// and rank 0 reports. The exit code is 1 if anything is wrong, and 2 for options that
// make no sense.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/cclforge/cclforge/driver/bringup"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/verify/conform"
	"github.com/cclforge/cclforge/verify/internal/program"
	"github.com/cclforge/cclforge/verify/reach"
	"github.com/cclforge/cclforge/verify/selftest"
)

func main() { program.Main(run) }

func run(ctx context.Context) (err error) {
	var where reach.Options
	var o selftest.Options
	where.Flags(flag.CommandLine)
	where.Log = func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
	flag.BoolVar(&o.Thorough, "thorough", false, "more sizes, all roots with all types, and random cases of everything that can vary")
	flag.Int64Var(&o.Seed, "seed", 1, "`number` that data and random cases come from")
	flag.DurationVar(&o.Limit, "limit", selftest.DefaultLimit, "`time` that a case may take")
	asJSON := flag.Bool("json", false, "print a JSON object, at the end, in place of the table")
	flag.Func("only", "`names` of operations, separated by commas (all)", func(s string) error {
		o.Only = strings.Split(s, ",")
		return nil
	})
	flag.Func("case", "one `case` alone, as the report has it", func(s string) error {
		c, err := conform.Parse(s)
		o.Cases = append(o.Cases, c)
		return err
	})
	flag.Parse()
	if flag.NArg() > 0 {
		return program.Usage{Err: fmt.Errorf("%q: expected are options; -h says which", flag.Arg(0))}
	}
	defer func() {
		err = program.AskedWrongly(err, reach.ErrText, bringup.ErrOption, conform.ErrCase, lang.ErrInvalid)
	}()
	w, err := reach.Open(ctx, where)
	if err != nil {
		return err
	}
	defer func() {
		if closing := w.Close(); err == nil {
			err = closing
		}
	}()
	var out io.Writer = os.Stdout
	if *asJSON {
		out = io.Discard
	}
	if err := o.Check(w.Platform); err != nil {
		return err
	}
	report, err := selftest.Run(ctx, w, o, out)
	if report != nil && *asJSON {
		e := json.NewEncoder(os.Stdout)
		e.SetIndent("", "  ")
		if err := e.Encode(report); err != nil {
			return err
		}
	}
	if errors.Is(err, selftest.ErrWrong) && !w.Reports() {
		return program.Silent{Err: err} // rank 0 says it
	}
	return err
}
