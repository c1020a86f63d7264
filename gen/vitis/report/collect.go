package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// mostFiles is how many files of a build are looked at.
const mostFiles = 200_000

// Collect reads the tools' reports in the results of all steps of a platform, by the folders
// that the names of their files begin with in the report. Missing and unreadable reports are
// no error; Report.Missing lists them. The error is that of results which are not there, or of
// the context.
func Collect(ctx context.Context, results map[string]fs.FS, b Build) (*Report, error) {
	c := &collector{results: results, report: &Report{Schema: Schema, Build: b}}
	files, err := c.files(ctx)
	if err != nil {
		return nil, fmt.Errorf("collect the reports of %s: %w", b.Platform, err)
	}
	for _, read := range []func(context.Context, []found) error{c.timing, c.usage, c.power, c.hls, c.link, c.logs} {
		if err := read(ctx, files); err != nil {
			return nil, fmt.Errorf("collect the reports of %s: %w", b.Platform, err)
		}
	}
	return c.report, nil
}

type collector struct {
	results map[string]fs.FS
	report  *Report
}

// files lists the report files, best first.
func (c *collector) files(ctx context.Context) ([]found, error) {
	var list []found
	n := 0
	for _, folder := range slices.Sorted(maps.Keys(c.results)) {
		err := fs.WalkDir(c.results[folder], ".", func(name string, d fs.DirEntry, err error) error {
			if n++; n > mostFiles {
				return fs.SkipAll
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			at := path.Join(folder, name)
			if err != nil {
				if name == "." {
					return err
				}
				c.missing("%s cannot be read: %v", at, err)
				return nil
			}
			if f := classify(at); f.kind != none && !d.IsDir() {
				f.in, f.name = c.results[folder], name
				list = append(list, f)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if n > mostFiles {
		c.missing("reports: there are more than %d files; the rest was not looked at", mostFiles)
	}
	slices.SortStableFunc(list, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(b.rank, a.rank),
			cmp.Compare(strings.Count(a.path, "/"), strings.Count(b.path, "/")), cmp.Compare(a.path, b.path))
	})
	return list, nil
}

func (c *collector) missing(format string, args ...any) {
	c.report.Missing = append(c.report.Missing, fmt.Sprintf(format, args...))
}

// open gives a file to read, and notes what is wrong with it. Errors of the context
// are passed on.
func (c *collector) open(ctx context.Context, f found, read func(fs.File) error) error {
	file, err := f.in.Open(f.name)
	if err == nil {
		err = read(file)
		file.Close()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		c.missing("%s: %v", f.path, plain(err))
	}
	return nil
}

// plain is an error without the path that is named beside it.
func plain(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// first runs read on files of a kind until one has led to something.
func (c *collector) first(ctx context.Context, files []found, k kind, read func(f found, r fs.File) (bool, error)) (
	bool, error) {
	for _, f := range files {
		if f.kind != k {
			continue
		}
		good := false
		err := c.open(ctx, f, func(r fs.File) error {
			var err error
			good, err = read(f, r)
			return err
		})
		if err != nil || good {
			return good, err
		}
	}
	return false, nil
}

func (c *collector) timing(ctx context.Context, files []found) error {
	ok, err := c.first(ctx, files, timing, func(f found, r fs.File) (bool, error) {
		t, err := parseTiming(ctx, r)
		if t != nil {
			t.File = f.path
			c.report.Timing = t
		}
		return t != nil, err
	})
	if !ok && c.report.Target == "hw" {
		c.missing("timing: no report *timing_summary*.rpt of the routed design")
	}
	return err
}

func (c *collector) usage(ctx context.Context, files []found) error {
	u := &c.report.Usage
	stage := -1
	for _, part := range []struct {
		kind  kind
		read  func(r fs.File, into *Usage) error
		have  func() bool
		title string
	}{
		{kernelUse, func(r fs.File, into *Usage) error { return parseKernels(ctx, r, into) },
			func() bool { return u.Kernels != nil },
			"utilisation of kernels: no readable report *kernel_util_routed.rpt"},
		{cardUse, func(r fs.File, into *Usage) error { return parseSites(ctx, r, into) },
			func() bool { return u.Card != nil },
			"utilisation of the card: no readable report *full_util_routed.rpt"},
		{slrUse, func(r fs.File, into *Usage) error { return parseSites(ctx, r, into) },
			func() bool { return u.SLRs != nil || c.report.SLRs == 1 },
			"utilisation of SLRs: no readable report *slr_util_routed.rpt"},
	} {
		_, err := c.first(ctx, files, part.kind, func(f found, r fs.File) (bool, error) {
			err := part.read(r, u)
			if errors.Is(err, errNothing) {
				return false, err
			}
			stage = max(stage, f.rank)
			u.Files = append(u.Files, f.path)
			return true, err
		})
		if err != nil {
			return err
		}
		if !part.have() && c.report.Target == "hw" && !(c.report.Shell && part.kind == kernelUse) {
			c.missing("%s", part.title)
		}
	}
	if stage >= 0 {
		u.Stage = strings.Replace(stages[stage], "final", "routed", 1)
	}
	return nil
}

func (c *collector) power(ctx context.Context, files []found) error {
	instances := map[string]bool{}
	for _, k := range c.report.Kernels {
		instances[k.Name] = true
	}
	for _, k := range c.report.Usage.Kernels {
		instances[k.Name] = true
	}
	ok, err := c.first(ctx, files, power, func(f found, r fs.File) (bool, error) {
		p, err := parsePower(ctx, r, instances)
		if p != nil {
			p.File = f.path
			c.report.Power = p
		}
		return p != nil, err
	})
	if !ok && c.report.Target == "hw" {
		c.missing("power: no readable report *power*.rpt")
	}
	return err
}

// hls takes the reports of kernels, not those of the functions in them.
func (c *collector) hls(ctx context.Context, files []found) error {
	known := map[string]bool{}
	for _, k := range c.report.Kernels {
		known[k.Kernel] = true
	}
	have := map[string]bool{}
	for _, f := range files {
		if f.kind != hls {
			continue
		}
		err := c.open(ctx, f, func(r fs.File) error {
			s, project, err := parseHLS(ctx, r)
			if s == nil || have[s.Kernel] || !known[s.Kernel] && (len(known) > 0 || s.Kernel != project) {
				if errors.Is(err, errNothing) {
					return err
				}
				return nil
			}
			have[s.Kernel] = true
			s.File = f.path
			c.report.HLS = append(c.report.HLS, *s)
			return err
		})
		if err != nil {
			return err
		}
	}
	slices.SortFunc(c.report.HLS, func(a, b Synthesis) int { return strings.Compare(a.Kernel, b.Kernel) })
	return nil
}

func (c *collector) link(ctx context.Context, files []found) error {
	ok, err := c.first(ctx, files, info, func(f found, r fs.File) (bool, error) {
		l, err := parseInfo(ctx, r)
		if l != nil {
			l.File = f.path
			c.report.Link = l
			c.report.Scaled = l.scalings(c.report.Wanted)
		}
		return l != nil, err
	})
	if !ok && !c.report.Shell {
		c.missing("what was linked: no readable *.xclbin.info")
	}
	return err
}

// logs counts messages, and finds what the linker has slowed down.
func (c *collector) logs(ctx context.Context, files []found) error {
	for _, f := range files {
		if f.kind != log {
			continue
		}
		err := c.open(ctx, f, func(r fs.File) error {
			totals, scaled, err := parseLog(ctx, r)
			totals.File = f.path
			c.report.Logs = append(c.report.Logs, totals)
			c.report.Scaled = merge(c.report.Scaled, scaled)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
