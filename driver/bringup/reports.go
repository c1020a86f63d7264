package bringup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
)

// reports is the subject of questions for the reports of engines.
const reports = "report"

// said is the answer.
type said struct {
	Report accl.Report
	Failed string // why there is none; "" if there is
}

// Reports opens an engine so that its failed calls name causes at ranks of other processes, and theirs at it. All ranks
// use it. As others may ask at any time, Engine.Trace and Engine.Activity take the place of those of the Platform. The
// process of rank 0 passes reports on: after it has closed its world, no rank gets any. Therefore, if it has asked for
// some itself, Close waits there until those ranks have left that are in a call, or whose last one has failed; at most
// the limit for remote ranks, within which calls fail.
func (w *World) Reports() accl.OpenOption {
	return accl.WithReports(w.report, func(own func(context.Context) (accl.Report, error)) {
		w.Answer(reports, func(ctx context.Context, _ []byte) ([]byte, error) {
			r, err := own(ctx)
			if err != nil {
				return json.Marshal(said{Failed: clean(err.Error())})
			}
			return json.Marshal(said{Report: r})
		})
	})
}

// report asks a rank for its report.
func (w *World) report(ctx context.Context, rank int) (accl.Report, error) {
	late := fmt.Errorf("its process has given no report within %v", answerLimit)
	ctx, cancel := context.WithTimeoutCause(ctx, answerLimit, late)
	defer cancel()
	text, err := w.Ask(ctx, rank, reports, nil)
	var s said
	e, is := errors.AsType[*Error](err)
	switch {
	case errors.Is(err, ErrOption), errors.Is(err, ErrAnswer), errors.Is(err, ErrClosed):
		return s.Report, fmt.Errorf("%w: %w", accl.ErrNotAsked, err) // that is nothing about the rank
	case is && e.Rank != rank:
		return s.Report, fmt.Errorf("rank %d, through which it is asked, has left", e.Rank)
	case is:
		return s.Report, errors.New(e.Reason) // who reads it knows the rank
	case err != nil:
		return s.Report, err
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return s.Report, fmt.Errorf("its report: %w", err)
	}
	if s.Failed != "" {
		return s.Report, errors.New(clean(s.Failed))
	}
	return s.Report, nil
}

// stay passes on questions of others after a call of rank 0 has failed. Who waits for rank 0 hears that it has left.
func (w *World) stay() {
	w.mu.Lock()
	failed := w.hub != nil && w.asked > 0
	w.mu.Unlock()
	if !failed {
		return
	}
	all := make([]accl.Report, w.o.Size)
	var group sync.WaitGroup
	for rank := 1; rank < len(all); rank++ {
		group.Go(func() { all[rank], _ = w.report(w.life, rank) })
	}
	group.Wait()
	w.hub.hear(w.hub.peers[0], frameGoodbye, nil)
	for rank, r := range all {
		if r.Busy || r.LastCode != 0 {
			group.Go(func() {
				select {
				case <-w.hub.peers[rank].left:
				case <-time.After(r.Limit + answerLimit):
				}
			})
		}
	}
	group.Wait()
}
