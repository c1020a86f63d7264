package block

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/platforms"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
)

// file is a source. Its path is where it was rendered, with its text unless that was
// edited.
type file struct{ name, text, path string }

var (
	knownLock sync.Mutex
	known     = map[string][]file{}
)

// everything is all RTL of folders and the common blocks, packages first.
func everything(ctx context.Context, name, kernel string, host bool, folders ...string) ([]file, error) {
	knownLock.Lock()
	defer knownLock.Unlock()
	key := fmt.Sprintf("%q %t", append([]string{name, kernel}, folders...), host)
	if files, ok := known[key]; ok {
		return files, nil
	}
	paths, err := sources(ctx, name, kernel, host, folders...)
	if err != nil {
		return nil, err
	}
	files, err := read(paths)
	if err != nil {
		return nil, err
	}
	known[key] = files
	return files, nil
}

// read reads files.
func read(paths []string) ([]file, error) {
	var files []file
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		files = append(files, file{strings.TrimSuffix(filepath.Base(p), ".sv"), string(text), p})
	}
	return files, nil
}

// sources are the files of folders.
func sources(ctx context.Context, name, kernel string, host bool, folders ...string) ([]string, error) {
	if kernel == "" && !host {
		return verilate.Sources(ctx, name, folders...)
	}
	assigned := map[string]lang.Input{}
	if kernel != "" {
		assigned["user_kernel"] = lang.Input{Value: cty.StringVal(kernel)}
	}
	if host {
		assigned["host_memory"] = lang.Input{Value: cty.True}
	}
	d, err := designWith(name, assigned)
	if err != nil {
		return nil, err
	}
	return verilate.SourcesOf(ctx, d, folders...)
}

// designWith is a shipped platform with values of its inputs.
func designWith(name string, assigned map[string]lang.Input) (*design.Design, error) {
	lib, diags := platform.NewLibrary(lang.NewParser(), platforms.FS)
	if diags.HasErrors() {
		return nil, diags
	}
	d, diags := design.Load(lib, name, lang.Inputs{
		Assigned: assigned, LookupEnv: func(string) (string, bool) { return "", false },
	})
	if diags.HasErrors() {
		return nil, fmt.Errorf("load the platform %s with %v: %w", name, slices.Sorted(maps.Keys(assigned)), diags)
	}
	return d, nil
}

// Design is a shipped platform.
func Design(name string) (*design.Design, error) { return designWith(name, nil) }

var (
	comment  = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/`)
	instance = regexp.MustCompile(`(?m)^\s*(\w+)\s*(?:#\(|\w+\s*\()`)
	packages = regexp.MustCompile(`\b(\w+)::`)
)

// Needed are those of some sources that a module needs, in their order: a change of others does not build it again.
func Needed(paths []string, top string) ([]string, error) {
	all, err := read(paths)
	if err != nil {
		return nil, err
	}
	files, err := needed(all, top)
	var own []string
	for _, f := range files {
		own = append(own, f.path)
	}
	return own, err
}

// needed are the sources that a module needs, in the order of all.
func needed(all []file, top string) ([]file, error) {
	found := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		i := slices.IndexFunc(all, func(f file) bool { return f.name == name })
		if i < 0 || found[name] {
			return
		}
		found[name] = true
		text := comment.ReplaceAllString(all[i].text, "")
		for _, m := range instance.FindAllStringSubmatch(text, -1) {
			visit(m[1])
		}
		for _, m := range packages.FindAllStringSubmatch(text, -1) {
			visit(m[1])
		}
	}
	visit(top)
	if !found[top] {
		return nil, fmt.Errorf("there is no module %s", top)
	}
	var files []file
	for _, f := range all {
		if found[f.name] {
			files = append(files, f)
		}
	}
	return files, nil
}
