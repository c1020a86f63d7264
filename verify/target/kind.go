package target

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/fabric/socket"
	"github.com/cclforge/cclforge/verify/world"
)

// ErrText says that a text names no world.
var ErrText = errors.New("no such world")

// Kind is a way to engines.
type Kind struct {
	Name string // before the colon of a text
	Form string // "sim:host:port"
	Doc  string // a line
	// Open makes the engines of this process ready to be opened. The context bounds
	// that alone.
	Open func(ctx context.Context, r *Request) (*Part, error)
}

// Request is what Open of a kind gets.
type Request struct {
	Rest     string        // of the text, behind the name and the colon
	Platform string        // by name, where the text has none
	Vars     string        // values of its variables, as an HCL object
	Size     int           // of the world
	Local    []int         // ranks of this process: all of them, or one
	World    world.Options // of engines in this process, if it has all of them
	Process  int           // the number of this process on its host
	// Address is that of this process for those that have the other ranks.
	Address netip.Addr
	Network socket.Memory // between processes
	OneHost bool          // all ranks are on this host
	Log     func(format string, args ...any)
}

// Alone reports whether this process has all ranks.
func (r *Request) Alone() bool { return len(r.Local) == r.Size }

// Part is the ranks of a world that a process has, before they are opened.
type Part struct {
	Platform *accl.Platform
	What     string // the engines are, for reports: "emulated"
	// Devices and Ranks are by local rank; Ranks are the network addresses by which all
	// others reach the engines.
	Devices []accl.Device
	Ranks   []accl.Rank
	// Options are passed to accl.Open.
	Options []accl.OpenOption
	// Attach, if not nil, fills in Devices, and does no more. Prepare does the same first.
	Attach func(ctx context.Context) error
	// Prepare, if not nil, is called once with all ranks of the world, before the engines
	// are opened. It may fill in Devices. It returns each local rank's view of the world,
	// nil if all have the same.
	Prepare func(ctx context.Context, ranks []accl.Rank) ([]View, error)
	// Data, if not nil, is sent to the processes with other ranks before they are prepared.
	// Said, which package target sets, returns every rank's data, after all ranks have
	// joined; Prepare returns its error.
	Data []byte
	Said func(ctx context.Context) ([][]byte, error)
	// Over is the network of emulated engines, which must be the same on all ranks; "" for any.
	Over string
	// Greets makes all ranks send each other a message when they are open.
	Greets bool
	// Close releases what Open has taken, also the devices.
	Close func() error
}

// View is a rank's view of the world, as accl.Open takes it.
type View struct {
	Ranks []accl.Rank
	Open  []accl.OpenOption
}

var kinds = struct {
	sync.Mutex
	all []Kind
}{all: []Kind{emulated, verilated, served, onCards, Shells(nil)}}

// Register adds a kind, or replaces the kind of that name.
func Register(k Kind) {
	kinds.Lock()
	defer kinds.Unlock()
	kinds.all = append(slices.DeleteFunc(slices.Clone(kinds.all), func(old Kind) bool { return old.Name == k.Name }), k)
}

// Kinds returns all kinds.
func Kinds() []Kind {
	kinds.Lock()
	defer kinds.Unlock()
	return slices.Clone(kinds.all)
}

// find finds the kind that a text is of, and its rest. A name alone is a platform.
func find(text string) (Kind, string, error) {
	name, rest, is := strings.Cut(text, ":")
	all := Kinds()
	if !is && !slices.ContainsFunc(all, func(k Kind) bool { return k.Name == text }) {
		name, rest = emulated.Name, text
	}
	forms := make([]string, len(all))
	for i, k := range all {
		if k.Name == name {
			return k, rest, nil
		}
		forms[i] = k.Form
	}
	return Kind{}, "", fmt.Errorf("%w: %q; there are %s", ErrText, text, strings.Join(forms, ", "))
}
