package rtlsim

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"

	"github.com/cclforge/cclforge/gen/design"
)

// ErrNotRecorded says that there is nothing in a recorder.
var ErrNotRecorded = errors.New("nothing was recorded of the card")

// Recorder records what is done to a card (Options.Record), so that Recording.Replay
// does it again. A card that is idle adds nothing. All methods may be called
// concurrently.
type Recorder struct {
	mu      sync.Mutex
	head    *head    // nil before the card is opened
	kernels []string // paths of libraries
	tape    tape
	cycle   uint64
	line    []byte
}

// NewRecorder returns a recorder for one card.
func NewRecorder() *Recorder { return &Recorder{tape: tape{most: mostRecorded}} }

// begin records how a card is opened, and returns functions that record.
func (r *Recorder) begin(c *Card, flags uint32) (*functions, error) {
	from, err := originOf(c.o.Library, c.d, c.o.Build)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.head != nil {
		return nil, errors.New("a recorder is for one card")
	}
	arguments, kernels := withoutKernels(strings.Replace(c.arguments(), c.firmware, firmwareHere, 1), c.components)
	r.kernels = kernels
	r.head = &head{
		Platform: c.d.Platform.Name, Calls: shapeNames(), Origin: from,
		Arguments: arguments, Image: c.o.Image, Seed: c.o.Seed, Flags: flags,
	}
	own := *c.f
	fields := reflect.ValueOf(&own).Elem()
	for i, s := range shapes {
		do := reflect.ValueOf(c.f).Elem().Field(i)
		if s == nil || do.IsNil() {
			continue
		}
		fields.Field(i).Set(reflect.MakeFunc(s.kind, func(args []reflect.Value) []reflect.Value {
			results := do.Call(args)
			if !s.idle(args, results) {
				r.add(byte(i), s, args, results)
			}
			return results
		}))
	}
	return &own, nil
}

// add records a call.
func (r *Recorder) add(op byte, s *shape, args, results []reflect.Value) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.line = s.append(append(r.line[:0], op), args, results)
	r.tape.add(r.line)
	if cap(r.line) > inMemory {
		r.line = nil
	}
	if s.name == runName {
		r.cycle = args[2].Elem().Uint()
	}
}

// Cycle is how many cycles of the card there are in the recording.
func (r *Recorder) Cycle() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cycle
}

// Save writes what was recorded so far to a file, with the sources of the hardware.
// The errors are ErrNotRecorded, ErrTooLong, or of files.
func (r *Recorder) Save(name string) error {
	if err := r.save(name); err != nil {
		return fmt.Errorf("save the recording %s: %w", name, err)
	}
	return nil
}

func (r *Recorder) save(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.head == nil {
		return ErrNotRecorded
	}
	content, err := r.tape.content()
	if err != nil {
		return err
	}
	h := *r.head
	h.Cycles = r.cycle
	if h.Sources, err = readFiles(h.Origin.sources); err != nil {
		return err
	}
	if h.Shell, err = readFiles(h.Origin.shell); err != nil {
		return err
	}
	for _, path := range r.kernels {
		library, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		h.Kernels = append(h.Kernels, library)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), "recording-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := errors.Join(writeRecording(f, &h, content), f.Close()); err != nil {
		return err
	}
	if err := os.Chmod(f.Name(), 0o644); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// origin is what a library was built of.
type origin struct {
	Params         map[string]string
	Careful        bool
	sources, shell []string // paths
}

var (
	originsLock sync.Mutex
	origins     = map[string]origin{} // by the paths of libraries that this process has asked for
)

// originOf is what a library was built of: of the design, if nobody has asked for it
// in this process.
func originOf(library string, d *design.Design, b Build) (origin, error) {
	originsLock.Lock()
	from, ok := origins[library]
	originsLock.Unlock()
	if ok {
		return from, nil
	}
	paths, err := sources(d)
	if err != nil {
		return origin{}, err
	}
	return newOrigin(paths, b, b.params())
}

func newOrigin(sources []string, b Build, params map[string]string) (from origin, err error) {
	from = origin{Params: params, Careful: b.Careful, sources: sources}
	from.shell, err = shellFiles()
	return from, err
}

// readFiles reads files, in order.
func readFiles(paths []string) ([]file, error) {
	list := make([]file, len(paths))
	for i, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		list[i] = file{filepath.Base(path), string(text)}
	}
	return list, nil
}
