package sim

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/ebitengine/purego"
)

// functions are the C API of a Verilated platform (shell/*.cpp). A model may be
// used by one goroutine at a time.
type functions struct {
	Open  func(arguments string, seed uint64, flags uint32) uintptr                          `c:"sim_open"`
	Close func(model uintptr)                                                                `c:"sim_close"`
	Run   func(model uintptr, cycles uint64, cycle *uint64) uint64                           `c:"sim_run"`
	Error func(model uintptr, text *byte, size uint64) uint64                                `c:"sim_error"`
	Trace func(model uintptr, file, scope string, levels int32, from, to uint64) int32       `c:"sim_trace"`
	Place func(model uintptr, engine int32, words *uint32, count uint64)                     `c:"sim_calls_place"`
	Take  func(model uintptr, engine int32, answer *uint32) int32                            `c:"sim_calls_take"`
	Start func(model uintptr, port int32, write int32, address, data uint32)                 `c:"sim_axil_start"`
	End   func(model uintptr, port int32, data, response *uint32) int32                      `c:"sim_axil_take"`
	Halt  func(model uintptr, engine int32, cause, pc *uint32) int32                         `c:"sim_probe_halt"`
	Words func(model uintptr, engine int32, words *uint32, count uint64) uint64              `c:"sim_probe_words"`
	Move  func(model uintptr, engine int32, cycle *uint64, fields *[issueWords]uint32) int32 `c:"sim_probe_move"`

	KernelLimit func(model uintptr, engine int32, beats uint64)                                              `c:"sim_kernel_limit"`
	KernelPush  func(model uintptr, engine int32, tdest uint32, data *byte, beats uint64, last int32) uint64 `c:"sim_kernel_push"`
	KernelPull  func(model uintptr, engine int32, data *byte, beats uint64, tdest *uint32) uint64            `c:"sim_kernel_pull"`

	MemoryRead    func(model uintptr, space int32, address uint64, to *byte, bytes uint64) int32   `c:"sim_memory_read"`
	MemoryWrite   func(model uintptr, space int32, address uint64, from *byte, bytes uint64) int32 `c:"sim_memory_write"`
	MemoryLimit   func(model uintptr, space int32, bytes uint64)                                   `c:"sim_memory_limit"`
	MemoryLatency func(model uintptr, space int32, cycles, jitter uint32)                          `c:"sim_memory_latency"`
	MemoryStall   func(model uintptr, space int32, perMille, longest uint32)                       `c:"sim_memory_stall"`
	MemoryError   func(model uintptr, space int32, from, to uint64, kind uint32)                   `c:"sim_memory_error"`

	NetworkPop     func(model uintptr, poe int32, meta *[chunkWords]uint64, data *byte, size uint64) int64 `c:"sim_network_pop"`
	NetworkPush    func(model uintptr, poe int32, session uint32, data *byte, bytes uint64) int32          `c:"sim_network_push"`
	NetworkRoom    func(model uintptr, poe int32, session uint32) int32                                    `c:"sim_network_room"`
	NetworkRequest func(model uintptr, poe int32, kind, ip, port *uint64) int32                            `c:"sim_network_request"`
	NetworkAnswer  func(model uintptr, poe int32, kind uint64, session uint32, ok int32)                   `c:"sim_network_answer"`
	NetworkWindow  func(model uintptr, poe int32, session uint32, bytes uint64)                            `c:"sim_network_window"`
	NetworkClosed  func(model uintptr, poe int32, session uint32)                                          `c:"sim_network_closed"`
	NetworkShape   func(model uintptr, poe int32, latency, jitter, pauses, refusals uint32, seed uint64)   `c:"sim_network_shape"`
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
		if err != nil && strings.HasPrefix(name, "sim_network_") {
			continue // a model without a network engine
		}
		if err != nil {
			return nil, fmt.Errorf("load the simulation: %w", err)
		}
		purego.RegisterFunc(v.Field(i).Addr().Interface(), symbol)
	}
	loaded[path] = f
	return f, nil
}
