package emu

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/templates"
	"github.com/cclforge/cclforge/verify/emu/lanes"
	"github.com/cclforge/cclforge/verify/hls"
)

// compilerOrSkip skips a test where there is no C++ compiler.
func compilerOrSkip(t testing.TB) {
	t.Helper()
	if err := hls.Available(t.Context()); errors.Is(err, hls.ErrTools) {
		t.Skip(err)
	}
}

// compile builds a kernel whose component stands whole in a file of testdata.
func compile(t testing.TB, kernel, file string) string {
	t.Helper()
	compilerOrSkip(t)
	s := &hls.Sources{Kernel: kernel, Files: map[string][]byte{}}
	entries, err := templates.FS.ReadDir("hls/sim")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if s.Files["hls/sim/"+e.Name()], err = templates.FS.ReadFile("hls/sim/" + e.Name()); err != nil {
			t.Fatal(err)
		}
	}
	if s.Files["hls/"+kernel+"/"+kernel+"_component.cpp"], err = os.ReadFile(filepath.Join("testdata", file)); err != nil {
		t.Fatal(err)
	}
	library, err := s.Library(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return library
}

// plug puts a kernel on the arithmetic lane of a rig. Its functions are those of the
// platform, whatever it makes of their TDEST.
func (r *rig) plug(library string) {
	r.t.Helper()
	i := slices.IndexFunc(r.d.Instances, func(in *design.Instance) bool { return in.Role == arithmeticRole })
	if err := r.openPlugin(r.d.Instances[i], library); err != nil {
		r.t.Fatal(err)
	}
	for tdest := range uint32(16) {
		r.functions.reductions[tdest] = r.functions.plugins.arithmetic.reduction(r.d, platform.TypeTDEST{Type: "int32", TDEST: int(tdest)})
	}
	r.t.Cleanup(func() {
		if err := r.closePlugins(); err != nil {
			r.t.Error(err)
		}
	})
}

// combine adds operands at 0 and 1<<30 to 1<<31.
func (r *rig) combine(tdest uint32, bytes int) {
	r.t.Helper()
	r.set("move", "tdest", tdest<<8)
	r.set("move", "bytes", uint32(bytes))
	r.set64("move", "op1_address", 1<<30)
	r.set64("move", "result_address", 1<<31)
	r.issue("op0=memory", "op1=memory", "result=memory")
	r.run()
}

func TestReductionsGoThroughThePlugin(t *testing.T) {
	r := newWorld(t, worldOptions{engines: 1}).rigs[0]
	r.plug(compile(t, "plugin", "plugin.cpp"))
	sum, _ := lanes.Reduce("sum", "int32")
	var beats uint64
	for i, n := range []int{4, 60, 64, 68, 4096, 64 << 10, 300_004} {
		a, b := random(uint64(i), n), random(uint64(i)+100, n)
		r.write(0, a)
		r.write(1<<30, b)
		r.combine(0, n)
		r.completes(uint32(i+1), 0)
		want := make([]byte, n)
		sum(want, a, b)
		if !bytes.Equal(r.read(1<<31, n), want) {
			t.Errorf("%d bytes: a wrong sum", n)
		}
		beats += beatsOf(n)
	}
	s := r.pluginStats()
	if len(s) != 1 || s[0].Instance != "arith_0" || s[0].Doing == "" || len(s[0].Streams) != 3 {
		t.Fatalf("%+v", s)
	}
	for _, stream := range s[0].Streams {
		if stream.Beats < beats {
			t.Errorf("%s has had %d beats, expected at least %d", stream.Name, stream.Beats, beats)
		}
	}
}

// TestMisbehavingPlugins end their move, say why, and work in the next one.
func TestMisbehavingPlugins(t *testing.T) {
	library := compile(t, "plugin", "plugin.cpp")
	const size = 20*64 + 16
	for tdest, c := range map[uint32]struct {
		name string
		want []string
	}{
		1:  {"reads an operand twice", []string{"beat 21 of out_r", "waits to read beat 22 of in1 (21 read)", "waits for beat 21 of 21 and has given", "21 of 21 beats of in0, 21 of 21 beats of in1"}},
		2:  {"forgets the last beat", []string{"beat 21 of out_r", "waits to read beat 22 of in0 (21 read)", "waits for beat 21"}},
		3:  {"writes a beat more", []string{"beat 22 of out_r", "after the last one; the engine has had all, in a packet of 21 beats (1296 bytes)"}},
		4:  {"without TLAST", []string{"beat 21 of out_r", "without TLAST; the engine expects it with TLAST"}},
		5:  {"with TLAST early", []string{"beat 3 of out_r", "with TLAST; the engine expects it without TLAST"}},
		6:  {"with another TKEEP", []string{"beat 3 of out_r", "TKEEP 0x7FFFFFFFFFFFFFFF", "expects TKEEP 0xFFFFFFFFFFFFFFFF"}},
		7:  {"leaves an operand unread", []string{"beat 21 of in1", "waits to read beat 22 of in0 (21 read), and the result is complete", "given it a packet of 21 beats (1296 bytes)"}},
		8:  {"writes where it reads", []string{"has failed", "in1, which is an input"}},
		9:  {"never comes back", []string{"has computed for 500ms without waiting for a stream"}},
		10: {"looks for ever", []string{"beat 3 of out_r", "again and again"}},
		11: {"throws", []string{"has failed", "the third beat does not suit me"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var faults []error
			r := newWorld(t, worldOptions{engines: 1, engine: Options{
				Patience: 50 * time.Millisecond, OnFault: func(err error) { faults = append(faults, err) },
			}}).rigs[0]
			r.plug(library)
			a, b := random(1, size), random(2, size)
			r.write(0, a)
			r.write(1<<30, b)
			r.combine(tdest, size)
			r.completes(1, r.bit("ARITH"))
			var fault *PluginError
			if len(faults) != 1 || !errors.As(faults[0], &fault) || fault.Instance != "arith_0" || fault.Kernel != "reduce_ops" {
				t.Fatalf("faults: %q", faults)
			}
			doing := r.pluginStats()[0].Doing
			for _, want := range c.want {
				if !strings.Contains(fault.Error(), want) || !strings.Contains(doing, want) {
					t.Errorf("%q is not said", want)
				}
			}
			if t.Failed() {
				t.Logf("fault: %v\nstats: %s", fault, doing)
			}
			r.set("move_status", "error_0", 0)
			r.combine(0, size)
			r.completes(2, 0)
			sum, _ := lanes.Reduce("sum", "int32")
			want := make([]byte, size)
			if sum(want, a, b); !bytes.Equal(r.read(1<<31, size), want) {
				t.Error("the next move has a wrong result")
			}
			if len(faults) != 1 {
				t.Errorf("more faults: %q", faults[1:])
			}
		})
	}
}
