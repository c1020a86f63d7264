package verbs

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/gen/output"
	"github.com/cclforge/cclforge/gen/vitis/plan"
	"github.com/cclforge/cclforge/gen/vitis/report"
	"github.com/cclforge/cclforge/gen/vitis/run"
	"github.com/cclforge/cclforge/gen/workspace"
)

// Files in the directory of a platform's results.
const (
	reportFile    = "build.json"
	reportPage    = "report.html"
	historyFolder = "history"
)

// account is what there is to say about the build of a platform.
func account(ctx context.Context, w *run.Build, outcome *run.Outcome, d *design.Design,
	when time.Time) (*report.Report, error) {
	p := d.Platform
	image, err := emit.FirmwareImage(d)
	if err != nil {
		return nil, err
	}
	described, err := plan.Describe(d, image)
	if err != nil {
		return nil, err
	}
	b := report.Build{
		Platform: p.Name, Title: p.Doc, Board: p.Board.Name, Part: p.Board.Part, Target: targetOf(d), Time: when,
		Generation: described.Generation, Design: described.Design, Firmware: described.Firmware, Wanted: float64(p.Clock),
		SLRs: p.Board.SLRs, Shell: d.Shell != nil,
	}
	for _, in := range d.Instances {
		b.Kernels = append(b.Kernels, report.Instance{Name: in.Name, Kernel: in.Kernel.Name, SLR: in.SLR})
	}
	for _, name := range slices.Sorted(maps.Keys(w.Tools.Tools)) {
		b.Tools = append(b.Tools, report.Tool{Name: name, Version: w.Tools.Tools[name].Version})
	}
	left := map[string]fs.FS{}
	for _, s := range w.Plan.Steps {
		r := outcome.Results[s.ID]
		if !strings.HasPrefix(s.ID, p.Name+"/") || r == nil {
			continue
		}
		b.Steps = append(b.Steps, report.StepTime{
			ID: s.ID, Title: s.Title, Kind: string(s.Kind), Took: r.Duration(), Cached: !slices.Contains(outcome.Ran, s.ID),
		})
		left[strings.ReplaceAll(strings.TrimPrefix(s.ID, p.Name+"/"), "/", "-")] = os.DirFS(r.Dir)
	}
	return report.Collect(ctx, left, b)
}

func targetOf(d *design.Design) string {
	if d.Platform.HWEmu {
		return "hw_emu"
	}
	return "hw"
}

// publish writes the report of a build. One that has run nothing is no news for the
// history.
func publish(c *console, dir string, r *report.Report, again bool) error {
	history := report.History{Dir: filepath.Join(dir, historyFolder)}
	known, err := history.List()
	if err != nil {
		c.remark("warning: %v", err) // of those that are damaged
	}
	if !again || len(known) == 0 {
		if err := history.Add(r); err != nil {
			return err
		}
		known = append([]*report.Report{r}, known...)
	}
	if err := r.Write(filepath.Join(dir, reportFile)); err != nil {
		return err
	}
	var page bytes.Buffer
	if err := report.HTML(&page, known); err != nil {
		return err
	}
	return output.WriteFile(filepath.Join(dir, reportPage), page.Bytes(), 0o644)
}

// show prints the last report of a platform, next to the one before.
func show(c *console, dir string) error {
	known, err := report.History{Dir: filepath.Join(dir, historyFolder)}.List()
	if err != nil {
		c.remark("warning: %v", err)
	}
	var before *report.Report
	switch len(known) {
	case 0:
		return fmt.Errorf("there is no build in %s", dir)
	case 1:
	default:
		before = known[1]
	}
	return report.Text(c.out, known[0], before)
}

// runReports shows the results of builds again.
func runReports(_ context.Context, o *options, c *console) error {
	all, err := built(o.out)
	if err != nil {
		return err
	}
	names := all
	if len(o.names) > 0 {
		if names, err = workspace.Match(command.Names(o.names), all); err != nil {
			return fmt.Errorf("%w; there are builds of: %s", err, strings.Join(all, ", "))
		}
	}
	for _, name := range names {
		dir := resultsOf(o.out, name)
		if o.json {
			text, err := os.ReadFile(filepath.Join(dir, reportFile))
			if err == nil {
				_, err = c.out.Write(text)
			}
			if err != nil {
				return err
			}
			continue
		}
		if err := show(c, dir); err != nil {
			return err
		}
		fmt.Fprintln(c.out, filepath.Join(dir, reportPage))
	}
	return nil
}

// built are the platforms that have results.
func built(out string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(resultsOf(out, "*"), reportFile))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("there are no builds in %s; cclforge build makes one", filepath.Dir(resultsOf(out, "*")))
	}
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = filepath.Base(filepath.Dir(f))
	}
	return names, nil
}
