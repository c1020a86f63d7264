package verilate

import (
	"slices"
	"strings"
)

// stream is what is offered with a valid until somebody takes it.
type stream struct {
	name    string // of valid, without that word
	valid   string // expressions in the module
	taken   string
	payload []string // signals that have to stay as they are
	keep    string   // which bytes count, empty if nobody says
	last    string
	lanes   bool // several streams side by side
}

// streamOf is the stream of a signal that says valid, if somebody can make it wait.
func (m *module) streamOf(valid signal) (stream, bool) {
	if s, ok := m.request(valid); ok {
		return s, true
	}
	stem, ok := strings.CutSuffix(valid.name, "valid")
	if !ok || strings.HasPrefix(valid.name, "_unused") {
		return stream{}, false
	}
	s := stream{name: strings.TrimSuffix(stem, "_"), valid: valid.name, lanes: valid.vector}
	taken, ok := m.signal(stem + "ready")
	if !ok || !opposite(valid.direction, taken.direction) {
		return stream{}, false
	}
	s.taken = taken.name
	for _, other := range m.signals {
		if other.direction != valid.direction || !m.belongs(other.name, stem) {
			continue
		}
		s.payload = append(s.payload, other.name)
		switch strings.TrimPrefix(other.name, stem) {
		case "keep":
			s.keep = other.name
		case "last":
			s.last = other.name
		}
	}
	return s, true
}

// belongs tells whether a signal is payload of the stream with a stem: of no other
// that has a longer one.
func (m *module) belongs(name, stem string) bool {
	if stem == "" {
		return false
	}
	if name == strings.TrimSuffix(stem, "_") {
		return true
	}
	rest, ok := strings.CutPrefix(name, stem)
	if !ok || rest == "valid" || rest == "ready" {
		return false
	}
	for _, other := range m.signals {
		longer, ok := strings.CutSuffix(other.name, "valid")
		if ok && len(longer) > len(stem) && strings.HasPrefix(longer, stem) &&
			(strings.HasPrefix(name, longer) || name == strings.TrimSuffix(longer, "_")) {
			return false
		}
	}
	return true
}

func opposite(a, b string) bool {
	return a == "input" && b == "output" || a == "output" && b == "input"
}

// request is what a struct asks until another one says that it is done.
func (m *module) request(of signal) (stream, bool) {
	if !strings.HasSuffix(of.typ, "_request_t") || !strings.Contains(of.name, "request") {
		return stream{}, false
	}
	response, ok := m.signal(strings.Replace(of.name, "request", "response", 1))
	if !ok || !opposite(of.direction, response.direction) {
		return stream{}, false
	}
	done := ".done"
	if strings.HasSuffix(of.typ, "reg_request_t") {
		done = ".ready"
	}
	return stream{name: of.name, valid: of.name + ".valid", taken: response.name + done, payload: []string{of.name}}, true
}

// streams are those that a module offers at its ports. What an instance in it offers
// is looked at there.
func (m *module) streams(all map[string]*module) []stream {
	var list []stream
	for _, valid := range m.signals {
		s, ok := m.streamOf(valid)
		if !ok || valid.direction != "output" {
			continue
		}
		if below, offered := m.below(valid.name, all); offered {
			s.payload = slices.DeleteFunc(s.payload, func(name string) bool { return slices.Contains(below.payload, name) })
			if slices.Contains(below.payload, s.keep) && below.keep != "" {
				s.keep = ""
			}
			if len(s.payload) == 0 && s.keep == "" {
				continue
			}
		}
		list = append(list, s)
	}
	return list
}

// below is the stream of an instance that is one of the module with a valid of that
// name, as the signals of the module that it drives.
func (m *module) below(valid string, all map[string]*module) (stream, bool) {
	for _, i := range m.instances {
		of := all[i.module]
		if of == nil {
			continue
		}
		if clock, reset := of.times(); clock == "" || reset == "" { // wires: nothing is looked at there
			continue
		}
		for _, port := range of.signals {
			if port.direction != "output" || !slices.Contains(i.drives(port.name), valid) {
				continue
			}
			s, ok := of.streamOf(port)
			if !ok {
				continue
			}
			var driven []string
			for _, p := range s.payload {
				driven = append(driven, i.drives(p)...)
			}
			s.payload = driven
			return s, true
		}
	}
	return stream{}, false
}

// drives are the signals at a port of an instance.
func (i instance) drives(port string) []string {
	at, ok := i.pins[port]
	if !ok && i.rest {
		return []string{port}
	}
	return words.FindAllString(ranges.ReplaceAllString(at, ""), -1)
}
