package simtest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/cclforge/cclforge/verify/internal/report"
	"github.com/cclforge/cclforge/verify/rtlsim"
)

// pending is the test of which there are to be waveforms when all tests have ended.
type pending struct {
	mu      sync.Mutex
	awaited bool // somebody makes them then
	test    string
	files   []string
}

var later pending

// take notes the files of a test; false if nobody makes waveforms of them.
func (p *pending) take(test string, files []string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.awaited || p.files != nil {
		return false
	}
	p.test, p.files = test, files
	return true
}

// Main runs the tests of a package, and makes waveforms of the first that has failed, if
// that has recorded cards and there is time left. It is for TestMain.
func Main(m interface{ Run() int }) (code int) {
	began := time.Now()
	later.awaited = true
	code = m.Run()
	ctx := context.Background()
	if limit := timeout(); limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, began.Add(limit))
		defer cancel()
	}
	later.make(ctx, os.Stdout)
	return code
}

// timeout is that of all tests, 0 for none.
func timeout() time.Duration {
	if f := flag.Lookup("test.timeout"); f != nil {
		if d, ok := f.Value.(flag.Getter).Get().(time.Duration); ok {
			return d
		}
	}
	return 0
}

// make makes waveforms.
func (p *pending) make(ctx context.Context, out io.Writer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.files) == 0 {
		return
	}
	fmt.Fprintf(out, "waveforms of %s, of which these are the last cycles:\n", p.test)
	for _, file := range p.files {
		err := p.replay(ctx, file, out)
		if err != nil {
			fmt.Fprintf(out, "  %v\n", err)
		}
		if ctx.Err() != nil {
			fmt.Fprintln(out, "  the time for tests is over; replay makes the others")
			return
		}
		if err != nil && !errors.Is(err, rtlsim.ErrDiverged) {
			return // as it would be for the others
		}
	}
}

func (p *pending) replay(ctx context.Context, file string, out io.Writer) error {
	r, err := rtlsim.ReadRecording(file)
	if err != nil {
		return err
	}
	began := time.Now()
	wave := strings.TrimSuffix(file, recordingSuffix) + waveSuffix
	window := rtlsim.Trace{File: wave, From: r.Cycles - min(r.Cycles, *cyclesFlag), To: r.Cycles}
	w, err := r.Replay(report.With(ctx, report.Lines(out)), window)
	if err == nil || errors.Is(err, rtlsim.ErrDiverged) && w.To > w.From {
		fmt.Fprintf(out, "  %s: cycles %d to %d, after %.0f s\n", wave, w.From, w.To, time.Since(began).Seconds())
	}
	return err
}
