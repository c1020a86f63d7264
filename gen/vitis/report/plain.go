package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// plainLines writes a line for each thing worth one.
type plainLines struct {
	ticking
	told map[string]time.Time // when the stage of a step was last told
	last time.Time            // when anything was
}

// NewPlain writes lines to w: starts and ends at once, stages at most every
// DisplayOptions.Every for each step, and a sign of life after DisplayOptions.Heartbeat
// of silence.
func NewPlain(w io.Writer, o DisplayOptions) Display {
	p := &plainLines{told: map[string]time.Time{}}
	p.start(w, o, time.Second, p.beat)
	return p
}

// beat tells that something still runs.
func (p *plainLines) beat() {
	now := p.o.Now()
	active := p.state.active()
	if len(active) == 0 || now.Sub(cmp.Or(p.last, p.state.begin)) < p.o.Heartbeat {
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
	return p.close(func(total []string) {
		for _, text := range total {
			p.line(p.o.Now(), text)
		}
	})
}
