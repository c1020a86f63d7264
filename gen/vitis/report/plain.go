package report

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// plainLines writes a line for each thing worth one.
type plainLines struct {
	mu    sync.Mutex
	out   firstError
	o     DisplayOptions
	state *state
	told  map[string]time.Time // when the stage of a step was last told
	last  time.Time            // when anything was
	stop  func()
	done  chan struct{}
	ended bool
	end   sync.WaitGroup
}

// NewPlain writes lines to w: what begins and ends at once, stages at most every
// DisplayOptions.Every for each step, and that something still runs after
// DisplayOptions.Heartbeat of silence.
func NewPlain(w io.Writer, o DisplayOptions) Display {
	stop := o.complete(time.Second)
	now := o.Now()
	p := &plainLines{out: firstError{w: w}, o: o, state: newState(now), told: map[string]time.Time{},
		last: now, stop: stop,
		done: make(chan struct{})}
	p.end.Add(1)
	go p.watch()
	return p
}

func (p *plainLines) watch() {
	defer p.end.Done()
	for {
		select {
		case <-p.done:
			return
		case _, ok := <-p.o.Tick:
			if !ok {
				return
			}
			p.mu.Lock()
			p.beat()
			p.mu.Unlock()
		}
	}
}

// beat tells that something still runs.
func (p *plainLines) beat() {
	now := p.o.Now()
	active := p.state.active()
	if len(active) == 0 || now.Sub(p.last) < p.o.Heartbeat {
		return
	}
	var parts []string
	for _, t := range active {
		parts = append(parts, phrase(t, now))
	}
	p.line(now, strings.Join(parts, "; ")+" ("+p.state.total(now)+")")
}

// phrase says in a few words what a step does.
func phrase(t *task, now time.Time) string {
	if !t.running() {
		return t.name + " waits"
	}
	text := t.name + " runs for " + duration(now.Sub(t.begin).Truncate(time.Second))
	if t.stage != "" {
		text += ", " + t.stage
	}
	if t.expected > 0 {
		text += ", took " + rough(t.expected) + " before"
	}
	return text
}

func (p *plainLines) line(now time.Time, text string) {
	fmt.Fprintf(&p.out, "%s  %s\n", now.Format("15:04:05"), text)
	p.last = now
}

// Event implements Display.
func (p *plainLines) Event(e step.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.state.take(e)
	if t == nil || p.ended {
		return
	}
	now := p.o.Now()
	switch e.Kind {
	case step.Planned:
	case step.Waiting:
		p.line(now, t.name+": waits"+prefixed(": ", t.stage))
	case step.Started:
		text := t.name + ": started" + prefixed(" on ", t.where)
		if t.expected > 0 {
			text += ", took " + rough(t.expected) + " before"
		}
		p.line(now, text)
		delete(p.told, t.step.ID)
	case step.Stage:
		if last, told := p.told[t.step.ID]; !told || now.Sub(last) >= p.o.Every {
			p.told[t.step.ID] = now
			p.line(now, t.name+": "+t.stage)
		}
	default:
		if text := ending(t, e); text != "" {
			p.line(now, text)
		}
	}
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// Close implements Display.
func (p *plainLines) Close() error {
	p.mu.Lock()
	if !p.ended {
		p.ended = true
		close(p.done)
		p.stop()
		if len(p.state.list) > 0 {
			now := p.o.Now()
			p.line(now, p.state.total(now))
		}
	}
	p.mu.Unlock()
	p.end.Wait()
	return p.out.err
}
