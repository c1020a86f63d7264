package emu_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/hls"
	"github.com/cclforge/cclforge/verify/world"
)

// layer is what testdata/plugins adds to the shipped library, with changes to its
// files: from and to.
func layer(t testing.TB, changes ...string) *platform.Library {
	t.Helper()
	files := fstest.MapFS{}
	root := filepath.Join("testdata", "plugins")
	for _, pattern := range []string{"*.hcl", "kernels/*"} {
		names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		assert.NilError(t, err)
		for _, name := range names {
			text, err := os.ReadFile(name)
			assert.NilError(t, err)
			for i := 0; i+1 < len(changes); i += 2 {
				text = bytes.ReplaceAll(text, []byte(changes[i]), []byte(changes[i+1]))
			}
			rel, err := filepath.Rel(root, name)
			assert.NilError(t, err)
			files[filepath.ToSlash(rel)] = &fstest.MapFile{Data: text}
		}
	}
	return designtest.Layered(t, files)
}

// start starts a world and opens its engines.
func start(ctx context.Context, t testing.TB, d *design.Design, n int, o world.Options, open ...accl.OpenOption) (
	*world.World, []*accl.Engine) {
	t.Helper()
	w, err := world.New(ctx, d, n, o)
	if errors.Is(err, hls.ErrTools) {
		t.Skip(err)
	}
	assert.NilError(t, err)
	t.Cleanup(func() {
		assert.Check(t, w.Close())
	})
	devices := make([]accl.Device, n)
	for i := range devices {
		devices[i] = w.Device(i)
	}
	p := driverview.Of(d)
	engines, err := accl.OpenAll(ctx, devices, &p, w.Ranks(), open...)
	assert.NilError(t, err)
	return w, engines
}

// slow gives a busy machine time.
func slow(o emu.Options) emu.Options {
	o.RemoteTimeout, o.Patience = time.Minute, 20*time.Second
	return o
}

func limited(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	return ctx
}
