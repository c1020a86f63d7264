package rtlsim

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/emu/lanes"
	"github.com/cclforge/cclforge/verify/hls"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// TDESTs of the reference plugin. Others pass unchanged.
const (
	narrows = 0
	widens  = 1
	passes  = 7
	slowly  = 0x80 // the host takes results
)

// through sends messages through the lane; the results are as long as they should be.
func through(t *testing.T, e *Engine, tdest uint32, sent []byte, bytes int) []byte {
	t.Helper()
	d, ctx := e.Device(), limited(t)
	pushed := make(chan error, 1)
	go func() { pushed <- d.Push(ctx, tdest, sent) }()
	var got []byte
	for len(got) < bytes {
		_, b, err := d.Pull(ctx, bytes-len(got))
		assert.NilError(t, err, "after %d bytes", len(got))
		got = append(got, b...)
	}
	assert.NilError(t, <-pushed)
	return got
}

func floats(n int, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	var b []byte
	for range n {
		v := r.Uint32()
		if r.IntN(2) == 0 {
			v = math.Float32bits(float32(r.NormFloat64() * 100))
		}
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

func TestKernelsInCppComputeOnTheStreamsOfTheModel(t *testing.T) {
	e := laneEngine(t, "", Options{Seed: 3})
	narrow, ok := lanes.Convert("float32", "float16")
	widen, alsoOK := lanes.Convert("float16", "float32")
	assert.Assert(t, ok && alsoOK, "no reference")
	for i, elements := range []int{32, 64, 4096} {
		in := floats(elements, uint64(i))
		want := make([]byte, len(in)/2)
		narrow(want, in)
		if got := through(t, e, narrows, in, len(want)); !bytes.Equal(got, want) {
			t.Errorf("%d elements are not narrowed as they should be", elements)
		}
		back := make([]byte, len(in))
		widen(back, want)
		if got := through(t, e, widens, want, len(back)); !bytes.Equal(got, back) {
			t.Errorf("%d elements are not widened as they should be", elements)
		}
	}
	stats := e.Stats().Kernels
	if len(stats) != 4 || stats[0].Instance != "compression_0_0" || !strings.Contains(stats[0].Doing, "in_r") {
		t.Fatalf("%v", stats)
	}
	const beats = 2 + 4 + 256 + 1 + 2 + 128
	if s := stats[0].Streams; len(s) != 2 || s[0] != (engine.StreamStats{Name: "in_r", Beats: beats}) ||
		s[1].Beats != beats {
		t.Errorf("%v", s)
	}
}

// A stream through a kernel moves a beat in every cycle, and a slow reader loses
// none.
func TestKernelsInCppMoveABeatACycleAndWaitForSlowReaders(t *testing.T) {
	e := laneEngine(t, "", Options{Seed: 3})
	const beats = 20000
	in := floats(beats*16, 5)
	before := e.Cycle()
	assert.Assert(t, bytes.Equal(through(t, e, passes, in, len(in)), in), "the bytes are not the same")
	if cycles := e.Cycle() - before; cycles < beats || cycles > beats+beats/10 {
		t.Errorf("%d beats take %d cycles", beats, cycles)
	}
	const some, every = 1000, 16
	before = e.Cycle()
	assert.Check(t, bytes.Equal(through(t, e, slowly|passes, in[:64*some], 64*some), in[:64*some]),
		"a slow reader gets other ones")
	if cycles := e.Cycle() - before; cycles < (some-1)*every || cycles > (some+some/10)*every {
		t.Errorf("%d beats, of which one is taken in %d cycles, take %d", some, every, cycles)
	}
}

const signature = "void hp_compression(hls::stream<cclo::beat<4> > &in_r, hls::stream<cclo::beat<0> > &out_r) "

// firstChoice is the TDEST of the first of a kernel's choices: beats pass unchanged from it on.
const firstChoice = 2

// choices is a kernel that does with a beat what its TDEST says: one library for all of these.
func choices(each ...string) string {
	var cases strings.Builder
	for i, does := range each {
		fmt.Fprintf(&cases, "case %d: %s; break;\n", firstChoice+i, does)
	}
	return signature + `{
    cclo::beat<4> in = in_r.read();
    cclo::beat<0> out;
    out.data = in.data;
    out.keep = in.keep;
    out.last = in.last;
    switch (int(in.dest)) {
` + cases.String() + "}\n}\n"
}

func TestKernelsThatBreakTheHandshakeAreReported(t *testing.T) {
	all := []struct{ name, does, want string }{
		{"a beat after the end", `out_r.write(out); if (in.last) out_r.write(out)`,
			"beat 3 of out_r: it is ahead: operand 0 of packet 2 has not been read"},
		{"no end", `out.last = 0; out_r.write(out)`, "beat 2 of out_r: TLAST is missing after 128 bytes"},
		{"an end too early", `out.last = 1; out_r.write(out)`, "beat 1 of out_r: TLAST comes before that of operand 0"},
		{"holes", `out.keep[9] = 0; out_r.write(out)`, "beat 1 of out_r: TKEEP 0xFFFFFFFFFFFFFDFF has holes"},
		{"bytes that are not kept", `if (!in.last) out.keep = 0xFF; out_r.write(out)`,
			"beat 1 of out_r: TKEEP 0x00000000000000FF ends a packet"},
		{"a packet that is too short", `if (in.last) out_r.write(out)`,
			"beat 1 of out_r: TLAST comes after 64 bytes, the results of its packet have 128"},
		{"a kernel that gives up", `throw std::runtime_error("no more of this")`, "no more of this"},
	}
	var does []string
	for _, c := range all {
		does = append(does, c.does)
	}
	for i, c := range all {
		t.Run(c.name, func(t *testing.T) {
			e := laneEngine(t, choices(does...), Options{})
			d, ctx := e.Device(), limited(t)
			_ = d.Push(ctx, uint32(firstChoice+i), make([]byte, 128))
			select {
			case <-e.Done():
			case <-ctx.Done():
				t.Fatalf("nothing is noticed: %v", e.Stats().Kernels)
			}
			if err := e.Err(); !errors.Is(err, ErrHardware) ||
				!strings.Contains(err.Error(), "compression_0_0 (hp_compression): ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
			if s := e.Stats().Kernels; len(s) != 4 || s[0].Streams[0].Beats == 0 {
				t.Errorf("of a card that has ended: %v", s)
			}
		})
	}
}

func TestStatsSayWhatAKernelInCppWaitsFor(t *testing.T) {
	const another, polls = `for (int i = 1; i < 5; i++) in_r.read()`, `while (in_r.empty() || !out_r.full()) {}`
	for i, c := range []struct{ name, want string }{
		{"without an answer", "waits to read beat 3 of in_r (2 read)"},
		{"one of another number of beats", "waits to read beat 3 of in_r (2 read)"},
		{"polling", "again and again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := laneEngine(t, choices("", another, polls), Options{})
			assert.NilError(t, e.Device().Push(limited(t), uint32(firstChoice+i), make([]byte, 128)))
			var doing string
			for end := time.Now().Add(10 * time.Second); time.Now().Before(end) && !strings.Contains(doing, c.want); {
				doing = e.Stats().Kernels[0].Doing
			}
			assert.Check(t, is.Contains(doing, c.want))
			assert.Check(t, sleeps(e), "the card does not sleep")
		})
	}
}

// A kernel may count how often it has looked in vain.
func TestKernelsInCppThatPollGoOnWithoutABeat(t *testing.T) {
	const looks = `{ static int looks = 0; cclo::beat<4> in = in_r.read(); while (looks < 1000) if (in_r.empty()) looks++;
		cclo::beat<0> out; out.data = in.data; out.keep = in.keep; out.last = in.last; out_r.write(out); }`
	e := laneEngine(t, signature+looks, Options{})
	before := e.Cycle()
	in := floats(16, 1)
	if got := through(t, e, passes, in, 64); !bytes.Equal(got, in) {
		t.Errorf("%x comes back", got)
	}
	if cycles := e.Cycle() - before; cycles < 900 || cycles > 1500 {
		t.Errorf("1000 looks take %d cycles", cycles)
	}
}

// sleeps is an error if a card goes on running.
func sleeps(e *Engine) error {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		before := e.Cycle()
		time.Sleep(20 * time.Millisecond)
		if e.Cycle() == before {
			return nil
		}
	}
	return errors.New("cycles pass")
}

// Instances of a kernel and cards share nothing, not even static variables.
func TestCardsDoNotShareVariablesOfKernels(t *testing.T) {
	const counts = `{ static int seen = 0; cclo::beat<4> in = in_r.read(); cclo::beat<0> out; out.data = ++seen; out.keep = -1; out.last = in.last; out_r.write(out); }`
	for range 2 {
		e := laneEngine(t, signature+counts, Options{})
		for want := byte(1); want < 4; want++ {
			if got := through(t, e, passes, make([]byte, 64), 64); got[0] != want {
				t.Errorf("beat %d is counted as %d", want, got[0])
			}
		}
	}
}

func TestAReplayWithKernelsInCppIsTheSame(t *testing.T) {
	const counts = `{ static int seen = 0; cclo::beat<4> in = in_r.read(); cclo::beat<0> out; out.data = in.data + ++seen; out.keep = -1; out.last = in.last; out_r.write(out); }`
	record := NewRecorder()
	e := laneEngine(t, signature+counts, Options{Record: record, Seed: 9})
	for range 20 {
		through(t, e, passes, floats(64, 1), 256)
	}
	library := e.card.components[0].library
	assert.NilError(t, e.Close())
	dir := t.TempDir()
	path := filepath.Join(dir, "card.rec")
	assert.NilError(t, record.Save(path))
	r, err := ReadRecording(path)
	assert.NilError(t, err)
	assert.Check(t, !strings.Contains(r.head.Arguments, library) && len(r.head.Kernels) == 2,
		"%d libraries, and %q", len(r.head.Kernels), r.head.Arguments)
	if _, err := r.Replay(t.Context(), Trace{File: filepath.Join(dir, "card.fst")}); err != nil {
		t.Error(err)
	}
	loses, err := hls.Library(t.Context(),
		laneDesign(t, signature+strings.Replace(counts, "out_r.write", "if (seen % 3) out_r.write", 1)), "hp_compression")
	assert.NilError(t, err)
	r.head.Kernels[0], err = os.ReadFile(loses)
	assert.NilError(t, err)
	if _, err := r.Replay(t.Context(), Trace{File: filepath.Join(dir, "card.fst")}); !errors.Is(err, ErrDiverged) {
		t.Errorf("with another kernel: %v", err)
	}
}

func TestALibraryThatIsMissingOrWrongIsReported(t *testing.T) {
	e := laneEngine(t, "", Options{})
	model := func(arguments string) string {
		m := e.f.Open(arguments, 0, 0)
		defer e.f.Close(m)
		text := make([]byte, 1000)
		return string(text[:e.f.Error(m, &text[0], uint64(len(text)))])
	}
	for _, c := range []struct{ arguments, want string }{
		{"+x=1", "no argument says which library"},
		{"+hls_compression_0_0=/nowhere/lib.so", "/nowhere/lib.so"},
		{"+hls_compression_0_0=" + e.o.Library, "cclo_version"},
	} {
		if got := model(c.arguments); !strings.Contains(got, c.want) || !strings.Contains(got, "compression_0_0") {
			t.Errorf("%s: %q", c.arguments, got)
		}
	}
}
