package tools

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/gen/vitis/step"
)

// Find finds tools and asks them for their versions. The error matches ErrMissing,
// ErrTooOld or ErrBroken; it names all such tools, and what to do.
func Find(ctx context.Context, chain *platform.Toolchain, env Env, needs ...Need) (*Set, error) {
	if chain == nil || len(chain.Versions) == 0 {
		return nil, fmt.Errorf("nothing is known of the tools: platforms/tools has no toolchain")
	}
	s := &Set{Tools: map[string]step.Tool{}, env: env, chain: chain, Facts: chain.Versions[len(chain.Versions)-1]}
	versions := openCache(env.Cache)
	f := &finder{Set: s, cache: versions}
	f.find(ctx, slices.DeleteFunc(slices.Clone(needs), func(n Need) bool { return n.Tool == HLS }))
	f.decide()
	// Which tool compiles C++ depends on the version.
	hls := slices.DeleteFunc(slices.Clone(needs), func(n Need) bool { return n.Tool != HLS })
	for i := range hls {
		hls[i].Tool = s.Facts.HLS
	}
	if s.Version != "" || len(hls) == len(needs) || len(f.wrong) == 0 {
		f.find(ctx, hls)
		f.decide()
	}
	f.compare()
	versions.save()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(f.wrong) > 0 {
		return nil, f.wrong
	}
	return s, nil
}

type finder struct {
	*Set
	cache *cache
	wrong problems
}

func (f *finder) find(ctx context.Context, needs []Need) {
	reasons := map[string][]string{}
	var names []string
	for _, n := range needs {
		if _, have := f.Tools[n.Tool]; have {
			continue
		}
		if !slices.Contains(names, n.Tool) {
			names = append(names, n.Tool)
		}
		if n.For != "" && !slices.Contains(reasons[n.Tool], n.For) {
			reasons[n.Tool] = append(reasons[n.Tool], n.For)
		}
	}
	found := make([]step.Tool, len(names))
	errs := make([]error, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() { found[i], errs[i] = f.one(ctx, name, reasons[name]) })
	}
	all.Wait()
	for i, name := range names {
		if errs[i] != nil {
			f.wrong = append(f.wrong, errs[i])
			continue
		}
		f.Tools[name] = found[i]
	}
}

func (f *finder) one(ctx context.Context, name string, reasons []string) (step.Tool, error) {
	facts := f.chain.Tool(name)
	if facts == nil {
		return step.Tool{}, fmt.Errorf("%s is %w: platforms/tools says nothing of it", name, ErrMissing)
	}
	path := f.locate(facts)
	if path == "" {
		return step.Tool{}, f.missing(facts, reasons)
	}
	t := step.Tool{Name: name, Path: path}
	speaker, at := facts, path
	if facts.SameAs != "" {
		speaker = f.chain.Tool(facts.SameAs)
		at = filepath.Join(filepath.Dir(path), filepath.Base(speaker.Path))
		if !executable(at) {
			if at = f.locate(speaker); at == "" {
				return t, f.missing(speaker, reasons)
			}
		}
	}
	if speaker.Arguments == nil {
		return t, nil
	}
	version, err := f.cache.version(ctx, speaker, at, f.env)
	t.Version = version
	return t, err
}

// locate finds an executable as a shell does, or below the directory that its
// variable names.
func (f *finder) locate(facts *platform.ToolFacts) string {
	for _, dir := range filepath.SplitList(f.env.lookup("PATH")) {
		if !filepath.IsAbs(dir) {
			continue // steps run elsewhere
		}
		if path := filepath.Join(dir, facts.Name); executable(path) {
			return path
		}
	}
	if dir := f.env.lookup(facts.Variable); facts.Variable != "" && dir != "" {
		if path := filepath.Join(dir, filepath.FromSlash(facts.Path)); executable(path) {
			return path
		}
	}
	return ""
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// missing says what to do about a tool that is not there.
func (f *finder) missing(facts *platform.ToolFacts, reasons []string) error {
	var b strings.Builder
	if len(reasons) > 0 {
		fmt.Fprintf(&b, " (needed %s)", strings.Join(reasons, ", "))
	}
	b.WriteString(": it is not in PATH")
	switch dir := f.env.lookup(facts.Variable); {
	case facts.Variable == "":
		fmt.Fprintf(&b, ". Install %s.", facts.Source)
	case dir == "":
		fmt.Fprintf(&b, ", and %s is not set. Source %s, or set %s to the directory of the installation, which has %s in it.",
			facts.Variable, facts.Source, facts.Variable, facts.Path)
	default:
		fmt.Fprintf(&b, ", and %s, which is %s, has no %s in it. Source %s of a version that has it.", facts.Variable, dir,
			facts.Path, facts.Source)
	}
	if facts.Name == "vitis_hls" {
		b.WriteString(" Newer versions of Vitis have no vitis_hls.")
	}
	return fmt.Errorf("%s is %w%s", facts.Name, ErrMissing, b.String())
}

// decide finds out which version of Vitis this is, and what is known of it.
func (f *finder) decide() {
	if f.Version != "" {
		return
	}
	for _, name := range append([]string{linker}, f.versioned()...) {
		if t, ok := f.Tools[name]; ok && known(t.Version) {
			f.Version = t.Version
			break
		}
	}
	if f.Version == "" {
		return
	}
	oldest, newest := f.chain.Versions[0], f.chain.Versions[len(f.chain.Versions)-1]
	f.Facts = f.chain.Nearest(f.Version)
	switch {
	case platform.CompareVersions(f.Version, oldest.Version) < 0: // compare says so
	case !strings.HasPrefix(f.Version+".", f.Facts.Version+"."):
		f.Warnings = append(f.Warnings, fmt.Sprintf("Vitis %s is not known here; it is treated as %s. Known are %s to %s.",
			f.Version, f.Facts.Version, oldest.Version, newest.Version))
	}
}

// versioned are the tools that have the versions of the toolchain, as listed.
func (f *finder) versioned() []string {
	var names []string
	for _, t := range f.chain.Tools {
		if t.Versioned {
			names = append(names, t.Name)
		}
	}
	return names
}

// compare reports tools that are too old, or of different versions.
func (f *finder) compare() {
	oldest := f.chain.Versions[0].Version
	for _, name := range f.versioned() {
		t, ok := f.Tools[name]
		if !ok {
			continue
		}
		switch {
		case !known(t.Version):
			f.Warnings = append(f.Warnings, fmt.Sprintf("%s does not say which version it is; it is treated as %s.",
				t.Path, f.Facts.Version))
		case platform.CompareVersions(t.Version, oldest) < 0:
			f.wrong = append(f.wrong, fmt.Errorf("%s is %w: %s is version %s, and the oldest that works is %s", name, ErrTooOld,
				t.Path, t.Version, oldest))
		case name != linker && f.Version != "" && t.Version != f.Version:
			f.Warnings = append(f.Warnings,
				fmt.Sprintf("%s is version %s (%s), and the rest of Vitis is %s; results may not be what either would make.", name,
					t.Version, t.Path, f.Version))
		}
	}
}
