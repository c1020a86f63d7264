package packets_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/packets"
)

func TestPacketsArriveInOrderAndWhole(t *testing.T) {
	for name, o := range map[string]packets.Options{
		"tcp": {}, "udp": {Lossy: true}, "tcp of 2022": {Unpadded: true}, "udp of 2022": {Unpadded: true, Lossy: true},
	} {
		t.Run(name, func(t *testing.T) {
			ports := openAll(t, 2, o)
			sizes := []int{0, 1, 63, 64, 65, 1000, 1471, 1472}
			if !o.Unpadded {
				sizes = append(sizes, 1473, 4031, 4032)
			}
			if !o.Lossy {
				sizes = append(sizes, 4033, 8128, 8129, 8191, 8192, 100_000)
			}
			var sent []*fabric.Packet
			var released atomic.Int32
			for i, n := range sizes {
				p := message(uint32(i), noise(i, n))
				sent = append(sent, &fabric.Packet{Header: p.Header, Payload: p.Payload})
				send(t, ports[1], 0, freed(p, &released))
			}
			for _, want := range sent {
				same(t, receive(t, ports[0]), 1, want)
			}
			if got := ports[0].Receive(); got != nil {
				t.Errorf("packet %d more", number(got))
			}
			until(t, "release of all packets", func() bool { return int(released.Load()) == len(sizes) })
			if s := ports[0].Stats(); s.Malformed+s.TooLarge+s.Unheard != 0 || s.Received < uint64(len(sizes)) {
				t.Errorf("the receiver counts: %s", s)
			}
		})
	}
}

func TestUDPCarriesOnePacketAMessage(t *testing.T) {
	for unpadded, most := range map[bool]int{false: 4032, true: 1472} {
		ports := openAll(t, 2, packets.Options{Lossy: true, Unpadded: unpadded})
		got := ports[0].MaxPayload()
		assert.Check(t, got == most, "a payload of %d bytes, want %d", got, most)
		err := ports[0].Send(1, message(0, make([]byte, most+1)))
		assert.Check(t, err != nil && strings.Contains(err.Error(), strconv.Itoa(most)), "%d bytes: %v", most+1, err)
	}
}

func TestSendersTakeTurns(t *testing.T) {
	ports := openAll(t, 3, packets.Options{})
	for i := range 100 {
		send(t, ports[1], 0, message(uint32(i), nil))
	}
	for i := range 3 {
		send(t, ports[2], 0, message(uint32(1000+i), nil))
	}
	until(t, "arrival", func() bool { return ports[0].Stats().Received == 103 })
	last := 0
	for i := range 103 {
		if p := receive(t, ports[0]); p.Session == 2 {
			last = i
		}
	}
	assert.Check(t, last <= 6, "the second sender's third packet was received after %d others", last)
}

func TestHeldRanksStayWhereTheyAre(t *testing.T) {
	ports := openAll(t, 3, packets.Options{})
	ports[0].Hold(1, true)
	ports[0].Hold(77, true) // nobody
	send(t, ports[1], 0, message(1, nil))
	until(t, "arrival", func() bool { return ports[0].Stats().Received == 1 })
	send(t, ports[2], 0, message(2, nil))
	assert.Check(t, is.Equal(receive(t, ports[0]).Session, uint32(2)), "received from")
	if p := ports[0].Receive(); p != nil {
		t.Errorf("received from %d, which is held", p.Session)
	}
	send(t, ports[2], 0, message(2, nil))
	until(t, "arrival", func() bool { return ports[0].Stats().Received == 3 })
	ports[0].Hold(2, true) // though it could have been received from
	if p := ports[0].Receive(); p != nil {
		t.Errorf("received from %d, which is held meanwhile", p.Session)
	}
	ports[0].Hold(2, false)
	receive(t, ports[0])
	var told atomic.Int32
	ports[0].Notify(func() { told.Add(1) })
	before := told.Load()
	ports[0].Hold(1, false)
	assert.Check(t, told.Load() != before, "nobody was told that the rank is held no longer")
	p := ports[0].Receive()
	assert.Check(t, p != nil && p.Session == 1, "received %v", p)
	before = told.Load()
	send(t, ports[1], 0, message(1, nil))
	until(t, "notification of an arrival", func() bool { return told.Load() > before })
	again := false
	ports[0].Notify(func() { again = true })
	assert.Check(t, again, "who asks later was not told of what is there")
}

func TestWhoIsNobody(t *testing.T) {
	for name, lossy := range map[string]bool{"tcp": false, "udp": true} {
		port := openAll(t, 2, packets.Options{Lossy: lossy})[0]
		for _, session := range []uint32{0, 2, 1 << 31, 0xFFFFFFFF} {
			err := port.Send(session, message(0, nil))
			if lossy && err != nil || !lossy && !errors.Is(err, fabric.ErrClosed) {
				t.Errorf("%s: to session %d: %v", name, session, err)
			}
		}
		if lossy && port.Stats().Unheard != 4 {
			t.Error(port.Stats())
		}
	}
}

func TestConnectFindsRanks(t *testing.T) {
	o := packets.Options{Endpoints: endpoints(t, 4), Rank: 1,
		Peers: func(rank int) string { return "10.1.2." + strconv.Itoa(rank+3) }}
	port := open(t, o)
	base := uint16(o.Endpoints.Port)
	host := func(last byte) uint32 { return 10<<24 | 1<<16 | 2<<8 | uint32(last) }
	for rank := range uint32(4) { // words that nobody has filled in
		port.Route(0, 0xC0A80000+rank, 5001, rank == 1)
	}
	port.Route(3, 0xC0A80100, 5001, false)
	port.Route(2, 0xC0A80101, 5001, false)
	port.Route(1, host(3), base, false) // less than what is so
	port.Route(9, 0xC0A80102, 5001, false)
	for _, c := range []struct {
		ip   uint32
		port uint16
		rank int // -1 for none
	}{
		{host(3), base, 0},
		{host(6), base + 3, 3},
		{host(4), base + 1, 1},
		{host(3), base + 4, 0},
		{host(4), base + 4 + 1, 1},
		{host(5), base + 16 + 2, 2},
		{host(5), base + 8 + 2, -1},
		{0xC0A80100, 5001, 3},
		{0xC0A80101, 5001, 2},
		{host(3), base + 1, -1},
		{host(3), base + 5, -1},
		{0xC0A80002, 5001, -1},
		{0xC0A80102, 5001, -1},
		{0xC0A80100, 5002, -1},
		{0, 0, -1},
	} {
		session, err := port.Connect(t.Context(), c.ip, c.port)
		if c.rank >= 0 && (err != nil || session != uint32(c.rank)) {
			t.Errorf("%08X:%d is %d, %v; want rank %d", c.ip, c.port, session, err, c.rank)
		}
		if c.rank < 0 && (!errors.Is(err, fabric.ErrRefused) || !strings.Contains(err.Error(), strconv.Itoa(int(c.port)))) {
			t.Errorf("%08X:%d is %d, %v", c.ip, c.port, session, err)
		}
	}
	assert.Check(t, port.Listen(base))
}

func TestRanksAreOnTheLoopbackAddressUnlessToldOtherwise(t *testing.T) {
	ports := openAll(t, 2, packets.Options{})
	base := uint16(0)
	for p := range 1 << 16 { // the pair knows its own ports only
		if s, err := ports[0].Connect(t.Context(), 127<<24|1, uint16(p)); err == nil && s == 0 {
			base = uint16(p)
			break
		}
	}
	s, err := ports[0].Connect(t.Context(), 127<<24|1, base+1)
	assert.Check(t, base != 0 && err == nil && s == 1, "127.0.0.1:%d is %d, %v", base+1, s, err)
}

func TestMistakesInOptions(t *testing.T) {
	e := endpoints(t, 2)
	open(t, packets.Options{Endpoints: e})
	for name, c := range map[string]struct {
		o    packets.Options
		text string
	}{
		"in use":     {packets.Options{Endpoints: e, Framing: framing}, "address already in use"},
		"the port":   {packets.Options{Endpoints: e, Framing: framing}, strconv.Itoa(e.Port + 2)},
		"no framing": {packets.Options{Endpoints: e}, "framing"},
		"no rank":    {packets.Options{Endpoints: e, Rank: 2, Framing: framing}, "rank 2"},
		"no ranks":   {packets.Options{Framing: framing}, "0 ranks"},
		"no address": {packets.Options{Endpoints: e, Rank: 1, Listen: "203.0.113.1", Framing: framing}, "203.0.113.1"},
	} {
		_, err := packets.New(t.Context(), c.o)
		assert.Check(t, is.ErrorContains(err, c.text), "%s", name)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := packets.New(ctx, packets.Options{Endpoints: e, Rank: 1, Framing: framing})
	assert.Check(t, is.ErrorIs(err, context.Canceled))
}
