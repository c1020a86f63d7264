package rx

import "slices"

// removeNone asks for a message to be removed that is not there: another one has its
// key, or none has. Nothing is removed.
func (x *matcher) removeNone(w wanted) error {
	b, r := x.b, x.r
	k := key{w.session, w.rank, r.Uint64() & 0xFFFFFFFF}
	if notes := x.model.notes; len(notes) > 0 && r.IntN(2) == 0 {
		k = notes[r.IntN(len(notes))].key
	}
	number := r.Uint64N(256)
	for slices.ContainsFunc(x.model.notes, func(o note) bool { return o.number == number }) {
		number = r.Uint64N(256)
	}
	b.Set("remove_number", number)
	b.Set("remove_session", k.session)
	b.Set("remove_src", k.src)
	b.Set("remove_seq", k.seq)
	return x.hold("remove_valid", "remove_done")
}
