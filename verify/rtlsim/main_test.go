package rtlsim_test

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/rtlsim"
	"github.com/cclforge/cclforge/verify/rtlsim/simtest"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
)

func TestMain(m *testing.M) {
	rtlsim.Record = func(t testing.TB, card string) *rtlsim.Recorder { return simtest.Record(t).Card(card) }
	os.Exit(simtest.Main(m))
}

// failing lets TestThatFails fail.
const failing = "CCLFORGE_SIM_FAILS"

func TestThatFails(t *testing.T) {
	if os.Getenv(failing) == "" {
		t.Skip("fails for another test only")
	}
	for _, name := range []string{"first", "second"} {
		t.Run(name, func(t *testing.T) {
			e, _ := rtlsim.ToyEngine(t, rtlsim.Options{})
			for e.Cycle() < 100 {
				if _, err := e.Device().ReadReg(t.Context(), 0x100); err != nil {
					t.Fatal(err)
				}
			}
			t.Errorf("it fails in cycle %d", e.Cycle())
		})
	}
}

func TestAFailureLeavesRecordingsAndTheFirstOneWaveforms(t *testing.T) {
	if err := verilate.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	for _, test := range []struct {
		name              string
		cycles            string
		recordings, waves int
	}{
		{"of 50 cycles", "50", 2, 1},
		{"of none", "0", 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestThatFails$", "-test.artifacts",
				"-test.outputdir="+dir,
				"-test.timeout=5m", "-sim.waves="+test.cycles)
			cmd.Env = append(os.Environ(), failing+"=1")
			out, err := cmd.CombinedOutput()
			assert.Assert(t, err != nil && strings.Contains(string(out), "it fails in cycle"),
				"it does not fail as it should: %v\n%s", err, out)
			var recordings, waves []string
			for list, suffix := range map[*[]string]string{&recordings: ".rec", &waves: ".fst"} {
				if err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
					if strings.HasSuffix(path, suffix) {
						*list = append(*list, path)
					}
					return err
				}); err != nil {
					t.Fatal(err)
				}
			}
			if len(recordings) != test.recordings || len(waves) != test.waves {
				t.Errorf("there are %d recordings and %d waveforms, not %d and %d\n%s", len(recordings), len(waves),
					test.recordings, test.waves, out)
			}
			for _, file := range append(recordings, waves...) {
				assert.Check(t, strings.Contains(string(out), file), "nothing is said of %s\n%s", file, out)
			}
			if first := "waveforms of TestThatFails/first"; test.waves > 0 && !strings.Contains(string(out), first) {
				t.Errorf("there are no %s\n%s", first, out)
			}
			for _, file := range waves {
				b, err := os.ReadFile(file)
				assert.Assert(t, err == nil && len(b) >= 1000, "%d bytes of waveforms: %v", len(b), err)
				if first, last := binary.BigEndian.Uint64(b[9:]), binary.BigEndian.Uint64(b[17:]); last-first != 99 {
					t.Errorf("waveforms are of half cycles %d to %d, not of 50 cycles", first, last)
				}
			}
		})
	}
}
