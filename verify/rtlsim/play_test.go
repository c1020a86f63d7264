package rtlsim

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// runs are recorded calls that run a cycle each.
func runs(t *testing.T, n uint64) []byte {
	t.Helper()
	op := slices.Index(shapeNames(), runName)
	assert.Assert(t, op >= 0, "%s is not recorded", runName)
	var out []byte
	for cycle := range n {
		cycle++
		args := []reflect.Value{reflect.ValueOf(uintptr(0)), reflect.ValueOf(uint64(1)), reflect.ValueOf(&cycle)}
		out = shapes[op].append(append(out, byte(op)), args, []reflect.Value{reflect.ValueOf(uint64(0))})
	}
	return out
}

func TestAReplayThatIsInterruptedSaysSo(t *testing.T) {
	const cycles, last = 100, 40
	interrupted := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	ran := uint64(0)
	p := &player{r: &reading{Reader: bufio.NewReader(bytes.NewReader(runs(t, cycles)))}, f: &functions{
		Run: func(_ uintptr, n uint64, cycle *uint64) uint64 {
			if ran += n; ran == last {
				cancel(interrupted)
			}
			*cycle = ran
			return 0
		},
	}}
	if err := p.play(ctx, shapeNames(), cycles, func() {}); !errors.Is(err, interrupted) || p.cycle != last {
		t.Errorf("after %d cycles: %v", p.cycle, err)
	}
	if err := p.play(t.Context(), shapeNames(), cycles, func() {}); err != nil || p.cycle != cycles {
		t.Errorf("the rest, after %d cycles: %v", p.cycle, err)
	}
}

func TestWaveformsDoNotTakeThePlaceOfTheirRecording(t *testing.T) {
	path := filepath.Join(t.TempDir(), "card.fst")
	assert.NilError(t, os.WriteFile(path, []byte("a recording"), 0o666))
	r := &Recording{Path: path, Cycles: 10, head: &head{}}
	if _, err := r.Replay(t.Context(), Trace{File: path}); err == nil || !strings.Contains(err.Error(), "take its place") {
		t.Error(err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "a recording" {
		t.Errorf("%q is left: %v", b, err)
	}
}

func TestACallThatWasGivenMuchDoesNotStayInMemory(t *testing.T) {
	r := NewRecorder()
	op := slices.Index(shapeNames(), "sim_memory_write")
	assert.Assert(t, op >= 0, "writes to memory are not recorded")
	given := make([]byte, 8*inMemory)
	r.add(byte(op), shapes[op], []reflect.Value{
		reflect.ValueOf(uintptr(0)), reflect.ValueOf(int32(0)), reflect.ValueOf(uint64(0)), reflect.ValueOf(&given[0]),
		reflect.ValueOf(uint64(len(given))),
	}, []reflect.Value{reflect.ValueOf(int32(1))})
	t.Cleanup(r.tape.clear)
	if held := cap(r.line) + cap(r.tape.fresh); r.tape.stored < int64(len(given)) || held > 4*inMemory {
		t.Errorf("%d bytes are on the disk, there is room for %d in memory", r.tape.stored, held)
	}
}
