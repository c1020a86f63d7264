package server_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/driver/sim/zmq"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/emu"
	hardware "github.com/cclforge/cclforge/verify/rtlsim"
	"github.com/cclforge/cclforge/verify/rtlsim/simtest"
	"github.com/cclforge/cclforge/verify/server"
	"github.com/cclforge/cclforge/verify/server/host"
	"github.com/cclforge/cclforge/verify/world"
)

var simulateFlag = flag.String("serve.simulate", "",
	"a platform whose ranks are simulated from the description of the hardware, in every test that serves them")

// patience is how long a test waits for an answer.
var patience = 30 * time.Second

// slowness is how many times as long simulated ranks may take.
const slowness = 20

func TestMain(m *testing.M) {
	flag.Parse()
	if *simulateFlag != "" {
		patience *= slowness
	}
	os.Exit(simtest.Main(m))
}

// served is a world whose ranks are served, each on its ports.
type served struct {
	*world.World
	base, size int
	servers    []*server.Server
}

// options of a served world.
type options struct {
	ranks  int
	engine emu.Options
	limits zmq.Limits
	log    func(format string, args ...any)
}

func start(t testing.TB, platform string, vars map[string]cty.Value, o options) *served {
	t.Helper()
	return startDesign(t, designtest.Load(t, platform, vars), o)
}

func startDesign(t testing.TB, d *design.Design, o options) *served {
	t.Helper()
	o.engine.SharedHost = true
	o.engine.ResidentBytes = cmp.Or(o.engine.ResidentBytes, 256<<20)
	all := world.Options{Engine: o.engine}
	if d.Platform.Name == *simulateFlag {
		all.Maker = simulated(t, d, o.engine)
	}
	w, err := world.New(t.Context(), d, o.ranks, all)
	assert.NilError(t, err)
	s := &served{World: w, size: o.ranks}
	t.Cleanup(func() {
		assert.Check(t, s.close())
	})
	assert.NilError(t, s.serve(d, o))
	return s
}

// simulated makes ranks from the description of the hardware.
func simulated(t testing.TB, d *design.Design, e emu.Options) func(rank int) world.Maker {
	t.Helper()
	records := simtest.Record(t)
	o := hardware.Options{
		Build: hardware.Build{KernelPort: e.Kernel == emu.Client},
		Clock: hardware.NewClock(), SharedHost: e.SharedHost,
	}
	cards := &hardware.Cards{Options: func(card int) hardware.Options {
		o := o
		o.Record = records.Card(fmt.Sprint("card", card))
		return o
	}}
	return cards.Maker
}

// serve serves all ranks on ports that were free a moment ago.
func (s *served) serve(d *design.Design, o options) error {
	var err error
	if s.base, err = host.FreePorts(4 * s.size); err != nil {
		return err
	}
	for i := range s.size {
		server, err := server.New(s.Engine(i), d, i, server.Options{Endpoints: sim.Endpoints{Port: s.base, Ranks: s.size},
			Limits: o.limits, Log: o.log})
		if err != nil {
			return errors.Join(err, s.stop())
		}
		s.servers = append(s.servers, server)
	}
	return nil
}

func (s *served) stop() error {
	var errs []error
	for _, server := range s.servers {
		errs = append(errs, server.Close())
	}
	s.servers = nil
	return errors.Join(errs...)
}

func (s *served) close() error { return errors.Join(s.stop(), s.World.Close()) }

// The ports of the protocol.
func (s *served) command(r int) string   { return s.at(r) }
func (s *served) kernelOut(r int) string { return s.at(2*s.size + r) }
func (s *served) kernelIn(r int) string  { return s.at(3*s.size + r) }
func (s *served) at(n int) string        { return fmt.Sprintf("tcp://127.0.0.1:%d", s.base+n) }

// message is a request as a client makes one.
type message map[string]any

// answer is a reply. The status has to be there.
type answer struct {
	Status  *int            `json:"status"`
	RData   json.RawMessage `json:"rdata"`
	Error   string          `json:"error"`
	RetCode *uint32         `json:"retcode"`
}

func (a answer) String() string {
	if a.Status == nil {
		return "no status"
	}
	return fmt.Sprintf("status %d, rdata %.40s, error %q", *a.Status, a.RData, a.Error)
}

// word is the rdata of an MMIO read.
func (a answer) word() (v uint32, err error) {
	err = json.Unmarshal(a.RData, &v)
	return v, err
}

// octets is the rdata of a memory read: an array of numbers.
func (a answer) octets() ([]byte, error) {
	var numbers []int
	if err := json.Unmarshal(a.RData, &numbers); err != nil {
		return nil, err
	}
	if numbers == nil {
		return nil, errors.New("rdata is no array")
	}
	out := make([]byte, len(numbers))
	for i, n := range numbers {
		if n < 0 || n > 255 {
			return nil, fmt.Errorf("rdata has %d", n)
		}
		out[i] = byte(n)
	}
	return out, nil
}

func parse(b []byte) (answer, error) {
	var a answer
	if err := json.Unmarshal(b, &a); err != nil {
		return a, fmt.Errorf("reply %q: %w", b, err)
	}
	if a.Status == nil {
		return a, fmt.Errorf("reply %q has no status", b)
	}
	return a, nil
}

// peer is a socket of go-zeromq's own.
type peer struct {
	zmq4.Socket
	end context.CancelFunc
}

type newSocket func(context.Context, ...zmq4.Option) zmq4.Socket

func dial(t testing.TB, address string, make newSocket) *peer {
	t.Helper()
	p := dialless(make)
	t.Cleanup(p.hangUp)
	assert.NilError(t, p.Dial(address))
	return p
}

// dialless is a socket that is not connected to anything.
func dialless(make newSocket) *peer {
	ctx, end := context.WithCancel(context.Background())
	return &peer{make(ctx, zmq4.WithDialerRetry(10*time.Millisecond), zmq4.WithDialerMaxRetries(300)), end}
}

func (p *peer) hangUp() {
	_ = p.Close() // it may have been closed before
	p.end()
}

// receive waits for a message, but not for ever.
func (p *peer) receive() ([][]byte, error) {
	late := false
	var mu sync.Mutex
	timer := time.AfterFunc(patience, func() {
		mu.Lock()
		late = true
		mu.Unlock()
		p.hangUp()
	})
	defer timer.Stop()
	m, err := p.Recv()
	mu.Lock()
	defer mu.Unlock()
	if late {
		return nil, fmt.Errorf("no answer for %v", patience)
	}
	return m.Frames, err
}

// ask sends a request on a REQ socket, whatever it is, and reads the reply.
func (p *peer) ask(request []byte) (answer, error) {
	if err := p.Send(zmq4.NewMsg(request)); err != nil {
		return answer{}, err
	}
	frames, err := p.receive()
	if err != nil {
		return answer{}, err
	}
	if len(frames) != 1 {
		return answer{}, fmt.Errorf("a reply of %d frames", len(frames))
	}
	return parse(frames[0])
}

func (p *peer) request(m message) (answer, error) {
	b, err := json.Marshal(m)
	if err != nil {
		return answer{}, err
	}
	return p.ask(b)
}
