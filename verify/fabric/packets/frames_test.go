package packets_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"slices"
	"strings"
	"testing"

	"github.com/go-zeromq/zmq4"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/sim/zmq"
	"github.com/cclforge/cclforge/verify/fabric/packets"
)

// Every message that a port publishes, frame by frame.
func TestWhatIsPublished(t *testing.T) {
	payload := noise(1, 10_000)
	for _, c := range []struct {
		name    string
		o       packets.Options
		payload int
		topic   string
		packets []int // bytes of each, header included
	}{
		{"a header alone", packets.Options{}, 0, "0001", []int{64}},
		{"on TCP", packets.Options{}, 100, "0001", []int{164}},
		{"on UDP", packets.Options{Lossy: true}, 100, "0001", []int{192}},
		{"whole beats on UDP", packets.Options{Lossy: true}, 128, "0001", []int{192}},
		{"the largest packet", packets.Options{}, 4032, "0001", []int{4096}},
		{"the largest on UDP", packets.Options{Lossy: true}, 4032, "0001", []int{4096}},
		{"continued by a byte", packets.Options{}, 4033, "0001", []int{4096, 1}},
		{"continued", packets.Options{}, 10_000, "0001", []int{4096, 4096, 1872}},
		{"2022", packets.Options{Unpadded: true}, 100, "1", []int{164}},
		{"the largest of 2022", packets.Options{Unpadded: true}, 1472, "1", []int{1536}},
		{"continued in 2022", packets.Options{Unpadded: true}, 5000, "1", []int{1536, 1536, 1536, 456}},
		{"2022 on UDP", packets.Options{Unpadded: true, Lossy: true}, 1409, "1", []int{1536}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Endpoints = endpoints(t, 2)
			port := open(t, c.o)
			sub := zmq4.NewSub(t.Context(), zmq4.WithLogger(log.New(io.Discard, "", 0)))
			defer sub.Close()
			assert.NilError(t, sub.SetOption(zmq4.OptionSubscribe, c.topic))
			assert.NilError(t, sub.Dial("tcp://"+c.o.Endpoints.EthernetOut(0)))
			p := message(7, payload[:c.payload])
			want := slices.Concat(p.Header[:], p.Payload)
			send(t, port, 1, p)
			encoded := slices.Collect(packets.Encode(0, 1, &p.Header, p.Payload,
				packets.Format{Unpadded: c.o.Unpadded, Lossy: c.o.Lossy}))
			assert.Assert(t, len(encoded) == len(c.packets), "encoded as %d messages", len(encoded))
			for i, n := range c.packets {
				m, err := sub.Recv()
				assert.NilError(t, err)
				if len(m.Frames) != 3 || string(m.Frames[0]) != c.topic || string(m.Frames[1]) != "0" {
					t.Fatalf("packet %d: %d frames, %q", i, len(m.Frames), m.Frames[:min(2, len(m.Frames))])
				}
				assert.Check(t, slices.EqualFunc(m.Frames, encoded[i], bytes.Equal),
					"packet %d is encoded as %q", i, encoded[i])
				var body map[string][]int
				if err := json.Unmarshal(m.Frames[2], &body); err != nil || len(body) != 1 {
					t.Fatalf("packet %d: %v in %q", i, err, m.Frames[2])
				}
				assert.Assert(t, len(body["data"]) == n, "packet %d has %d bytes, want %d", i, len(body["data"]), n)
				for k, v := range body["data"] {
					if v < 0 || v > 255 || k < len(want) && byte(v) != want[k] {
						t.Fatalf("packet %d: byte %d is %d", i, k, v)
					}
				}
				want = want[min(n, len(want)):]
			}
			// A packet is counted when it is on its way.
			until(t, "a count", func() bool { return port.Stats().Published >= uint64(len(c.packets)) })
			if s := port.Stats(); len(want) != 0 || s.Published != uint64(len(c.packets)) {
				t.Errorf("%d bytes are missing; %s", len(want), s)
			}
		})
	}
}

// raw is a publisher whose every frame the test chooses, in the place of rank 1,
// and the port of rank 0 that listens to it.
func raw(t *testing.T, o packets.Options) (*foreign, *packets.Port) {
	t.Helper()
	if o.Endpoints.Ranks == 0 {
		o.Endpoints = endpoints(t, 2)
	}
	port := open(t, o)
	f := newForeign(t, o.Endpoints, 1, kind{old: o.Unpadded, udp: o.Lossy})
	f.join(o.Endpoints, 0)
	return f, port
}

// body is a packet as JSON text.
func body(parts ...[]byte) string {
	var words []string
	for _, b := range slices.Concat(parts...) {
		words = append(words, fmt.Sprint(b))
	}
	return `{"data":[` + strings.Join(words, ",") + `]}`
}

func TestWhatOthersPublish(t *testing.T) {
	payload := noise(2, 10_000)
	h := func(n int) []byte { return header(n, 1, 1, 0, 0, 0) }
	signed := strings.ReplaceAll(body(h(2), []byte{255, 128}), "255,128", "-1,-128")
	for _, c := range []struct {
		name   string
		o      packets.Options
		bodies []string
		want   []byte
	}{
		{"alone", packets.Options{}, []string{body(h(0))}, nil},
		{"with payload", packets.Options{}, []string{body(h(10), payload[:10])}, payload[:10]},
		{"signed bytes", packets.Options{}, []string{signed}, []byte{255, 128}},
		{"spaces", packets.Options{}, []string{strings.ReplaceAll(body(h(1), payload[:1]), ",", ",\r\n\t\t        ")},
			payload[:1]},
		{"more fields", packets.Options{}, []string{`{"x":[{}],` + body(h(1), payload[:1])[1:]}, payload[:1]},
		{"continued", packets.Options{}, []string{body(h(5000), payload[:4032]), body(payload[4032:5000])}, payload[:5000]},
		{"continued at once", packets.Options{}, []string{body(h(3)), body(payload[:3])}, payload[:3]},
		{"in small parts", packets.Options{}, []string{body(h(100), payload[:1]), body(payload[1:41]), body(payload[41:50]),
			body(payload[50:100])}, payload[:100]},
		{"padded", packets.Options{Lossy: true}, []string{body(h(10), payload[:10], make([]byte, 54))}, payload[:10]},
		{"exact on UDP", packets.Options{Lossy: true}, []string{body(h(10), payload[:10])}, payload[:10]},
		{"continued on UDP", packets.Options{Lossy: true}, []string{body(h(5000), payload[:4032]),
			body(payload[4032:5000], make([]byte, 56))}, payload[:5000]},
		{"2022", packets.Options{Unpadded: true}, []string{body(h(1472), payload[:1472])}, payload[:1472]},
		{"2022, continued", packets.Options{Unpadded: true}, []string{body(h(2000), payload[:1472]),
			body(payload[1472:2000])}, payload[:2000]},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, port := raw(t, c.o)
			for _, text := range c.bodies {
				f.frames(f.topic(0), "1", text)
			}
			got := receive(t, port)
			assert.Check(t, got.Session == 1 && bytes.Equal(got.Header[:], h(len(c.want))) && bytes.Equal(got.Payload, c.want),
				"got %d bytes from %d, want %d", len(got.Payload), got.Session, len(c.want))
			s := port.Stats()
			assert.Check(t, s.Malformed == 0 && s.Received == uint64(len(c.bodies)), "%v", s)
		})
	}
}

// What is no packet is counted and dropped, and so is what it would have completed;
// what follows is not.
func TestMalformedMessages(t *testing.T) {
	h := func(n int) []byte { return header(n, 1, 1, 0, 0, 0) }
	good := body(h(1), []byte{9})
	for _, c := range []struct {
		name   string
		o      packets.Options
		frames [][]string // the first of each is for this rank unless it says otherwise
		count  uint64
	}{
		{"one frame", packets.Options{}, [][]string{{}}, 1},
		{"two frames", packets.Options{}, [][]string{{"1"}}, 1},
		{"four frames", packets.Options{}, [][]string{{"1", good, ""}}, 1},
		{"no JSON", packets.Options{}, [][]string{{"1", "data"}}, 1},
		{"cut JSON", packets.Options{}, [][]string{{"1", good[:len(good)-1]}}, 1},
		{"nothing", packets.Options{}, [][]string{{"1", ""}}, 1},
		{"no data", packets.Options{}, [][]string{{"1", `{"date":[]}`}}, 1},
		{"no bytes", packets.Options{}, [][]string{{"1", strings.Replace(good, ",9", ",256", 1)}}, 1},
		{"empty", packets.Options{}, [][]string{{"1", `{"data":[]}`}}, 1},
		{"less than a header", packets.Options{}, [][]string{{"1", body(h(0)[:63])}}, 1},
		{"more than its header says", packets.Options{}, [][]string{{"1", body(h(1), []byte{1, 2})}}, 1},
		{"padded on TCP", packets.Options{}, [][]string{{"1", body(h(1), make([]byte, 64))}}, 1},
		{"padded by too much", packets.Options{Lossy: true}, [][]string{{"1", body(h(1), make([]byte, 128))}}, 1},
		{"padded by too little", packets.Options{Lossy: true}, [][]string{{"1", body(h(1), make([]byte, 63))}}, 1},
		{"larger than a packet", packets.Options{}, [][]string{{"1", body(h(4033), make([]byte, 4033))}}, 1},
		{"larger than a packet of 2022", packets.Options{Unpadded: true},
			[][]string{{"1", body(h(1473), make([]byte, 1473))}}, 1},
		{"a rank that there is not", packets.Options{}, [][]string{{"2", good}}, 1},
		{"the rank itself", packets.Options{}, [][]string{{"0", good}}, 1},
		{"no rank", packets.Options{}, [][]string{{"one", good}, {"-1", good}, {"", good}, {"18446744073709551617", good}},
			4},
		{"continued by too much", packets.Options{}, [][]string{{"1", body(h(2), []byte{1})}, {"1", body([]byte{2, 3})}}, 1},
		{"continued by nothing", packets.Options{}, [][]string{{"1", body(h(2), []byte{1})}, {"1", body()}}, 1},
		{"continued by no packet", packets.Options{}, [][]string{{"1", body(h(2), []byte{1})}, {"1", "{}"}}, 1},
		{"text without end", packets.Options{Limits: zmq.Limits{MessageBytes: 2000}},
			[][]string{{"1", strings.Repeat(" ", 3000)}}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, port := raw(t, c.o)
			for _, frames := range c.frames {
				f.frames(append([]string{f.topic(0)}, frames...)...)
			}
			if c.count > 0 {
				until(t, "a count", func() bool { return port.Stats().Malformed == c.count })
			} else {
				until(t, "that the port has subscribed anew", func() bool {
					f.frames(f.topic(0), "1", good)
					return port.Stats().Received > 0
				})
			}
			f.frames(f.topic(0), "1", good)
			p := receive(t, port)
			assert.Check(t, bytes.Equal(p.Payload, []byte{9}), "received %d bytes, want the good packet's", len(p.Payload))
			s := port.Stats()
			assert.Check(t, s.Malformed == c.count, "%v", s)
		})
	}
}

// Numbers that begin like this rank's are those of others.
func TestPacketsForOthersAreIgnored(t *testing.T) {
	for name, c := range map[string]struct {
		o      packets.Options
		others []string
	}{
		"2024": {packets.Options{}, []string{"0", "00", "00000", "0001", "00001", ""}},
		"2022": {packets.Options{Unpadded: true}, []string{"01", "0000", "1", "00", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			f, port := raw(t, c.o)
			good := body(header(1, 1, 1, 0, 0, 0), []byte{9})
			for _, topic := range c.others {
				f.frames(topic, "1", good)
				f.frames(topic, "nobody", "nothing")
				f.frames(topic)
			}
			f.frames(f.topic(0), "1", good)
			receive(t, port)
			s := port.Stats()
			assert.Check(t, s == (packets.Stats{Received: 1}) && port.Receive() == nil, "%v", s)
		})
	}
}

// A message that is too large is passed over with all its packets.
func TestMessagesThatAreTooLarge(t *testing.T) {
	f, port := raw(t, packets.Options{MaxMessage: 10_000})
	send := func(n int) { f.wire(0, append(header(n, 1, 1, 0, 0, 0), noise(n, n)...)) }
	for _, n := range []int{10_000, 10_001, 20_000, 5} {
		send(n)
	}
	for _, n := range []int{10_000, 5} {
		if p := receive(t, port); !bytes.Equal(p.Payload, noise(n, n)) {
			t.Errorf("received %d bytes, want %d", len(p.Payload), n)
		}
	}
	s := port.Stats()
	assert.Check(t, s.TooLarge == 2 && s.Malformed == 0, "%v", s)
	// What a header says takes no room before it comes.
	f.publish(0, header(0x7FFFFFFF, 1, 1, 0, 0, 0))
	until(t, "a count", func() bool { return port.Stats().TooLarge == 3 })
}

// What a rank says first when it is started again is no rest of what it said last.
func TestARankThatIsStartedAgainInTheMiddleOfAMessage(t *testing.T) {
	o := packets.Options{Endpoints: endpoints(t, 2)}
	f, port := raw(t, o)
	f.publish(0, append(header(5000, 1, 1, 0, 0, 0), make([]byte, 4032)...))
	until(t, "the first part", func() bool { return port.Stats().Received == 1 })
	f.close()
	again := newForeign(t, o.Endpoints, 1, kind{})
	again.join(o.Endpoints, 0)
	again.publish(0, append(header(1, 1, 1, 0, 0, 0), 9))
	p := receive(t, port)
	assert.Check(t, bytes.Equal(p.Payload, []byte{9}), "received %d bytes", len(p.Payload))
}
