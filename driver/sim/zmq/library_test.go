package zmq_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cclforge/cclforge/driver/sim/zmq"
	"github.com/go-zeromq/zmq4"
)

var bodies = []string{"", "hello", strings.Repeat("x", 255), strings.Repeat("y", 256), strings.Repeat("z", 1<<20)}

// answer is a server as a user would write it: the envelope comes back as it is.
func answer(_ context.Context, c *zmq.Conn) {
	for {
		frames, err := c.Recv()
		if err != nil {
			return
		}
		last := len(frames) - 1
		frames[last] = append([]byte("re: "), frames[last]...)
		if c.Send(frames...) != nil {
			return
		}
	}
}

func TestRequestsOfTheLibraryAreAnswered(t *testing.T) {
	address := serving(t, zmq.Rep, zmq.Limits{}, answer)
	var clients sync.WaitGroup
	for client := range 8 {
		clients.Go(func() {
			req := zmq4.NewReq(t.Context())
			defer req.Close()
			if err := req.Dial("tcp://" + address); err != nil {
				t.Error(err)
				return
			}
			for i, body := range bodies {
				body = fmt.Sprint(client, i, body)
				if err := req.Send(zmq4.NewMsgString(body)); err != nil {
					t.Error(err)
					return
				}
				if reply, err := req.Recv(); err != nil || string(reply.Bytes()) != "re: "+body {
					t.Errorf("reply %.100q, %v", reply.Frames, err)
					return
				}
			}
		})
	}
	clients.Wait()
}

func TestADealerOfTheLibraryReachesARouter(t *testing.T) {
	dealer := zmq4.NewDealer(t.Context())
	defer dealer.Close()
	check(t, dealer.Dial("tcp://"+serving(t, zmq.Router, zmq.Limits{}, answer)))
	for i, body := range bodies {
		check(t, dealer.SendMulti(zmq4.NewMsgFrom([]byte{byte(i)}, nil, []byte(body))))
	}
	for i, body := range bodies {
		reply, err := dealer.Recv()
		if want := []string{string([]byte{byte(i)}), "", "re: " + body}; err != nil ||
			!slices.Equal(texts(reply.Frames), want) {
			t.Fatalf("reply %.100q, %v", reply.Frames, err)
		}
	}
}

func TestAServerOfTheLibraryAnswers(t *testing.T) {
	rep := zmq4.NewRep(t.Context())
	defer rep.Close()
	check(t, rep.Listen("tcp://127.0.0.1:0"))
	go func() {
		for {
			msg, err := rep.Recv()
			if err != nil || rep.Send(zmq4.NewMsgString("re: "+string(msg.Bytes()))) != nil {
				return
			}
		}
	}()
	for _, kind := range []zmq.Kind{zmq.Req, zmq.Dealer} {
		c, err := zmq.Dial(t.Context(), rep.Addr().String(), kind, zmq.Limits{})
		check(t, err)
		defer c.Close()
		for _, body := range bodies[1:] { // the library fails at an empty body
			check(t, c.Send(nil, []byte(body)))
			if frames, err := c.Recv(); err != nil || !slices.Equal(texts(frames), []string{"", "re: " + body}) {
				t.Fatalf("%s: reply %.100q, %v", kind, frames, err)
			}
		}
	}
}

func TestASubscriberOfTheLibraryGetsEverything(t *testing.T) {
	p, address := publisher(t, zmq.Limits{}, 1<<20)
	sub := zmq4.NewSub(t.Context())
	defer sub.Close()
	check(t, sub.Dial("tcp://"+address))
	check(t, sub.SetOption(zmq4.OptionSubscribe, "a"))
	subscribed(t, p, "a")
	publish(t, p, "b", "not this")
	for i, body := range bodies {
		publish(t, p, fmt.Sprint("a", i), body)
	}
	for i, body := range bodies {
		msg, err := sub.Recv()
		if err != nil || !slices.Equal(texts(msg.Frames), []string{fmt.Sprint("a", i), body}) {
			t.Fatalf("message %.100q, %v", msg.Frames, err)
		}
	}
}

func TestSubscribeReadsAPublisherOfTheLibrary(t *testing.T) {
	pub := zmq4.NewPub(t.Context())
	defer pub.Close()
	check(t, pub.Listen("tcp://127.0.0.1:0"))
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan []string, 100)
	var subscriber sync.WaitGroup
	defer subscriber.Wait()
	defer cancel()
	subscriber.Go(func() {
		_ = zmq.Subscribe(ctx, pub.Addr().String(), []string{"a"}, zmq.Limits{},
			func(frames [][]byte) { got <- texts(frames) })
	})
	eventually(t, "subscription", func() bool {
		return slices.Contains(pub.(zmq4.Topics).Topics(), "a")
	})
	if m := <-got; m != nil {
		t.Fatalf("%q before anything was sent", m)
	}
	for i, body := range bodies {
		check(t, pub.Send(zmq4.NewMsgFrom(fmt.Append(nil, "a", i), []byte(body))))
		if m := <-got; !slices.Equal(m, []string{fmt.Sprint("a", i), body}) {
			t.Fatalf("message %.100q", m)
		}
	}
}
