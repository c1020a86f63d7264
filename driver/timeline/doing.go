package timeline

import "fmt"

// config is the operation by which hosts configure engines, also at the end of programs.
const config = "config"

// Doing says in a line which call a rank is in and what that waits for, or which one was its last, as
// far as its events tell; a configuration that has ended is none. Ranks are those of the call's communicator.
func (t *Timeline) Doing(rank int) string {
	var call, waits *Span
	for i := range t.Spans {
		switch s := &t.Spans[i]; {
		case s.Rank != rank:
		case s.Kind == CallSpan && call != nil && s.Name == config && !s.Open:
		case s.Kind == CallSpan:
			call, waits = s, nil
		case s.Kind == MoveSpan && s.Open && s.For >= 0 && waits == nil:
			waits = s
		}
	}
	events := t.Ranks[rank].Events
	switch {
	case call == nil:
		return "no call is among these events"
	case call.Open && call.End < events[len(events)-1].At:
		return fmt.Sprintf("the end of its last call, %s, was lost", call.Name)
	case call.Open && waits != nil:
		return fmt.Sprintf("in %s, which waits for rank %d (%s)", call.Name, waits.For, waits.Name)
	case call.Open:
		return "in " + call.Name
	case call.Error != "":
		return fmt.Sprintf("in no call; the last one, %s, has failed with %s", call.Name, call.Error)
	}
	return fmt.Sprintf("in no call; the last one, %s, has ended", call.Name)
}
