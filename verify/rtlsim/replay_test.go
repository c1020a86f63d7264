package rtlsim

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
)

// recorded is a recording of a card on which a bit of everything was done.
func recorded(t *testing.T, b Build, change func(*Recorder)) *Recording {
	t.Helper()
	record := NewRecorder()
	e, _ := toyEngine(t, Options{Build: b, Seed: 7, Record: record, MemoryBytes: 1 << 30, Latency: 5})
	d, ctx := e.Device(), limited(t)
	assert.NilError(t, e.ShapeMemory(false, MemoryShape{Latency: 3, Jitter: 40, Stalls: 100, Longest: 9}))
	assert.NilError(t, d.WriteReg(ctx, e.first+0x100, 5))
	if _, err := d.ReadReg(ctx, e.first+0x100); err != nil {
		t.Fatal(err)
	}
	m, err := d.Alloc(ctx, accl.MemSpec{Bytes: 300})
	assert.NilError(t, err)
	assert.NilError(t, m.SyncTo(ctx, 0, 300))
	assert.NilError(t, d.Push(ctx, 4, make([]byte, 640)))
	for got := 0; got < 640; {
		_, b, err := d.Pull(ctx, 640)
		assert.NilError(t, err)
		got += len(b)
	}
	for i := range uint32(5) {
		ticket, err := d.Start(ctx, int(i), accl.Call{Scenario: 1, Count: 1000 * (1 + i), Tag: i})
		assert.NilError(t, err)
		if _, err := d.Wait(ctx, ticket); err != nil {
			t.Fatal(err)
		}
	}
	assert.NilError(t, e.Close())
	if change != nil {
		change(record)
	}
	path := filepath.Join(t.TempDir(), "card.rec")
	assert.NilError(t, record.Save(path))
	r, err := ReadRecording(path)
	assert.NilError(t, err)
	if r.Cycles != e.Cycle() || r.Cycles < 15000 || r.Platform != "u55c_tcp" {
		t.Fatalf("%d cycles of %s are recorded, there were %d of u55c_tcp", r.Cycles, r.Platform, e.Cycle())
	}
	return r
}

// times are the first and the last half of a cycle in a waveform.
func times(t *testing.T, name string) (first, last uint64) {
	t.Helper()
	b, err := os.ReadFile(name)
	assert.Assert(t, err == nil && len(b) >= 1000, "%d bytes of waveforms: %v", len(b), err)
	return binary.BigEndian.Uint64(b[9:]), binary.BigEndian.Uint64(b[17:])
}

func TestAReplayDoesWhatWasRecordedAndWritesItsLastCycles(t *testing.T) {
	for _, test := range []struct {
		name string
		b    Build
	}{{"built for speed", Build{}}, {"with random values", Build{Careful: true}}} {
		t.Run(test.name, func(t *testing.T) {
			r := recorded(t, test.b, nil)
			for _, w := range []struct{ from, to, first, last uint64 }{
				{0, 0, r.Cycles - DefaultWindow, r.Cycles},
				{100, 200, 100, 200},
				{0, 50, 0, 50},
				{r.Cycles - 10, 0, r.Cycles - 10, r.Cycles},
			} {
				name := filepath.Join(t.TempDir(), "sub", "wave.fst")
				got, err := r.Replay(t.Context(), Trace{File: name, From: w.from, To: w.to})
				assert.NilError(t, err)
				assert.Check(t, got.From == w.first && got.To == w.last,
					"waveforms are said to be of cycles %d to %d, not of %d to %d", got.From, got.To, w.first, w.last)
				if first, last := times(t, name); first != 2*w.first || last != 2*w.last-1 {
					t.Errorf("waveforms are of half cycles %d to %d, not of %d to %d", first, last, 2*w.first, 2*w.last-1)
				}
			}
		})
	}
}

func TestAReplayThatDiffersFromItsRecordingSaysInWhichCycle(t *testing.T) {
	words := func(count uint32) []byte { // of the calls of the third client
		return binary.LittleEndian.AppendUint32(nil, count)
	}
	r := recorded(t, Build{}, func(r *Recorder) {
		if n := bytes.Count(r.tape.fresh, words(3000)); n != 1 {
			t.Fatalf("the count of the call is %d times in the recording", n)
		}
		r.tape.fresh = bytes.Replace(r.tape.fresh, words(3000), words(3001), 1)
	})
	w, err := r.Replay(t.Context(), Trace{File: filepath.Join(t.TempDir(), "wave.fst")})
	assert.ErrorIs(t, err, ErrDiverged)
	if w.To < 6000 || w.To > 10000 { // the third call of 1000, 2000, 3000, 4000 and 5000 cycles
		t.Errorf("it is said to differ in cycle %d", w.To)
	}
}

func TestAFileThatIsNoWholeRecordingIsSaidToBeNone(t *testing.T) {
	r := recorded(t, Build{}, nil)
	whole, err := os.ReadFile(r.Path)
	assert.NilError(t, err)
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-20] ^= 0x40
	for _, test := range []struct {
		name  string
		bytes []byte
	}{
		{"nothing", nil}, {"something else", []byte("an image, or what somebody took for a recording")},
		{"its mark alone", whole[:len(recordingMark)]},
		{"a part of the sources", whole[:1000]}, {"a part of the calls", whole[:len(whole)-100]}, {"damaged", damaged},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "part.rec")
			assert.NilError(t, os.WriteFile(name, test.bytes, 0o666))
			part, err := ReadRecording(name)
			if err == nil {
				_, err = part.Replay(t.Context(), Trace{File: filepath.Join(t.TempDir(), "wave.fst")})
			}
			assert.Check(t, is.ErrorIs(err, ErrRecording))
		})
	}
}

func TestALongRecordingIsOnTheDiskAndOneThatIsTooLongIsGivenUp(t *testing.T) {
	long := tape{most: 3 * inMemory}
	block := bytes.Repeat([]byte("recording "), inMemory/20)
	for range 5 {
		long.add(block)
	}
	r, err := long.content()
	assert.NilError(t, err)
	var got bytes.Buffer
	if _, err := got.ReadFrom(r); err != nil || !bytes.Equal(got.Bytes(), bytes.Repeat(block, 5)) {
		t.Errorf("%d bytes: %v", got.Len(), err)
	}
	assert.Check(t, long.file != nil && len(long.fresh) < inMemory, "%d bytes are in memory", len(long.fresh))
	for range 5 {
		long.add(block)
	}
	if _, err := long.content(); !errors.Is(err, ErrTooLong) || long.file != nil || long.fresh != nil {
		t.Errorf("%v, %d bytes are kept", err, len(long.fresh))
	}
}

func TestAllFunctionsAreRecordedButThoseThatChangeNoModel(t *testing.T) {
	var left []string
	for i, s := range shapes {
		if s == nil {
			left = append(left, reflect.TypeFor[functions]().Field(i).Name)
		}
	}
	// Open is in the head of a recording, and a replay has its own Close and Trace. What an
	// account counts is not part of the hardware.
	if want := []string{"Open", "Close", "Error", "Trace", "Halt", "Account", "KernelState", "KernelText", "KernelBeats",
		"MemoryRead", "MemoryWritten", "NetworkRoom"}; !slices.Equal(left, want) {
		t.Errorf("%v are not recorded, which should be %v", left, want)
	}
}

func TestACardThatWasNotOpenedIsNotSaved(t *testing.T) {
	assert.Check(t, is.ErrorIs(NewRecorder().Save(filepath.Join(t.TempDir(), "card.rec")), ErrNotRecorded))
}

func TestAnIdleCardRecordsNothing(t *testing.T) {
	record := NewRecorder()
	e, _ := toyEngine(t, Options{Build: Build{Careful: true}, Record: record})
	size := func() (n int) {
		assert.NilError(t, e.do(func() { n = len(record.tape.fresh) }))
		return n
	}
	before := size()
	for range 100 {
		e.card.stir()
	}
	if after := size(); after != before {
		t.Errorf("%d bytes were recorded", after-before)
	}
}
