package hls_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/verify/hls"
)

// loopback is a design whose loop-back is in C++, with a change of its text.
func loopback(t *testing.T, from, to string) *design.Design {
	t.Helper()
	if err := hls.Available(t.Context()); errors.Is(err, hls.ErrTools) {
		t.Skip(err)
	}
	d := designtest.Load(t, "u55c_tcp", nil)
	for _, i := range d.Instances {
		if i.Kernel.ID != "loopback" || i.Kernel.Source == "hls" {
			continue
		}
		i.Kernel.Source = "hls"
		changed := *i.Kernel.HLS
		changed.Files = []platform.SourceFile{changed.Files[0]}
		text := string(changed.Files[0].Text)
		assert.Assert(t, is.Contains(text, from), "there is no")
		changed.Files[0].Text = []byte(strings.ReplaceAll(text, from, to))
		i.Kernel.HLS = &changed
	}
	return d
}

func TestBenchesRun(t *testing.T) {
	var out bytes.Buffer
	if err := hls.Bench(t.Context(), loopback(t, "", ""), "loopback", &out); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	assert.Check(t, out.Len() != 0, "it says nothing")
}

func TestBenchesFindMistakes(t *testing.T) {
	var out bytes.Buffer
	err := hls.Bench(t.Context(), loopback(t, "out.write(", "while (true) out.write("), "loopback", &out)
	assert.Check(t, errors.Is(err, hls.ErrBench) && strings.Contains(err.Error(), "loopback") && out.Len() != 0,
		"got %v, and it says %q", err, &out)
}

func TestBenchesEndWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Check(t, is.ErrorIs(hls.Bench(ctx, loopback(t, "", ""), "loopback", &bytes.Buffer{}), context.Canceled))
}

func TestOnlyKernelsInCHaveLibraries(t *testing.T) {
	d := designtest.Load(t, "u55c_tcp", nil)
	for _, kernel := range []string{"reduce_ops", "network_krnl", "absent"} {
		_, err := hls.Library(t.Context(), d, kernel)
		failed := hls.Bench(t.Context(), d, kernel, &bytes.Buffer{})
		if !errors.Is(err, hls.ErrKernel) || !errors.Is(failed, hls.ErrKernel) || !strings.Contains(err.Error(), kernel) {
			t.Errorf("%s: %v, %v", kernel, err, failed)
		}
	}
}
