package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// options are what the command line says.
type options struct {
	verb  *verb
	names []string // arguments

	vars, out, cache string
	on               string
	jobs             int
	timing           string
	json             bool
	olderThan        time.Duration
	largerThan       size
	device           string
	force            bool
	xclbins          []string
	platform         string
	version          string
	commands         bool
}

// verb is something that cclbuild does.
type verb struct {
	name, arguments string
	about           string
	flags           []string
	run             func(ctx context.Context, o *options, c *console) error
}

var building = []string{"vars", "out", "cache", "on", "jobs", "timing", "json"}

func verbs() []verb {
	return []verb{
		{"build", "<platforms>", "takes platforms, names or patterns, to an .xclbin", building, runBuild},
		{"plan", "<platforms>", "says what a build would run, and why",
			[]string{"vars", "cache", "version", "commands", "json"}, runPlan},
		{"reports", "<platforms>", "shows the results of the last build, next to the one before", []string{"out", "json"}, runReports},
		{"cache", "[list | verify | prune]", "lists the results that are kept, hashes them all, or removes old ones",
			[]string{"cache", "older", "larger", "json"}, runCache},
		{"cards", "", "lists the cards of this host", []string{"json"}, runCards},
		{"scan", "", "says what the cards of this host hold, and how their engines and networks are", []string{"xclbin", "platform", "vars", "out", "cache", "json"}, runScan},
		{"program", "<platform or .xclbin>", "loads a card", []string{"out", "device", "force"}, runProgram},
	}
}

const intro = `cclbuild takes platforms to an .xclbin, here or on a cluster.

`

// help writes what there is.
func help(f *flag.FlagSet, w io.Writer) {
	var b strings.Builder
	b.WriteString(intro)
	for _, v := range verbs() {
		fmt.Fprintf(&b, "  %-32s %s\n", strings.TrimSpace("cclbuild "+v.name+" "+v.arguments), v.about)
	}
	b.WriteString("\nOptions are given as -name=value, anywhere:\n")
	f.VisitAll(func(g *flag.Flag) {
		what, usage := flag.UnquoteUsage(g)
		name := g.Name
		if what != "" {
			name += "=" + strings.ToUpper(what)
		}
		var of []string
		for _, v := range verbs() {
			if slices.Contains(v.flags, g.Name) {
				of = append(of, v.name)
			}
		}
		fmt.Fprintf(&b, "  -%-16s %s [%s]\n", name, usage, strings.Join(of, ", "))
	})
	fmt.Fprint(w, b.String())
}

func (o *options) define(f *flag.FlagSet) {
	f.StringVar(&o.vars, "vars", "", "variables, as one HCL `object`: '{hw_emu = true}'")
	f.StringVar(&o.out, "out", "out", "`directory` for results: <out>/build/<platform>")
	f.StringVar(&o.cache, "cache", "", "`directory` of the cache, which builds and users may share ($CCLFORGE_CACHE, or yours)")
	f.StringVar(&o.version, "version", "", "`version` of Vitis that is planned for: 2022.1 (what is here, or the newest)")
	f.BoolVar(&o.commands, "commands", false, "print each step's commands, too")
	f.StringVar(&o.on, "on", "local", "`where` steps run: local, slurm")
	f.IntVar(&o.jobs, "jobs", 0, "`steps` that run at a time, on this host (what its memory and processors allow)")
	f.StringVar(&o.timing, "timing", "", "must: a build that misses timing has failed; report: it is only told (`what` the platform says)")
	f.BoolVar(&o.json, "json", false, "an object a line, for scripts")
	f.DurationVar(&o.olderThan, "older", 0, "remove what nobody has used for this `time`: 720h")
	f.Var(&o.largerThan, "larger", "remove what was not used for the longest time until the rest has this `size`: 200GiB")
	f.StringVar(&o.device, "device", "", "`card`, by its address: 0000:65:00.1 (the only one)")
	f.Func("xclbin", "`file` that a card may hold, or several with commas between, besides the results of builds", func(text string) error {
		o.xclbins = append(o.xclbins, strings.Split(text, ",")...)
		return nil
	})
	f.StringVar(&o.platform, "platform", "", "`platform` that cards in a shell hold, of which they do not tell; without it their engines are not read")
	f.BoolVar(&o.force, "force", false, "load it although somebody uses the card, or it is meant for another")
}

// parse reads the command line. The error is flag.ErrHelp after it has been
// given, or an errUsage.
func parse(args []string, w io.Writer) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("cclbuild", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	o.define(f)
	for rest := args; ; {
		if err := f.Parse(rest); errors.Is(err, flag.ErrHelp) {
			help(f, w)
			return nil, err
		} else if err != nil {
			return nil, errUsage{err.Error()}
		}
		if f.NArg() == 0 {
			break
		}
		o.names, rest = append(o.names, f.Arg(0)), f.Args()[1:]
	}
	if len(o.names) == 0 {
		return nil, usagef("what is to be done? For example: cclbuild build u55c_tcp")
	}
	all := verbs()
	at := slices.IndexFunc(all, func(v verb) bool { return v.name == o.names[0] })
	if at < 0 {
		return nil, usagef("there is no %q", o.names[0])
	}
	o.verb, o.names = &all[at], o.names[1:]
	return o, o.check(f)
}

// check reports values that cannot be.
func (o *options) check(f *flag.FlagSet) (err error) {
	f.Visit(func(g *flag.Flag) {
		if !slices.Contains(o.verb.flags, g.Name) && err == nil {
			err = usagef("-%s is no option of %s", g.Name, o.verb.name)
		}
	})
	switch {
	case err != nil:
	case o.on != "local" && o.on != "slurm":
		err = usagef("-on=%s: it is local or slurm", o.on)
	case o.jobs < 0:
		err = usagef("-jobs=%d: at least 1", o.jobs)
	case o.timing != "" && o.timing != "must" && o.timing != "report":
		err = usagef("-timing=%s: it is must or report", o.timing)
	case o.olderThan < 0:
		err = usagef("-older=%v: a time like 720h", o.olderThan)
	}
	return err
}
