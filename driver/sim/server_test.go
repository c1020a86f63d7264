package sim_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"sync"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/server/host"
)

// One platform for each kind of client.
const platform2022, platform2024 = "u280_2022", "u55c_tcp"

func platformOf(t testing.TB, name string) *accl.Platform {
	t.Helper()
	vars := map[string]cty.Value{}
	if name == platform2024 {
		vars["host_memory"] = cty.True
	}
	p := driverview.Of(designtest.Load(t, name, vars))
	return &p
}

// Where 2022 and 2024 have their return code.
const returnCode = 0x1FFC

// server is a rank as somebody else would serve it: on a REP socket, one request
// at a time, with messages made and taken apart by the library.
type server struct {
	t         testing.TB
	socket    zmq4.Socket
	endpoints sim.Endpoints
	ctx       context.Context
	end       func()
	ended     chan struct{}

	// What follows is set before requests come. odd spells replies in every other
	// way that is allowed.
	odd bool
	// first may answer a request instead of the server.
	first func(r object) object
	// work does a call and returns its code; a call that ends later answers ready
	// when it is.
	work func(call object) (code uint32, ready func() bool)

	mu    sync.Mutex
	words map[uint64]uint32
	known map[bool]map[uint64][]byte // pages of device and host memory
	seen  []object
	queue map[float64][]started
}

type object = map[string]any

type started struct {
	code  uint32
	ready func() bool
}

const page = 4096

// freePorts are those of a world of some ranks.
func freePorts(t testing.TB, ranks int) sim.Endpoints {
	t.Helper()
	base, err := host.FreePorts(host.PortsPerRank * ranks)
	assert.NilError(t, err)
	return sim.Endpoints{Port: base, Ranks: ranks}
}

func newServer(t testing.TB) *server {
	return &server{
		t: t, words: map[uint64]uint32{}, known: map[bool]map[uint64][]byte{false: {}, true: {}},
		queue: map[float64][]started{},
		ended: make(chan struct{}), endpoints: freePorts(t, 1),
	}
}

// start serves until the test ends.
func (s *server) start() *server {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s.ctx = ctx
	s.socket = zmq4.NewRep(ctx, zmq4.WithLogger(log.New(io.Discard, "", 0)))
	if err := s.socket.Listen("tcp://" + s.endpoints.Command(0)); err != nil {
		cancel()
		s.t.Fatal(err)
	}
	go func() {
		defer close(s.ended)
		for {
			msg, err := s.socket.Recv()
			if err != nil {
				return
			}
			if err := s.socket.Send(zmq4.NewMsg(s.answer(msg.Bytes()))); err != nil {
				return
			}
		}
	}()
	s.end = cancel
	s.t.Cleanup(s.stop)
	return s
}

func (s *server) stop() {
	s.end()
	_ = s.socket.Close()
	<-s.ended
}

func (s *server) stopped() bool { return s.ctx.Err() != nil }

func (s *server) answer(text []byte) []byte {
	var r object
	if err := json.Unmarshal(text, &r); err != nil {
		s.t.Errorf("a request that is not JSON: %.100s", text)
		return []byte(`{"status":-1}`)
	}
	s.mu.Lock()
	s.seen = append(s.seen, r)
	s.mu.Unlock()
	var reply object
	if s.first != nil {
		reply = s.first(r)
	}
	if raw, ok := reply["raw"].(string); ok {
		return []byte(raw)
	}
	if reply == nil {
		reply = s.reply(r)
	}
	if !s.odd {
		text, _ = json.Marshal(reply)
		return text
	}
	reply["more"] = object{"status": []any{"unknown", 1.5, nil, "\u00e9\n"}}
	if data, ok := reply["rdata"].([]int); ok {
		for i := range data {
			data[i] = int(int8(data[i]))
		}
	}
	if word, ok := reply["rdata"].(uint32); ok {
		reply["rdata"] = json.Number(fmt.Sprintf("%d.0", word))
	}
	reply["status"] = json.Number(fmt.Sprintf("%v.000e0", reply["status"]))
	text, _ = json.MarshalIndent(reply, " ", "\t")
	return text
}

// requests are those of a type that have come so far.
func (s *server) requests(kind int) []object {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []object
	for _, r := range s.seen {
		if r["type"] == float64(kind) {
			found = append(found, r)
		}
	}
	return found
}

func (s *server) reply(r object) object {
	addr, _ := r["addr"].(float64)
	at := uint64(addr)
	host := r["host"] == true || r["host"] == 1.0
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r["type"] {
	case 0.0:
		if at >= 0x2000 {
			return object{"status": 1}
		}
		return object{"status": 0, "rdata": s.words[at]}
	case 1.0:
		if at >= 0x2000 {
			return object{"status": 1}
		}
		s.words[at] = uint32(r["wdata"].(float64))
	case 2.0:
		data := make([]int, int(r["len"].(float64)))
		for i := range data {
			b := s.byteAt(host, at+uint64(i), false)
			if b == nil {
				return object{"status": 1}
			}
			data[i] = int(*b)
		}
		return object{"status": 0, "rdata": data}
	case 3.0:
		for i, v := range r["wdata"].([]any) {
			*s.byteAt(host, at+uint64(i), true) = byte(v.(float64))
		}
	case 4.0:
		for p := at / page; p <= (at+uint64(r["len"].(float64))-1)/page; p++ {
			s.byteAt(host, p*page, true)
		}
	case 5.0:
		return s.call(r)
	case 6.0:
		id := r["ctrl_id"].(float64)
		if len(s.queue[id]) == 0 {
			return object{"status": -1, "error": "nothing was called"}
		}
		c := s.queue[id][0]
		if c.ready != nil && !c.ready() {
			return object{"status": 1}
		}
		s.queue[id] = s.queue[id][1:]
		s.words[returnCode] = c.code
	default:
		return object{"status": -1, "error": fmt.Sprint("no such type: ", r["type"])}
	}
	return object{"status": 0}
}

// call does a call of either generation.
func (s *server) call(r object) object {
	var c started
	if s.work != nil {
		s.mu.Unlock()
		c.code, c.ready = s.work(r)
		s.mu.Lock()
	}
	if id, controlled := r["ctrl_id"].(float64); controlled {
		s.queue[id] = append(s.queue[id], c)
		return object{"status": 0}
	}
	for c.ready != nil && !c.ready() {
		s.mu.Unlock()
		time.Sleep(time.Millisecond)
		s.mu.Lock()
	}
	s.words[returnCode] = c.code
	return object{"status": 0}
}

func (s *server) byteAt(host bool, at uint64, grow bool) *byte {
	p := s.known[host][at/page]
	if p == nil {
		if !grow {
			return nil
		}
		p = make([]byte, page)
		s.known[host][at/page] = p
	}
	return &p[at%page]
}

// read is what the server's memory holds.
func (s *server) read(host bool, at uint64, n int) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := make([]byte, n)
	for i := range b {
		if from := s.byteAt(host, at+uint64(i), false); from != nil {
			b[i] = *from
		}
	}
	return b
}

// open is a device on the server.
func (s *server) open(platform string) *sim.Device {
	s.t.Helper()
	return openAt(s.t, platform, sim.Options{Endpoints: s.endpoints})
}

func openAt(t testing.TB, platform string, o sim.Options) *sim.Device {
	t.Helper()
	d, err := sim.Open(within(t), platformOf(t, platform), o)
	assert.NilError(t, err)
	t.Cleanup(func() {
		assert.Check(t, d.Close())
	})
	return d
}

// within bounds a test that must not hang.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// briefly is a context that ends soon.
func briefly(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}
