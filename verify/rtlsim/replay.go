package rtlsim

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/cclforge/cclforge/verify/internal/report"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
)

// ErrDiverged says that a replay did something else than was recorded: the hardware
// was built by other tools, or depends on what a model leaves open.
var ErrDiverged = errors.New("the replay has left the recording")

// DefaultWindow is of how many cycles, the last ones, a replay writes waveforms if it
// is not told.
const DefaultWindow = 4096

// Replay does what was recorded again, up to the end of a window of cycles, and writes
// waveforms of that: of the last DefaultWindow cycles if From and To are 0. The hardware
// is built with waveforms first, unless the cache has it. What takes time is told to the
// listener of package report. The window is what there are waveforms of in the end; if the error
// matches ErrDiverged, up to where that was noticed.
func (r *Recording) Replay(ctx context.Context, t Trace) (window Trace, err error) {
	if t.From == 0 && t.To == 0 {
		t.From = r.Cycles - min(r.Cycles, DefaultWindow)
	}
	if t.To == 0 || t.To > r.Cycles {
		t.To = r.Cycles
	}
	if t.From >= t.To {
		return t, fmt.Errorf("replay %s: it has %d cycles, none is from %d to %d", r.Path, r.Cycles, t.From, t.To)
	}
	if sameFile(t.File, r.Path) {
		return t, fmt.Errorf("replay %s: the waveforms would take its place", r.Path)
	}
	if err := r.replay(ctx, &t); err != nil {
		return t, fmt.Errorf("replay %s: %w", r.Path, err)
	}
	return t, nil
}

func (r *Recording) replay(ctx context.Context, t *Trace) error {
	from, err := r.head.place()
	if err != nil {
		return err
	}
	library, err := from.library(ctx, true)
	if err != nil {
		return err
	}
	f, err := load(library)
	if err != nil {
		return err
	}
	calls, err := openRecording(r.Path)
	if err != nil {
		return err
	}
	defer calls.close()
	firmware, err := writeImage(r.head.Image)
	if err != nil {
		return err
	}
	defer os.Remove(firmware)
	arguments, remove, err := withKernels(strings.Replace(r.head.Arguments, firmwareHere, firmware, 1), r.head.Kernels)
	if err != nil {
		return err
	}
	defer remove()
	if err := os.MkdirAll(filepath.Dir(t.File), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(t.File, nil, 0o666); err != nil { // the model would not say so
		return err
	}
	p := &player{r: calls, f: f, model: f.Open(arguments, r.head.Seed, r.head.Flags)}
	defer f.Close(p.model)
	f.Trace(p.model, t.File, t.Scope, int32(t.Levels), t.From, t.To)
	err = p.play(ctx, r.head.Calls, t.To, func() {
		report.Say(ctx, "replaying %s: cycle %d of %d", r.Path, p.cycle, t.To)
	})
	t.To = min(t.To, p.cycle)
	return err
}

// sameFile reports whether two names are of one file that there is.
func sameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}

// place puts the sources of a recording where they can be built.
func (h *head) place() (origin, error) {
	from := h.Origin
	for _, part := range []struct {
		files []file
		paths *[]string
		name  func(i int, f file) string
	}{
		{h.Sources, &from.sources, func(i int, f file) string { return fmt.Sprintf("%04d/%s", i, f.Name) }}, // in this order
		{h.Shell, &from.shell, func(_ int, f file) string { return f.Name }},
	} {
		files := map[string][]byte{}
		for i, f := range part.files {
			files[part.name(i, f)] = []byte(f.Text)
		}
		paths, err := verilate.Place(files)
		if err != nil {
			return origin{}, err
		}
		slices.Sort(paths)
		*part.paths = paths
	}
	return from, nil
}

// player does calls of a recording.
type player struct {
	r     *reading
	f     *functions
	model uintptr
	cycle uint64
}

// play does calls until there have been so many cycles, and tells now and then.
func (p *player) play(ctx context.Context, names []string, cycles uint64, tell func()) error {
	last := time.Now()
	for p.cycle < cycles {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := p.call(names); err != nil {
			return err
		}
		if time.Since(last) > report.Every {
			last = time.Now()
			tell()
		}
	}
	return nil
}

// call does the next call.
func (p *player) call(names []string) error {
	broken := func(err error) error {
		return fmt.Errorf("%w: after cycle %d: %w", ErrRecording, p.cycle, unexpected(err))
	}
	op, err := p.r.ReadByte()
	if err != nil {
		return broken(err)
	}
	at := -1
	if int(op) < len(names) {
		at = slices.IndexFunc(shapes, func(s *shape) bool { return s != nil && s.name == names[op] })
	}
	if at < 0 {
		return broken(fmt.Errorf("no function has the number %d", op))
	}
	s := shapes[at]
	args, want, err := s.read(p.r.Reader)
	if err != nil {
		return broken(fmt.Errorf("%s: %w", s.name, err))
	}
	do := reflect.ValueOf(p.f).Elem().Field(at)
	if do.IsNil() {
		return broken(fmt.Errorf("the hardware has no %s", s.name))
	}
	args = slices.Insert(args, 0, reflect.ValueOf(p.model))
	results := do.Call(args)
	got := s.answers(args, results)
	if s.name == runName {
		p.cycle = args[2].Elem().Uint()
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("%w in cycle %d: %s, %#x was recorded", ErrDiverged, p.cycle, told(s.name, got), want)
	}
	return nil
}
