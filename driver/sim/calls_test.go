package sim_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/driver/sim/zmq"
)

var someCall = accl.Call{Scenario: 10, Count: 1000, Comm: 0x100, RootSrcDst: 3, FunctionCode: 1, Tag: 0xFFFFFFFF,
	ArithCfg:         0x200,
	CompressionFlags: 8, StreamFlags: 0x402, Addr0: 0x1000, Addr1: 0x1_0000_2000, Addr2: 1 << 52}

// someCallSent is someCall as the contract names its words.
var someCallSent = object{"type": 5.0, "scenario": 10.0, "count": 1000.0, "comm": 256.0, "root_src_dst": 3.0,
	"function": 1.0, "tag": 4294967295.0,
	"arithcfg": 512.0, "compression_flags": 8.0, "stream_flags": 1026.0, "addr_0": 4096.0, "addr_1": float64(
		0x1_0000_2000), "addr_2": float64(1 << 52)}

func TestCallsAsTheGenerationPlacesThem(t *testing.T) {
	for platform, id := range map[string]any{platform2022: nil, platform2024: 1.0} {
		s := newServer(t)
		s.odd = true
		s.work = func(object) (uint32, func() bool) { return 0x800, nil }
		d := s.start().open(platform)
		ticket, err := d.Start(within(t), 1, someCall)
		assert.NilError(t, err)
		code, err := d.Wait(within(t), ticket)
		assert.Check(t, code == 0x800 && err == nil, "%s: 0x%X, %v", platform, uint32(code), err)
		_, err = d.Wait(within(t), ticket)
		assert.Check(t, errors.Is(err, sim.ErrTicket), "%s: a second answer: %v", platform, err)
		sent := s.requests(5)
		want := object{}
		maps.Copy(want, someCallSent)
		if id != nil {
			want["ctrl_id"] = id
		}
		assert.Check(t, len(sent) == 1 && fmt.Sprint(sent[0]) == fmt.Sprint(want),
			"%s: %v was sent, expected %v", platform, sent, want)
		polls := s.requests(6)
		assert.Check(t, (id == nil) == (len(polls) == 0), "%s: %d call waits", platform, len(polls))
		for _, client := range []int{-1, 3} {
			if _, err := d.Start(within(t), client, someCall); !errors.Is(err, sim.ErrClient) {
				t.Errorf("client %d: %v", client, err)
			}
		}
		assert.Check(t, is.Equal(len(s.requests(5)), 1), "a client that there is not was sent to the server")
	}
}

// Completions come in the order of the calls of a controller, and each controller
// has its own.
func TestCompletionsBelongToTheirCalls(t *testing.T) {
	s := newServer(t)
	var release sync.Map
	s.work = func(r object) (uint32, func() bool) {
		return uint32(r["count"].(float64)), func() bool { _, yes := release.Load(r["ctrl_id"]); return yes }
	}
	d := s.start().open(platform2024)
	ctx := within(t)
	var tickets [3][]accl.Ticket
	for i := range 5 {
		for client := range tickets {
			ticket, err := d.Start(ctx, client, accl.Call{Count: uint32(100*client + i)})
			assert.NilError(t, err)
			tickets[client] = append(tickets[client], ticket)
		}
	}
	_, err := d.Wait(briefly(t), tickets[1][0])
	assert.Check(t, errors.Is(err, context.DeadlineExceeded), "a call that goes on: %v", err)
	for _, client := range []int{2, 0, 1} {
		release.Store(float64(client), true)
		for i, ticket := range slices.Backward(tickets[client]) {
			if code, err := d.Wait(ctx, ticket); code != accl.ReturnCode(100*client+i) || err != nil {
				t.Errorf("call %d of client %d: %d, %v", i, client, code, err)
			}
		}
	}
}

// The server takes a call late, when its caller has given up: its completion is
// not that of the next call.
func TestCallsThatWereGivenUpKeepTheirPlace(t *testing.T) {
	s := newServer(t)
	s.work = func(r object) (uint32, func() bool) {
		if r["count"] == 1.0 {
			time.Sleep(150 * time.Millisecond)
		}
		return uint32(r["count"].(float64)), nil
	}
	d := s.start().open(platform2024)
	_, err := d.Start(briefly(t), 0, accl.Call{Count: 1})
	assert.Check(t, errors.Is(err, context.DeadlineExceeded) && strings.Contains(err.Error(), s.endpoints.Command(0)),
		"%v", err)
	_, err = d.Start(briefly(t), 0, accl.Call{Count: 1})
	assert.Check(t, errors.Is(err, context.DeadlineExceeded), "while the call before is placed: %v", err)
	ticket, err := d.Start(within(t), 0, accl.Call{Count: 7})
	assert.NilError(t, err)
	code, err := d.Wait(within(t), ticket)
	assert.Check(t, code == 7 && err == nil, "%d, %v", code, err)
}

// A plain REP server has one call at a time, and its return code is read before
// the next one overwrites it.
func TestCallsOfPlainServersTakeTurns(t *testing.T) {
	s := newServer(t)
	var hold atomic.Bool
	s.work = func(r object) (uint32, func() bool) {
		return uint32(r["count"].(float64)), func() bool { return !hold.Load() || s.stopped() }
	}
	d := s.start().open(platform2022)
	ctx := within(t)
	hold.Store(true)
	first, err := d.Start(ctx, 0, accl.Call{Count: 5})
	assert.NilError(t, err)
	if _, err := d.Start(briefly(t), 0, accl.Call{Count: 6}); !errors.Is(err, context.DeadlineExceeded) ||
		!strings.Contains(err.Error(), "has not answered the calls before") {
		t.Errorf("%v", err)
	}
	_, err = d.Wait(briefly(t), first)
	assert.Check(t, errors.Is(err, context.DeadlineExceeded), "%v", err)
	hold.Store(false)
	codes := make(chan error, 20)
	for i := range 20 {
		go func() {
			ticket, err := d.Start(ctx, 0, accl.Call{Count: uint32(100 + i)})
			if err == nil {
				var code accl.ReturnCode
				if code, err = d.Wait(ctx, ticket); err == nil && code != accl.ReturnCode(100+i) {
					err = fmt.Errorf("call %d answers %d", 100+i, code)
				}
			}
			codes <- err
		}()
	}
	for range 20 {
		assert.Check(t, <-codes)
	}
	code, err := d.Wait(ctx, first)
	assert.Check(t, code == 5 && err == nil, "%d, %v", code, err)
}

// A server that tells return codes has calls side by side, in the order in which
// they were placed, and answers them in any.
func TestCallsOfOurServersGoSideBySide(t *testing.T) {
	e := freePorts(t, 1)
	ctx, cancel := context.WithCancel(within(t))
	defer cancel()
	router := zmq4.NewRouter(ctx, zmq4.WithLogger(log.New(io.Discard, "", 0)))
	defer router.Close()
	assert.NilError(t, router.Listen("tcp://"+e.Command(0)))
	answer := func(m zmq4.Msg) {
		var r object
		body := len(m.Frames) - 1
		assert.Check(t, json.Unmarshal(m.Frames[body], &r))
		reply := fmt.Appendf(nil, `{"retcode": %v, "status":0, "rdata": 1}`, r["count"])
		assert.Check(t, router.SendMulti(zmq4.NewMsgFrom(append(m.Frames[:body:body], reply)...)))
	}
	first, order := true, make(chan []zmq4.Msg)
	go func() {
		var held []zmq4.Msg
		for len(held) < 10 {
			m, err := router.Recv()
			if err != nil {
				break
			}
			if first { // which tells that this server tells
				first = false
				answer(m)
				continue
			}
			held = append(held, m)
		}
		order <- held
	}()
	d := openAt(t, platform2022, sim.Options{Endpoints: e})
	run := func(count uint32) accl.Ticket {
		ticket, err := d.Start(ctx, 0, accl.Call{Count: count})
		assert.NilError(t, err)
		return ticket
	}
	if code, err := d.Wait(ctx, run(99)); code != 99 || err != nil {
		t.Fatal(code, err)
	}
	var tickets []accl.Ticket
	for i := range uint32(10) {
		tickets = append(tickets, run(i))
	}
	held := <-order
	for i, m := range held {
		assert.Check(t, is.Contains(string(m.Frames[len(m.Frames)-1]), fmt.Sprintf(`"count":%d,`, i)),
			"call %d came as number", i)
	}
	for i, m := range slices.Backward(held) {
		_, err := d.Wait(briefly(t), tickets[i])
		assert.Check(t, errors.Is(err, context.DeadlineExceeded), "call %d was answered before it ended: %v", i, err)
		answer(m)
		code, err := d.Wait(ctx, tickets[i])
		assert.Check(t, code == accl.ReturnCode(i) && err == nil, "call %d: %d, %v", i, code, err)
	}
}

// A server that tells return codes is believed, whatever the word says by now.
func TestReturnCodesInReplies(t *testing.T) {
	for _, platform := range []string{platform2022, platform2024} {
		s := newServer(t)
		s.words[returnCode] = 1
		s.first = func(r object) object {
			switch {
			case r["type"] == 5.0 && platform == platform2024:
				return object{"status": 0}
			case r["type"] == 5.0 || r["type"] == 6.0:
				return object{"status": 0, "retcode": 0x80000000}
			}
			return nil
		}
		d := s.start().open(platform)
		ticket, err := d.Start(within(t), 0, accl.Call{})
		assert.NilError(t, err)
		if code, err := d.Wait(within(t), ticket); code != 0x80000000 || err != nil || len(s.requests(0)) != 0 {
			t.Errorf("%s: 0x%X, %v, %d words read", platform, uint32(code), err, len(s.requests(0)))
		}
	}
}

// A client of one generation on a server of the other gets the server's text.
func TestServersOfAnotherGenerationSayWhatIsWrong(t *testing.T) {
	for platform, kind := range map[string]float64{platform2022: 5, platform2024: 6} {
		s := newServer(t)
		s.first = func(r object) object {
			if r["type"] == kind {
				return object{"status": -3, "error": "this is a server of another generation"}
			}
			return nil
		}
		d := s.start().open(platform)
		for i := range 2 {
			ticket, err := d.Start(within(t), 0, accl.Call{})
			if err == nil {
				_, err = d.Wait(within(t), ticket)
			}
			var status *sim.StatusError
			if !errors.As(err, &status) || status.Status != -3 || !strings.Contains(err.Error(), "of another generation") {
				t.Errorf("%s: %v", platform, err)
			}
			lost := platform == platform2024 && i == 1
			assert.Check(t, errors.Is(err, sim.ErrLost) == lost, "%s, call %d: %v", platform, i, err)
		}
	}
}

func TestServersThatVanishEndAllWaits(t *testing.T) {
	for _, platform := range []string{platform2022, platform2024} {
		s := newServer(t)
		s.work = func(object) (uint32, func() bool) { return 0, s.stopped }
		d := s.start().open(platform)
		m, err := d.Alloc(within(t), accl.MemSpec{Bytes: 64})
		assert.NilError(t, err)
		ticket, err := d.Start(within(t), 0, accl.Call{})
		assert.NilError(t, err)
		time.Sleep(20 * time.Millisecond)
		s.stop()
		_, err = d.Wait(within(t), ticket)
		assert.Check(t, errors.Is(err, zmq.ErrClosed), "%s: %v", platform, err)
		_, err = d.Start(within(t), 0, accl.Call{})
		assert.Check(t, err != nil, "%s: a call was placed", platform)
		for range 2 {
			assert.Check(t, is.ErrorContains(m.SyncTo(within(t), 0, 64), s.endpoints.Command(0)), "%s", platform)
		}
	}
}

// A server that never answers holds nobody longer than his context.
func TestServersThatNeverAnswer(t *testing.T) {
	for _, platform := range []string{platform2022, platform2024} {
		s := newServer(t)
		s.first = func(r object) object {
			<-s.ctx.Done()
			return nil
		}
		d := s.start().open(platform)
		if ticket, err := d.Start(briefly(t), 0, accl.Call{}); err == nil {
			_, err = d.Wait(briefly(t), ticket)
			assert.Check(t, is.ErrorIs(err, context.DeadlineExceeded), "%s", platform)
		} else if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", platform, err)
		}
		for range 10 { // more than there are connections
			_, err := d.ReadReg(briefly(t), 0)
			assert.Check(t, errors.Is(err, context.DeadlineExceeded), "%s: %v", platform, err)
		}
		_, err := d.Alloc(briefly(t), accl.MemSpec{Bytes: 1})
		assert.Check(t, errors.Is(err, context.DeadlineExceeded), "%s: %v", platform, err)
	}
}
