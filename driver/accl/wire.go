package accl

import (
	"errors"
	"fmt"
	"slices"
)

// configOperation is the operation that configures an engine.
const configOperation = "config"

// Config functions, by name.
const (
	resetPeriph       = "reset_periph"
	enablePkt         = "enable_pkt"
	setTimeout        = "set_timeout"
	openPort          = "open_port"
	openCon           = "open_con"
	setStackType      = "set_stack_type"
	setMaxSegmentSize = "set_max_segment_size"
	setMaxEager       = "set_max_eager_msg_size"
	setMaxRendezvous  = "set_max_rendezvous_msg_size"
	recoverComm       = "recover"
	ownPeers          = "own_peers"
)

// number is a number that an interface version may lack.
type number struct {
	value uint32
	ok    bool
}

// wire holds the numbers of an interface version that the driver uses, looked up by name
// once.
type wire struct {
	config  uint32            // operation
	configs map[string]uint32 // config functions

	hardwareID  number
	configReady number
	counter     number
	scratch     []uint32 // offsets of the words with addresses of scratch buffers
	words       map[string]uint32

	rx, communicators, arithmetic table
}

// table is a table whose words are found by name.
type table struct {
	at             uint32
	header, record []string
}

func (t table) headerBytes() uint32 { return 4 * uint32(len(t.header)) }
func (t table) recordBytes() uint32 { return 4 * uint32(len(t.record)) }

// place is the offset of a record of a table at an offset.
func (t table) place(at uint32, record int) uint32 {
	return at + t.headerBytes() + uint32(record)*t.recordBytes()
}

// bytes is the size of the table with a number of records.
func (t table) bytes(records int) uint64 {
	return uint64(t.headerBytes()) + uint64(records)*uint64(t.recordBytes())
}

// newWire looks up all numbers. The error lists those that are missing, and words that the
// driver does not know how to fill.
func newWire(p *Platform) (*wire, error) {
	w := &wire{configs: map[string]uint32{}, words: map[string]uint32{}}
	for _, c := range p.ConfigFunctions {
		w.configs[c.Name] = c.Value
	}
	var errs []error
	missing := func(what, name string) {
		errs = append(errs, fmt.Errorf("it has no %s %q", what, name))
	}
	for _, name := range []string{resetPeriph, enablePkt, setTimeout} {
		if _, ok := w.configs[name]; !ok {
			missing("config function", name)
		}
	}
	if config := p.Operation(configOperation); config != nil {
		w.config = config.Value
	} else {
		missing("operation", configOperation)
	}
	for _, word := range p.Exchange.Words {
		w.words[word.Name] = word.At
		at := number{word.At, true}
		switch word.Name {
		case "hardware_id":
			w.hardwareID = at
		case "config_ready":
			w.configReady = at
		case "performance_counter":
			w.counter = at
		case "scratch":
			for i := range word.Count {
				w.scratch = append(w.scratch, word.At+uint32(i*word.Bits/8))
			}
		}
	}
	if !w.hardwareID.ok {
		missing("word", "hardware_id")
	}
	if p.Features.ConfigReady && !w.configReady.ok {
		missing("word", "config_ready")
	}
	for _, t := range []struct {
		name           string
		table          *table
		needed, filled []string
	}{
		{"rx_buffers", &w.rx, []string{"count", "addrl", "addrh"}, nil},
		{"communicators", &w.communicators, []string{"size", "local_rank", "ip", "port", "session", "max_segment_len"}, nil},
		{"arithmetic_configurations", &w.arithmetic, []string{"nfunctions", "tdest"}, arithWords},
	} {
		i := slices.IndexFunc(p.Exchange.Tables, func(known Table) bool { return known.Name == t.name })
		if i < 0 {
			missing("table", t.name)
			continue
		}
		known := p.Exchange.Tables[i]
		*t.table = table{known.At, known.Header, known.Record}
		all := slices.Concat(known.Header, known.Record)
		for _, name := range t.needed {
			if !slices.Contains(all, name) {
				missing("word of the table "+t.name, name)
			}
		}
		for _, name := range all {
			if t.filled != nil && !slices.Contains(t.filled, name) {
				errs = append(errs, fmt.Errorf("nothing is known about the word %q of its table %s", name, t.name))
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("use the interface generation %q: %w", p.Generation, err)
	}
	return w, nil
}

func lookup(codes []Code, name string) number {
	for _, c := range codes {
		if c.Name == name {
			return number{c.Value, true}
		}
	}
	return number{}
}

// nameOf is the name of a code, or the code itself.
func nameOf(codes []Code, value uint32) string {
	for _, c := range codes {
		if c.Value == value {
			return c.Name
		}
	}
	return fmt.Sprint(value)
}

// arithWords are the words of an arithmetic configuration that arithValues
// knows.
var arithWords = []string{
	"uncompressed_bytes", "compressed_bytes", "elem_ratio_log", "compressor_tdest", "decompressor_tdest",
	"nfunctions", "arith_is_compressed", "tdest",
}

// arithValues are the words of a configuration in the order of its table.
func (w *wire) arithValues(c ArithConfig) []uint32 {
	header := map[string]uint32{
		"uncompressed_bytes": uint32(c.UncompressedBytes),
		"compressed_bytes":   uint32(c.CompressedBytes),
		"elem_ratio_log":     uint32(c.RatioLog),
		"compressor_tdest":   uint32(c.CompressorTDEST),
		"decompressor_tdest": uint32(c.DecompressorTDEST),
		"nfunctions":         uint32(len(c.FunctionTDEST)),
	}
	if c.ArithmeticIsCompressed {
		header["arith_is_compressed"] = 1
	}
	var words []uint32
	for _, name := range w.arithmetic.header {
		words = append(words, header[name])
	}
	for _, tdest := range c.FunctionTDEST {
		words = append(words, uint32(tdest))
	}
	return words
}
