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

// Request is what a kind is asked for.
type Request struct {
	Rest     string // of the text, behind the name and the colon
	Platform string // by name, where the text has none
	Vars     string // values of its variables, as an HCL object
	Size     int    // of the world
	Local    []int  // ranks of this process: all of them, or one
	Process  int    // the number of this process on its host
	// Address is that of this process for those that have the other ranks.
	Address netip.Addr
	Log     func(format string, args ...any)
}

// Alone reports whether this process has all ranks.
func (r *Request) Alone() bool { return len(r.Local) == r.Size }

// Part is the ranks of a world that a process has, before they are opened.
type Part struct {
	Platform *accl.Platform
	What     string // the engines are, for reports: "emulated"
	// Devices and Ranks are by local rank; Ranks are how all others call the engines
	// on their network.
	Devices []accl.Device
	Ranks   []accl.Rank
	// Options are those that the engines are opened with.
	Options []accl.OpenOption
	// Prepare, if it is there, is called once with all ranks of the world, before the
	// engines are opened. It may fill in Devices. What it returns is how each local rank
	// sees the world, nil if all see it as it is.
	Prepare func(ctx context.Context, ranks []accl.Rank) ([]View, error)
	// Data, if there is some, is what processes with other ranks have to know of the rank of
	// this one before it is prepared, and Said is what all have said, by rank, once they are
	// there. An error of Said is for Prepare to return.
	Data []byte
	Said func(ctx context.Context) ([][]byte, error)
	// Greets has all ranks send each other a message when they are open.
	Greets bool
	// Close gives back what Open took, also the devices.
	Close func() error
}

// View is a world as a rank sees it: what accl.Open takes.
type View struct {
	Ranks []accl.Rank
	Open  []accl.OpenOption
}

var kinds = struct {
	sync.Mutex
	all []Kind
}{all: []Kind{emulated, verilated, served, onCards, Shells(nil)}}

// Register adds a kind, in place of one of that name.
func Register(k Kind) {
	kinds.Lock()
	defer kinds.Unlock()
	kinds.all = append(slices.DeleteFunc(slices.Clone(kinds.all), func(old Kind) bool { return old.Name == k.Name }), k)
}

// Kinds are all that there are.
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
