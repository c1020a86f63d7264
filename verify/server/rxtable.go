package server

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/platforms"
)

// rxTable is how clients of a generation describe rx buffers.
type rxTable struct {
	generation  string
	count       uint32 // offset of the number of buffers
	size        uint32 // offset of their size, if maxLen is negative
	first, step uint32 // offset of the first record, and bytes of each
	end         uint32 // offset that the table cannot exceed
	status      uint32 // offset in a record
	maxLen      int    // offset in a record, or -1: all have the same size
	states      []uint32
	smallest    uint32 // bytes that a buffer needs to be of use: an element
}

func newRxTable(g *abi.Generation) (*rxTable, error) {
	m, states := g.Memory(abi.Exchange), g.Enum("rx_status")
	if m == nil || m.Table(abi.RxBuffers) == nil || states == nil {
		return nil, fmt.Errorf("%s does not describe rx buffers", g.Name)
	}
	at := m.Table(abi.RxBuffers)
	t := &rxTable{generation: g.Name, first: at.At + at.HeaderBytes(), step: at.RecordBytes(), end: m.TableLimit()}
	count, status := abi.Offset(at.Header, "count"), abi.Offset(at.Record, "status")
	size := abi.Offset(at.Header, "size")
	t.maxLen = abi.Offset(at.Record, "max_len")
	if count < 0 || status < 0 || size < 0 && t.maxLen < 0 {
		return nil, fmt.Errorf("the rx buffers of %s lack a count, a status or a size", g.Name)
	}
	t.count, t.size, t.status = at.At+uint32(count), at.At+uint32(max(size, 0)), uint32(status)
	for _, v := range states.Values {
		t.states = append(t.states, v.Value)
	}
	for _, e := range g.Types {
		t.smallest = max(t.smallest, uint32(e.Bytes))
	}
	return t, nil
}

// check returns why what stands in the exchange memory is no table of the
// generation.
func (t *rxTable) check(word func(offset uint32) (uint32, bool)) error {
	count, ok := word(t.count)
	if most := (t.end - t.first) / t.step; !ok || count == 0 || count > most {
		return fmt.Errorf("the number of buffers at 0x%X is %d; 1 to %d expected", t.count, count, most)
	}
	for i := range count {
		record := t.first + i*t.step
		status, ok := word(record + t.status)
		if !ok || !slices.Contains(t.states, status) {
			return fmt.Errorf("the status of buffer %d at 0x%X is %d; one of %d expected", i, record+t.status, status, t.states)
		}
		at := t.size
		if t.maxLen >= 0 {
			at = record + uint32(t.maxLen)
		}
		if size, ok := word(at); !ok || size < t.smallest {
			return fmt.Errorf("the size of buffer %d at 0x%X is %d; at least %d bytes expected", i, at, size, t.smallest)
		}
	}
	return nil
}

// generations are all that there are clients of, by their names.
var generations = sync.OnceValues(func() ([]*abi.Generation, error) {
	lib, diags := platform.NewLibrary(lang.NewParser(), platforms.FS)
	if diags.HasErrors() {
		return nil, &lang.DiagnosticsError{Diags: diags}
	}
	var all []*abi.Generation
	for _, name := range slices.Sorted(maps.Keys(lib.ABIs)) {
		all = append(all, lib.ABIs[name])
	}
	return all, nil
})

// shipped are their tables.
var shipped = sync.OnceValues(func() ([]*rxTable, error) {
	all, err := generations()
	if err != nil {
		return nil, err
	}
	var tables []*rxTable
	var errs []error
	for _, g := range all {
		t, err := newRxTable(g)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		tables = append(tables, t)
	}
	return tables, errors.Join(errs...)
})

// foreignTable names the generation whose table of rx buffers the exchange
// memory holds instead of one of this generation, and says why it is not one of
// this. If it holds neither, the engine refuses it by itself.
func (g *generation) foreignTable(word func(offset uint32) (uint32, bool)) string {
	problem := g.rx.check(word)
	if problem == nil {
		return ""
	}
	tables, err := shipped()
	if err != nil {
		return ""
	}
	for _, t := range tables {
		if t.generation != g.name && t.check(word) == nil {
			return fmt.Sprintf("clients of %s do (read as a table of %s, %v)", t.generation, g.name, problem)
		}
	}
	return ""
}
