package sim

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/verify/sim/verilate"
)

// hardwareOf are the rendered sources of a platform by their paths under its
// folder of RTL.
func hardwareOf(t *testing.T, d *design.Design) map[string][]byte {
	t.Helper()
	rendered, err := emit.Platform(d)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range rendered {
		if name, ok := strings.CutPrefix(f.Path, rtlRoot); ok && path.Ext(name) == ".sv" {
			files[name] = f.Content
		}
	}
	return files
}

// ofKernel are the sources of a kernel that we have the RTL of, by itself: its
// folder, those that it needs, what is shared, and packages.
func ofKernel(files map[string][]byte, k *design.Kernel) map[string][]byte {
	folders := append([]string{"common", k.ID}, k.Needs...)
	own := map[string][]byte{}
	for name, text := range files {
		folder := path.Dir(name)
		if slices.Contains(folders, folder) || folder == "." && strings.HasSuffix(name, "_pkg.sv") {
			own[name] = text
		}
	}
	return own
}

var identifier = regexp.MustCompile(`\b[a-z]\w*\b`)

// below are the files that a file refers to, itself among them.
func below(files map[string][]byte, from string) map[string][]byte {
	byModule := map[string]string{}
	for name := range files {
		byModule[strings.TrimSuffix(path.Base(name), ".sv")] = name
	}
	found := map[string][]byte{}
	var visit func(name string)
	visit = func(name string) {
		if found[name] != nil {
			return
		}
		found[name] = files[name]
		for _, word := range identifier.FindAll(withoutComments(files[name]), -1) {
			if other, ok := byModule[string(word)]; ok {
				visit(other)
			}
		}
	}
	visit(from)
	return found
}

// withoutComments leaves out lines of comment: they name the platform.
func withoutComments(text []byte) []byte {
	var code bytes.Buffer
	for line := range bytes.Lines(text) {
		if !bytes.HasPrefix(bytes.TrimSpace(line), []byte("//")) {
			code.Write(line)
		}
	}
	return code.Bytes()
}

// keyOf is the same for sources that say the same.
func keyOf(files map[string][]byte, top string) string {
	h := sha256.New()
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	fmt.Fprintln(h, top)
	for _, name := range names {
		code := withoutComments(files[name])
		fmt.Fprintln(h, name, len(code))
		h.Write(code)
	}
	return string(h.Sum(nil))
}

func lint(ctx context.Context, files map[string][]byte, module string) error {
	paths, err := verilate.Place(files)
	if err != nil {
		return err
	}
	slices.SortStableFunc(paths, func(a, b string) int { return first(a) - first(b) })
	return verilate.Lint(ctx, module, nil, paths...)
}

// TestEveryPlatformLints checks all hardware with every warning that Verilator
// has: each platform with the models around it, and each kernel by itself, as it
// is packaged. What is the same on several platforms is checked once.
func TestEveryPlatformLints(t *testing.T) {
	if err := verilate.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	var seen sync.Map
	once := func(t *testing.T, name string, files map[string][]byte, module string) {
		t.Helper()
		if _, again := seen.LoadOrStore(keyOf(files, module), true); again {
			return
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := lint(t.Context(), files, module); err != nil {
				t.Error(err)
			}
		})
	}
	check := func(t *testing.T, name string, d *design.Design) {
		t.Helper()
		files := hardwareOf(t, d)
		if files[top+".sv"] == nil {
			t.Errorf("%s has no top level", name)
			return
		}
		once(t, name, files, top)
		for _, i := range d.Instances {
			k := i.Kernel
			if k.Source != "rtl" {
				continue
			}
			source := path.Join(k.ID, k.Name+".sv")
			own := ofKernel(files, k)
			if own[source] == nil {
				t.Errorf("%s: there is no %s", name, source)
				continue
			}
			once(t, name+"/"+k.ID, below(own, source), k.Name)
		}
	}
	for _, name := range designtest.Library(t).PlatformNames() {
		check(t, name, designtest.Load(t, name, nil))
	}
	for _, c := range []struct {
		name, platform, variable string
		value                    cty.Value
	}{
		{"host memory", "u55c_tcp", "host_memory", cty.True},
		{"user kernel", "u55c_tcp", "user_kernel", cty.StringVal("vadd_put")},
	} {
		check(t, c.name, designtest.Load(t, c.platform, map[string]cty.Value{c.variable: c.value}))
	}
}
