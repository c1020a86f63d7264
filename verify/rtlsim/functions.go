package rtlsim

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/ebitengine/purego"
)

// functions are the C API of a Verilated platform (shell/*.cpp). A model may be
// used by one goroutine at a time. Recordings hold the calls of those that change a
// model (shapes): a number is how many bytes each element has of what the
// function is given or gives.
type functions struct {
	Open  func(arguments string, seed uint64, flags uint32) uintptr                    `c:"sim_open"`
	Close func(model uintptr)                                                          `c:"sim_close"`
	Run   func(model uintptr, cycles uint64, cycle *uint64) uint64                     `c:"sim_run" record:""`
	Error func(model uintptr, text *byte, size uint64) uint64                          `c:"sim_error"`
	Trace func(model uintptr, file, scope string, levels int32, from, to uint64) int32 `c:"sim_trace"`
	Place func(model uintptr, engine int32, words *uint32,
		count uint64) `c:"sim_calls_place" record:"given 4"`
	Take func(model uintptr, engine int32,
		answer *uint32) int32 `c:"sim_calls_take" record:""`
	Start func(model uintptr, port int32, write int32, address,
		data uint32) `c:"sim_axil_start" record:""`
	End   func(model uintptr, port int32, data, response *uint32) int32 `c:"sim_axil_take" record:""`
	Await func(model uintptr, port int32, address,
		mask uint32) `c:"sim_axil_await" record:""`
	Cancel func(model uintptr,
		port int32) `c:"sim_axil_cancel" record:""`
	Halt  func(model uintptr, engine int32, cause, pc *uint32) int32 `c:"sim_probe_halt"`
	Words func(model uintptr, engine int32, words *uint32,
		count uint64) uint64 `c:"sim_probe_words" record:"taken 4"`
	Move func(model uintptr, engine int32, cycle *uint64, fields *[issueWords]uint32) int32 `c:"sim_probe_move" record:""`

	Account func(model uintptr, engine int32, ended *uint64, counts *[accountWords]uint32) int32 `c:"sim_account_take"`

	KernelMirror func(model uintptr, component, others, space int32, address,
		bytes uint64) `c:"sim_hls_mirror" record:""`
	KernelState func(model uintptr, component int32, doing *uint32, port *int32, calls *uint64) `c:"sim_hls_state"`
	KernelText  func(model uintptr, component int32, text *byte, size uint64) uint64            `c:"sim_hls_text"`
	KernelBeats func(model uintptr, component int32, port uint32) uint64                        `c:"sim_hls_beats"`

	KernelLimit func(model uintptr, engine int32,
		beats uint64) `c:"sim_kernel_limit" record:""`
	KernelPush func(model uintptr, engine int32, tdest uint32, data *byte, beats uint64,
		last int32) uint64 `c:"sim_kernel_push" record:"given 64"`
	KernelPull func(model uintptr, engine int32, data *byte, beats uint64,
		tdest *uint32) uint64 `c:"sim_kernel_pull" record:"taken 64"`

	MemoryRead  func(model uintptr, space int32, address uint64, to *byte, bytes uint64) int32 `c:"sim_memory_read"`
	MemoryWrite func(model uintptr, space int32, address uint64, from *byte,
		bytes uint64) int32 `c:"sim_memory_write" record:"given 1"`
	MemoryWritten func(model uintptr, space int32, address uint64) uint64        `c:"sim_memory_written"`
	MemoryLimit   func(model uintptr, space int32, bytes uint64)                 `c:"sim_memory_limit" record:""`
	MemoryLatency func(model uintptr, space int32, cycles, jitter uint32)        `c:"sim_memory_latency" record:""`
	MemoryStall   func(model uintptr, space int32, perMille, longest uint32)     `c:"sim_memory_stall" record:""`
	MemoryError   func(model uintptr, space int32, from, to uint64, kind uint32) `c:"sim_memory_error" record:""`

	NetworkPop func(model uintptr, poe int32, meta *[chunkWords]uint64, data *byte,
		size uint64) int64 `c:"sim_network_pop" record:"taken 1"`
	NetworkPush func(model uintptr, poe int32, session uint32, data *byte,
		bytes uint64) int32 `c:"sim_network_push" record:"given 1"`
	NetworkRoom func(model uintptr, poe int32,
		session uint32) int32 `c:"sim_network_room"`
	NetworkRequest func(model uintptr, poe int32, kind, ip,
		port *uint64) int32 `c:"sim_network_request" record:""`
	NetworkAnswer func(model uintptr, poe int32, kind uint64, session uint32,
		ok int32) `c:"sim_network_answer" record:""`
	NetworkWindow func(model uintptr, poe int32, session uint32,
		bytes uint64) `c:"sim_network_window" record:""`
	NetworkClosed func(model uintptr, poe int32,
		session uint32) `c:"sim_network_closed" record:""`
	NetworkShape func(model uintptr, poe int32, latency, jitter, pauses, refusals uint32,
		seed uint64) `c:"sim_network_shape" record:""`
}

// What records of the C API hold.
const (
	issueWords = 32 // of an issued move
	chunkWords = 6  // about a chunk of the network
)

// Bits of what Run answers: what there is to look at.
const (
	statusIdle uint64 = 1 << iota // nothing will happen before the host does something
	statusHalted
	statusFailed
	statusAnswered
	statusAccessed
	statusSent
	_ // kept free
	statusTraced
	statusIssued
)

// optional begin the names of what a model without a network engine lacks, or one
// of an older recording.
var optional = []string{"sim_network_", "sim_hls_", "sim_axil_await", "sim_axil_cancel", "sim_account_"}

var (
	loadedLock sync.Mutex
	loaded     = map[string]*functions{}
)

// load opens a library; it stays open, because others may use it.
func load(path string) (*functions, error) {
	loadedLock.Lock()
	defer loadedLock.Unlock()
	if f := loaded[path]; f != nil {
		return f, nil
	}
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("load the simulation: %w", err)
	}
	f := &functions{}
	v := reflect.ValueOf(f).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("c")
		symbol, err := purego.Dlsym(handle, name)
		if err != nil && slices.ContainsFunc(optional, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("load the simulation: %w", err)
		}
		purego.RegisterFunc(v.Field(i).Addr().Interface(), symbol)
	}
	loaded[path] = f
	return f, nil
}
