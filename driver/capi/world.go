package capi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"
	"unsafe"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup"
	"github.com/cclforge/cclforge/driver/metrics"
)

// Options say which world is opened.
type Options struct {
	World     string // text that names it
	Platform  string // by name, where the text has none
	Variables string // of the platform, as an HCL object
	Address   string // of this process for those with other ranks; "" for the one from which it reaches rank 0
	Ranks     int    // of a process that has all; 0 for the default
	Timeout   time.Duration
	Env       bringup.Lookup
	Open      []accl.OpenOption // of engines
}

// World is the open ranks of a world in this process.
type World struct {
	Engines []*accl.Engine
	// Context ends when a rank of another process leaves.
	Context context.Context
	Close   func() error
	// Joined are the processes of the world; nil if this one has all ranks.
	Joined *bringup.World
}

// Opener opens a world. Its error matches ErrWorld if the text names none.
type Opener func(ctx context.Context, o Options) (*World, error)

var (
	opener Opener
	lookup bringup.Lookup = os.LookupEnv
)

// Register says how worlds are opened, once, before any is.
func Register(o Opener) { opener = o }

// Environment variables of a program that does not say it.
const (
	EnvWorld    = "CCLFORGE_WORLD"
	EnvPlatform = "CCLFORGE_PLATFORM" // of a world that has none in its text
)

// options are those of C, with the same layout.
type options struct {
	World     *byte `doc:"text that names it; NULL: that of the environment, CCLFORGE_WORLD"`
	Platform  *byte `doc:"by name, for a world that has none in its text; NULL: CCLFORGE_PLATFORM, or a default"`
	Variables *byte `doc:"of the platform, as an HCL object"`
	Address   *byte `doc:"of this process for others; NULL: the one from which it reaches rank 0"`
	Protocol  *byte `doc:"tcp, udp or rdma: an error if the engines do not have it; NULL: what they have"`
	Ranks     int32 `doc:"of a process that has all of them; 0: 4"`
	TimeoutMs int32 `doc:"until all ranks are there, in milliseconds; 0: the default"`
	Meet      *byte `doc:"host:port where rank 0 listens; NULL: as the launcher and CCLFORGE_MEET say"`
	Secret    *byte `doc:"of all ranks, 16 characters or more; NULL: CCLFORGE_SECRET"`
	Rank      int32 `doc:"of this process, if size is not 0"`
	Size      int32 `doc:"number of processes, for a program that knows its place; 0: as the launcher says"`
	LocalRank int32 `doc:"of this process among those of its host, if size is not 0: the card that it takes"`
	Alone     int32 `doc:"1: this process has all ranks, also if a launcher has started several"`
	RxBuffers int32 `doc:"of an engine; 0: as many as the platform says"`
	RxBytes   int32 `doc:"of an rx buffer; 0: those of the platform"`
}

// handles are what C has of the objects of this package. No number is used twice.
var handles = struct {
	sync.RWMutex
	last int64
	of   map[int64]any
}{of: map[int64]any{}}

func enter(object any) int64 {
	handles.Lock()
	defer handles.Unlock()
	handles.last++
	handles.of[handles.last] = object
	return handles.last
}

func leave(h int64) {
	handles.Lock()
	defer handles.Unlock()
	delete(handles.of, h)
}

// object is that of a handle.
func object[T any](h int64) (T, error) {
	handles.RLock()
	defer handles.RUnlock()
	o, ok := handles.of[h].(T)
	if !ok {
		return o, fmt.Errorf("%w: %d", ErrHandle, h)
	}
	return o, nil
}

// world is an open world, and rank one of its ranks in this process.
type world struct {
	*World
	ranks []*rank
}

type rank struct {
	world  *world
	engine *accl.Engine
	memory
	statistics
}

// comm is a communicator of a rank.
type comm struct {
	*rank
	c *accl.Comm
}

// part is an object that ends with a world.
type part interface{ belongs() *world }

func (r *rank) belongs() *world { return r.world }

func open(build uint64, given *options) (int64, error) {
	o := *cmp.Or(given, &options{})
	opened, err := o.open(build)
	if err != nil {
		o.refuse(err)
		return 0, err
	}
	w := &world{World: opened}
	for _, e := range opened.Engines {
		w.ranks = append(w.ranks, &rank{world: w, engine: e})
	}
	return enter(w), nil
}

// refuse tells the other ranks why this one opens no world, unless they know or do not come soon.
func (o *options) refuse(why error) {
	var known *bringup.Error
	meet, err := bringup.FromEnv(o.env())
	if err != nil || meet.Size < 2 || errors.As(why, &known) {
		return
	}
	meet.Timeout, meet.Self = 10*time.Second, bringup.Member{Refuses: why.Error()}
	if w, err := bringup.Join(context.Background(), meet); err == nil {
		w.Close()
	}
}

func (o *options) open(build uint64) (*World, error) {
	if build != 0 && build != Build() {
		return nil, fmt.Errorf("%w: the program was compiled with the header of %016x, the library is %016x", ErrBuild, build,
			Build())
	}
	if opener == nil {
		return nil, fmt.Errorf("%w: the engines know no worlds", ErrWorld)
	}
	if min(o.Ranks, o.TimeoutMs, o.RxBuffers, o.RxBytes) < 0 || o.Alone&^1 != 0 {
		return nil, fmt.Errorf("%w: %d ranks, %d ms, %d rx buffers of %d bytes, alone %d", accl.ErrArgument, o.Ranks,
			o.TimeoutMs, o.RxBuffers, o.RxBytes, o.Alone)
	}
	if min(o.Rank, o.Size, o.LocalRank) < 0 || o.Rank >= max(o.Size, 1) {
		return nil, fmt.Errorf("%w: rank %d of %d processes, %d of its host", accl.ErrRank, o.Rank, o.Size, o.LocalRank)
	}
	of := Options{World: text(o.World), Platform: text(o.Platform), Variables: text(o.Variables),
		Address: text(o.Address), Ranks: int(o.Ranks), Timeout: time.Duration(o.TimeoutMs) * time.Millisecond,
		Env:  o.env(),
		Open: []accl.OpenOption{accl.WithRxBuffers(int(o.RxBuffers), int(o.RxBytes)), accl.WithProtocol(text(o.Protocol))}}
	observe, err := observed()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOpen, err)
	}
	of.Open = append(of.Open, observe)
	if of.World == "" {
		of.World, _ = lookup(EnvWorld)
	}
	if of.World == "" {
		return nil, fmt.Errorf("%w: neither the program nor %s names one", ErrWorld, EnvWorld)
	}
	if of.Platform == "" {
		of.Platform, _ = lookup(EnvPlatform)
	}
	opened, err := opener(context.Background(), of)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOpen, err)
	}
	return opened, nil
}

// observed is the option of engines that are shown, if the environment says where; the process has one server.
var observed = sync.OnceValues(func() (accl.OpenOption, error) {
	address, _ := lookup(metrics.Env)
	if address == "" {
		return nil, nil
	}
	process, err := accl.LaunchOf(lookup)
	if err != nil {
		return nil, err
	}
	m := metrics.New()
	if _, err := m.Serve(address, process.LocalRank); err != nil {
		return nil, fmt.Errorf("%s: %w", metrics.Env, err)
	}
	return m.Observe(), nil
})

// env is the environment, with what the program says itself.
func (o *options) env() bringup.Lookup {
	if o.Alone != 0 {
		return func(string) (string, bool) { return "", false }
	}
	said := map[string]string{}
	if o.Size != 0 {
		for name, n := range map[string]int32{bringup.EnvRank: o.Rank, bringup.EnvSize: o.Size,
			bringup.EnvLocalRank: o.LocalRank} {
			said[name] = strconv.Itoa(int(n))
		}
	}
	if o.Meet != nil {
		said[bringup.EnvMeet] = text(o.Meet)
	}
	if o.Secret != nil {
		said[bringup.EnvSecret], said[bringup.EnvSecretFile] = text(o.Secret), ""
	}
	return func(name string) (string, bool) {
		if value, is := said[name]; is {
			return value, true
		}
		return lookup(name)
	}
}

// closeWorld closes a world, with all that belongs to it.
func closeWorld(h int64) error {
	w, err := object[*world](h)
	if err != nil {
		return err
	}
	handles.Lock()
	delete(handles.of, h)
	for k, o := range handles.of {
		if p, ok := o.(part); ok && p.belongs() == w {
			delete(handles.of, k)
		}
	}
	handles.Unlock()
	err = w.Close()
	for _, r := range w.ranks {
		r.forget()
	}
	return err
}

// worldComm is the communicator of all ranks, as a rank of this process has it.
func worldComm(h, local int64) (int64, error) {
	w, err := object[*world](h)
	if err != nil {
		return 0, err
	}
	if local < 0 || local >= int64(len(w.ranks)) {
		return 0, fmt.Errorf("%w: %d of the %d of this process", accl.ErrRank, local, len(w.ranks))
	}
	r := w.ranks[local]
	return enter(&comm{r, r.engine.World()}), nil
}

// made is the handle of a new communicator, 0 if this rank is not a member.
func (c *comm) made(of *accl.Comm, err error) (int64, error) {
	if of == nil || err != nil {
		return 0, err
	}
	return enter(&comm{c.rank, of}), nil
}

// create makes a communicator of ranks.
func (c *comm) create(n int64, first *int32) (int64, error) {
	if n < 0 || n > int64(c.c.Size()) {
		return 0, fmt.Errorf("%w: %d ranks of %d", accl.ErrRank, n, c.c.Size())
	}
	indices := make([]int, n)
	for i, r := range unsafe.Slice(first, n) {
		indices[i] = int(r)
	}
	return c.made(c.c.Split(c.world.Context, indices))
}

// split makes a communicator of the ranks that say the same color, in the order of their keys.
func (c *comm) split(color, key int32) (_ int64, err error) {
	ctx, n := c.world.Context, c.c.Size()
	var buffers []*accl.Buffer[int32]
	defer func() {
		for _, b := range buffers {
			err = errors.Join(err, b.Free())
		}
	}()
	for _, elements := range []int{2, 2 * n} {
		b, err := accl.Alloc[int32](ctx, c.engine, elements)
		if err != nil {
			return 0, err
		}
		buffers = append(buffers, b)
	}
	own, all := buffers[0], buffers[1]
	copy(own.Host(), []int32{color, key})
	if _, err := c.c.AllGather(ctx, own, all, 2); err != nil {
		return 0, err
	}
	if color < 0 {
		return 0, nil
	}
	return c.made(c.c.Split(ctx, together(all.Host(), color)))
}

// together are the ranks of a color, by key and then by rank. Said has the color and key of each rank.
func together(said []int32, color int32) []int {
	var of []int
	for r := range len(said) / 2 {
		if said[2*r] == color {
			of = append(of, r)
		}
	}
	slices.SortStableFunc(of, func(a, b int) int { return cmp.Compare(said[2*a+1], said[2*b+1]) })
	return of
}
