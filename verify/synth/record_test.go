package synth

import (
	"errors"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/internal/tools"
)

const (
	recordFile     = "testdata/timing.json"
	recordPlatform = "u55c_tcp"
	recordSample   = "loopback" // a kernel that is mapped in seconds
)

// Kernels are exactly as fast as is recorded: one of them in every run, all in a nightly one.
func TestTimingIsAsRecorded(t *testing.T) {
	if err := Available(); err != nil {
		t.Skip(err)
	}
	r, err := ReadRecord(recordFile)
	assert.NilError(t, err)
	yosys, err := tools.Find(t.Context(), "yosys")
	assert.NilError(t, err)
	if yosys.Version != r.Yosys {
		t.Skipf("recorded with %s, this is %s", r.Yosys, yosys.Version)
	}
	in, err := Load(recordPlatform)
	assert.NilError(t, err)
	told := func(done, of int, module string, err error) { t.Log(done, of, module, err) }
	kernels, err := Timings(t.Context(), in, nightly.Of([]string{recordSample}, nil), 1, told)
	assert.NilError(t, err)
	for _, k := range kernels {
		if was, there := r.Kernels[recordPlatform][k.Kernel]; !there || was != k.Recorded() {
			t.Errorf("%s: %+v, recorded is %+v; record what is faster: go tool mage synth %s -timing -record=verify/synth/%s",
				k.Kernel, k.Recorded(), was, recordPlatform, recordFile)
		}
	}
}

func TestRecordsOnlyFall(t *testing.T) {
	file := filepath.Join(t.TempDir(), "timing.json")
	r, err := ReadRecord(file)
	assert.NilError(t, err)
	lower := func(yosys string, logic, beyond int) error {
		return r.Lower(yosys, "p", []Timing{{Kernel: "k", Logic: logic, Beyond: beyond}})
	}
	other := func() error { return r.Lower("1", "p", []Timing{{Kernel: "other", Logic: 7}}) }
	assert.NilError(t, errors.Join(lower("1", 900, 5), other(), lower("1", 800, 5)))
	assert.Check(t, is.ErrorIs(lower("1", 801, 4), ErrSlower), "more logic")
	assert.Check(t, is.ErrorIs(lower("1", 700, 6), ErrSlower), "more ends")
	if got := r.Kernels["p"]; got["k"] != (Recorded{800, 5}) || got["other"] != (Recorded{7, 0}) {
		t.Errorf("recorded is %+v", got)
	}
	if err := lower("2", 9000, 50); err != nil || len(r.Kernels["p"]) != 1 {
		t.Errorf("another yosys: %v, %+v", err, r)
	}
}
