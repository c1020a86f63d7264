package bringup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

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
// process of rank 0 passes reports on: after it has closed its world, no rank gets any.
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
