package ranks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/verify/internal/report"
	"github.com/cclforge/cclforge/verify/rtlsim"
)

// recorder is that of a card. One that is made anew is recorded from then on.
func (h *hardware) recorder(card int) *rtlsim.Recorder {
	if h.recorders == nil {
		h.recorders = map[int]*rtlsim.Recorder{}
	}
	h.recorders[card] = rtlsim.NewRecorder()
	return h.recorders[card]
}

// save saves recordings, if there are any.
func (h *hardware) save(r *reporter) {
	for _, card := range slices.Sorted(maps.Keys(h.recorders)) {
		name, recorder := cardFile(h.record, card), h.recorders[card]
		switch err := recorder.Save(name); {
		case errors.Is(err, rtlsim.ErrNotRecorded): // it did not come to that
		case err != nil:
			r.log("%v", err)
		default:
			r.log("%s has %d cycles of card %d", name, recorder.Cycle(), card)
		}
	}
}

// again does what was recorded again, and writes waveforms.
func (h *hardware) again(ctx context.Context, out io.Writer) error {
	recording, err := rtlsim.ReadRecording(h.replay)
	if err != nil {
		return err
	}
	t := rtlsim.Trace{File: h.waves, Scope: h.scope, Levels: h.levels, From: h.from, To: h.to}
	if t.File == "" {
		t.File = strings.TrimSuffix(h.replay, filepath.Ext(h.replay)) + ".fst"
	}
	if h.window != "" && t.To == 0 {
		t.To = math.MaxUint64
	}
	w, err := recording.Replay(report.With(ctx, report.Lines(out)), t)
	if err == nil || errors.Is(err, rtlsim.ErrDiverged) && w.To > w.From {
		fmt.Fprintf(out, "%s: cycles %d to %d of %d of %s\n", w.File, w.From, w.To, recording.Cycles, recording.Platform)
	}
	return err
}
