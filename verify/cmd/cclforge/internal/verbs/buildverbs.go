package verbs

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/verify/cmd/cclforge/ranks"
)

// options are what the command line says.
type options struct {
	names []string // arguments

	vars, out, cache string
	on               string
	jobs             int
	timing           string
	json             bool
	olderThan        time.Duration
	largerThan       ranks.Size
	device           string
	force            bool
	xclbins          []string
	platform         string
	version          string
	commands         bool
}

// buildVerbs are those that take platforms to cards, and look at cards.
func buildVerbs() []*cobra.Command {
	return []*cobra.Command{buildVerb(), planVerb(), reportsVerb(), cacheVerb(), scanVerb(), programVerb()}
}

// action is what a verb does.
type action func(ctx context.Context, o *options, c *console) error

// with gives a verb what it does with options.
func with(c *cobra.Command, o *options, do action) *cobra.Command {
	c.GroupID = command.Cards
	c.RunE = func(cmd *cobra.Command, args []string) error {
		o.names = args
		if err := o.check(); err != nil {
			return err
		}
		return asked(do(cmd.Context(), o, &console{cmd.OutOrStdout(), cmd.ErrOrStderr()}))
	}
	return c
}

func (o *options) outFlag(f *pflag.FlagSet) {
	f.StringVar(&o.out, "out", "out", "`directory` with results: <out>/build/<platform>")
}

func (o *options) cacheFlag(f *pflag.FlagSet) {
	f.StringVar(&o.cache, "cache", "",
		"`directory` with results, which builds and users may share ($CCLFORGE_CACHE, or yours)")
}

func buildVerb() *cobra.Command {
	o := &options{}
	c := with(&cobra.Command{
		Use:   "build <platform>...",
		Short: "take platforms to .xclbin files, with Vitis, here or on a cluster",
		Long: `Build takes platforms, names or patterns, to .xclbin files, with Vitis: kernels, link, firmware,
reports. What they have in common is built once. Results of earlier builds are used, also of one
that was interrupted. out/build/<platform> has what came of it.

With --json it prints an object a line: progress, and for each step that has failed and each
platform that is complete
  {"schema":1,"time":"…","event":"diagnosis","step":"u55c_tcp/link/u55c_tcp","error":"…","lines":["…"],
   "cause":"…","hint":"…","log":"…","again":"…"}
  {"schema":1,"time":"…","event":"built","platform":"u55c_tcp","files":["…"],"report":"…","page":"…",
   "misses":["…"]}
Misses are those of timing.`,
		Example: "  cclforge build u55c_tcp --on=slurm\n  cclforge build 'u5*' --vars='{hw_emu = true}'",
	}, o, runBuild)
	f := c.Flags()
	command.Vars(f, &o.vars)
	f.StringVar(&o.on, "on", "local", "`where` steps run: local, slurm")
	f.IntVar(&o.jobs, "jobs", 0, "`steps` that run at a time, on this host (what its memory and processors allow)")
	f.StringVar(&o.timing, "timing", "",
		"must: a build that misses timing has failed; report: it is only told (`what` the platform says)")
	o.cacheFlag(f)
	o.outFlag(f)
	command.JSON(f, &o.json, "print a JSON object a line, for scripts")
	return c
}

func planVerb() *cobra.Command {
	o := &options{}
	c := with(&cobra.Command{
		Use:   "plan [platform]...",
		Short: "list what a build would run, and why",
		Long: "Plan lists what a build of platforms, all by default, would run, and why.\n\n" +
			"With --json there is an object a line for each step: step, key, runs, same (the step\n" +
			"that does its work), why, expected_seconds, version, and commands with --commands.",
	}, o, runPlan)
	f := c.Flags()
	command.Vars(f, &o.vars)
	o.cacheFlag(f)
	f.StringVar(&o.version, "version", "",
		"`version` of Vitis that is planned for: 2022.1 (what is here, or the newest)")
	f.BoolVar(&o.commands, "commands", false, "print the commands of each step, too")
	command.JSON(f, &o.json, "print a JSON object a line")
	return c
}

func reportsVerb() *cobra.Command {
	o := &options{}
	c := with(&cobra.Command{
		Use:   "reports [platform]...",
		Short: "show timing, utilization, power and durations of the last build, next to the one before",
	}, o, runReports)
	o.outFlag(c.Flags())
	command.JSON(c.Flags(), &o.json, "print what out/build/<platform>/build.json has")
	return c
}

func cacheVerb() *cobra.Command {
	list, verify, prune := &options{}, &options{}, &options{}
	c := with(&cobra.Command{Use: "cache", Short: "list the results of builds that are kept, verify or prune them"},
		list, onStore(listCache))
	list.cacheFlag(c.Flags())
	command.JSON(c.Flags(), &list.json, "print a JSON object a line")
	v := with(&cobra.Command{Use: "verify", Short: "hash every result that is kept, and name those that are damaged"},
		verify, onStore(verifyCache))
	verify.cacheFlag(v.Flags())
	p := with(&cobra.Command{
		Use: "prune", Short: "remove results that nobody has used for long", Example: "  cclforge cache prune --older=720h",
	}, prune, onStore(pruneCache))
	prune.cacheFlag(p.Flags())
	p.Flags().DurationVar(&prune.olderThan, "older", 0, "those that were not used for this `time`: 720h")
	p.Flags().Var(&prune.largerThan, "larger", "those longest unused, until the rest has this `size`: 200GiB")
	v.GroupID, p.GroupID = "", ""
	c.AddCommand(v, p)
	return c
}

func scanVerb() *cobra.Command {
	o := &options{}
	c := with(&cobra.Command{
		Use:   "scan",
		Short: "list the cards of this host: what is loaded, temperatures, links, engines, networks",
		Long: "Scan lists the cards of this host: what is loaded, temperatures, links, engines, networks.\n\n" +
			"A design is known by its file: a result of a build, or one that is given. Cards are\n" +
			"only read: each engine and each network is taken for some milliseconds, unless another\n" +
			"process has it, which is said and leaves it alone.",
	}, o, runScan)
	f := c.Flags()
	f.Func("xclbin",
		"`file` that a card may hold, or several with commas between, besides the results of builds",
		func(text string) error {
			o.xclbins = append(o.xclbins, strings.Split(text, ",")...)
			return nil
		})
	f.StringVar(&o.platform, "platform", "",
		"`platform` that cards in the Coyote shell hold, whose engines are not read without it")
	command.Vars(f, &o.vars)
	o.cacheFlag(f)
	o.outFlag(f)
	command.JSON(f, &o.json, "print a JSON list")
	return c
}

func programVerb() *cobra.Command {
	o := &options{}
	c := with(&cobra.Command{
		Use:     "program <platform>",
		Short:   "load a card with the last build of a platform, or with an .xclbin",
		Example: "  cclforge program u55c_tcp --device=0000:65:00.1",
	}, o, runProgram)
	f := c.Flags()
	f.StringVar(&o.device, "device", "", "`card`, by its address: 0000:65:00.1 (the only one)")
	f.BoolVar(&o.force, "force", false, "load it although somebody uses the card, or it is meant for another")
	o.outFlag(f)
	return c
}

// check reports values that cannot be.
func (o *options) check() error {
	switch {
	case o.on != "" && o.on != "local" && o.on != "slurm":
		return command.Misuse("--on=%s: it is local or slurm", o.on)
	case o.jobs < 0:
		return command.Misuse("--jobs=%d: at least 1", o.jobs)
	case o.timing != "" && o.timing != "must" && o.timing != "report":
		return command.Misuse("--timing=%s: it is must or report", o.timing)
	case o.olderThan < 0:
		return command.Misuse("--older=%v: a time like 720h", o.olderThan)
	}
	return nil
}
