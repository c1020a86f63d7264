package fabric_test

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/fabric"
)

// impaired puts faults in front of all ports of a network without faults, whose
// sessions are ranks.
func impaired(ports []fabric.Port, c fabric.Conditions) (out []*fabric.Impaired) {
	for i, p := range ports {
		imp := fabric.Impair(p,
			fabric.Who{Rank: i, OfSession: func(session uint32) (int, bool) { return int(session), true }})
		imp.SetConditions(c)
		out = append(out, imp)
	}
	return out
}

// asPorts are what an engine would see.
func asPorts(imp []*fabric.Impaired) (out []fabric.Port) {
	for _, p := range imp {
		out = append(out, p.Port())
	}
	return out
}

func everywhere(seed int64, f fabric.Faults) fabric.Conditions {
	return fabric.Conditions{Seed: seed, Link: func(_, _ int) fabric.Condition { return fabric.Condition{Faults: f} }}
}

// An impaired port does to each packet what a Net with the same seed does, at
// the same time.
func TestImpairLikeNet(t *testing.T) {
	everything := fabric.Faults{Loss: 0.1, Corrupt: 0.05, Duplicate: 0.1, Reorder: 0.2}
	slow := everything
	slow.Latency, slow.Jitter, slow.BytesPerSecond = 3*time.Millisecond, 2*time.Millisecond, 1e6
	for _, kind := range kinds {
		for name, f := range map[string]fabric.Faults{
			"loss": {Loss: 0.3}, "corrupt": {Corrupt: 0.3}, "duplicate": {Duplicate: 0.3}, "reorder": {Reorder: 0.3},
			"jitter": {Jitter: time.Millisecond}, "rate": {BytesPerSecond: 2e5}, "everything": everything,
			"everything slow": slow,
		} {
			// record says when what arrives where.
			record := func(prepare func(*fabric.Net, []fabric.Port) []fabric.Port) (log []string, stats []fabric.Stats) {
				synctest.Test(t, func(t *testing.T) {
					net, inner := world(t, kind, 3, fabric.Options{Seed: 11, WindowBytes: 1 << 30})
					ports := prepare(net, inner)
					start := time.Now()
					for i := range 4000 {
						if i < 3000 {
							send(t, ports[i%3], (i%3+1+i%2)%3, numbered(i, i%50))
						}
						time.Sleep(100 * time.Microsecond)
						synctest.Wait()
						for to, p := range ports {
							for _, packet := range receiveAll(p) {
								log = append(log, fmt.Sprint(time.Since(start), packet.Session, to, number(packet)))
							}
						}
					}
					for a := range 3 {
						for b := range 3 {
							if imp, ok := fabric.ImpairedOf(ports[a]); ok {
								stats = append(stats, imp.StatsOf(uint32(b)))
							} else {
								stats = append(stats, net.Stats(a, b))
							}
						}
					}
				})
				return log, stats
			}
			want, wantStats := record(func(net *fabric.Net, ports []fabric.Port) []fabric.Port {
				net.SetConditions(everywhere(11, f))
				return ports
			})
			got, gotStats := record(func(_ *fabric.Net, ports []fabric.Port) []fabric.Port {
				return asPorts(impaired(ports, everywhere(11, f)))
			})
			if !slices.Equal(got, want) {
				t.Errorf("%v, %s: %d packets arrive, or others, or at other times; %d with the network", kind,
					name, len(got), len(want))
			}
			assert.Check(t, slices.Equal(gotStats, wantStats),
				"%v, %s: %+v, %+v with the network", kind, name, gotStats, wantStats)
			if kind != fabric.UDP && len(got) != 3000 {
				t.Errorf("%v, %s: %d packets arrive", kind, name, len(got))
			}
		}
	}
}

// A partition holds packets back on TCP and loses them on UDP, also those that
// are on their way already.
func TestImpairPartition(t *testing.T) {
	eachKind(t, func(t *testing.T, kind fabric.Kind) {
		synctest.Test(t, func(t *testing.T) {
			_, inner := world(t, kind, 3, fabric.Options{})
			imp := impaired(inner, everywhere(1, fabric.Faults{Latency: time.Second}))
			ports := asPorts(imp)
			send(t, ports[0], 1, numbered(0, 0))
			cut := only(0, 1, fabric.Condition{Cut: true})
			imp[0].SetConditions(cut)
			send(t, ports[0], 1, numbered(1, 0))
			send(t, ports[0], 2, numbered(2, 0))
			time.Sleep(time.Hour)
			synctest.Wait()
			receives(t, ports[1]) // nothing crosses the partition
			receives(t, ports[2], 2)
			imp[0].SetConditions(fabric.Conditions{})
			synctest.Wait()
			want, dropped := []int{0, 1}, uint64(0)
			if kind == fabric.UDP {
				want, dropped = nil, 2
			}
			receives(t, ports[1], want...)
			s := imp[0].Stats()
			assert.Check(t, s.Sent == 3 && s.Dropped == dropped && s.Delivered == 3-dropped, "%+v", s)
		})
	})
}

// What is on its way fills the window of the session, and others have room.
func TestImpairWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, inner := world(t, fabric.TCP, 3, fabric.Options{WindowBytes: 1 << 30})
		imp := impaired(inner, everywhere(1, fabric.Faults{Latency: time.Second}))
		ports := asPorts(imp)
		var notified atomic.Int64
		ports[0].Notify(func() { notified.Add(1) })
		const payload = 64<<10 - header
		accepted := 0
		for ; accepted < 100 && ports[0].Send(1, numbered(accepted, payload)) == nil; accepted++ {
		}
		assert.Check(t, accepted == fabric.DefaultWindowBytes/(64<<10)+1, "accepted %d packets", accepted)
		assert.Check(t, is.ErrorIs(ports[0].Send(1, numbered(accepted, payload)), fabric.ErrBusy))
		send(t, ports[0], 2, numbered(0, 0))
		time.Sleep(time.Second - 1)
		synctest.Wait()
		n := notified.Load()
		assert.Check(t, n == 0, "%d notifications before there is room", n)
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		assert.Check(t, notified.Load() != 0, "nobody says that there is room")
		send(t, ports[0], 1, numbered(accepted, payload))
		time.Sleep(time.Second)
		synctest.Wait()
		got := numbers(receiveAll(ports[1]))
		assert.Check(t, len(got) == accepted+1 && slices.IsSorted(got), "received %v", got)
	})
}

// Everything that crosses the port is released once, whatever becomes of it.
func TestImpairReleases(t *testing.T) {
	eachKind(t, func(t *testing.T, kind fabric.Kind) {
		synctest.Test(t, func(t *testing.T) {
			_, inner := world(t, kind, 2, fabric.Options{})
			imp := impaired(inner, everywhere(3, fabric.Faults{Loss: 0.2, Duplicate: 0.2, Reorder: 0.2,
				Latency: time.Millisecond, Jitter: time.Millisecond}))
			ports := asPorts(imp)
			const n = 2000
			freed := make([]int, n)
			for i := range n {
				p := numbered(i, 10)
				p.Free = func() { freed[i]++ }
				send(t, ports[0], 1, p)
				if i%100 == 0 {
					time.Sleep(time.Millisecond)
					synctest.Wait()
				}
				if i == n/2 {
					for _, p := range receiveAll(ports[1]) {
						p.Release()
					}
				}
			}
			// Close lets go what is on its way.
			assert.Check(t, ports[0].Close())
			<-imp[0].Done()
			assert.Check(t, ports[0].Close(), "closing again")
			p := numbered(0, 0)
			assert.Check(t, is.ErrorIs(ports[0].Send(1, p), fabric.ErrClosed), "sending when closed")
			time.Sleep(time.Hour)
			synctest.Wait()
			for _, p := range receiveAll(ports[1]) {
				p.Release()
			}
			for i, times := range freed {
				if times != 1 {
					t.Fatalf("packet %d was released %d times", i, times)
				}
			}
			s := imp[0].Stats()
			balanced(t, s)
			assert.Check(t, s.Sent == n && s.Dropped != 0, "%+v", s)
		})
	})
}

// A session that is closed says so at once without a delay, and with one as
// soon as a packet has found out.
func TestImpairClosedSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net, inner := world(t, fabric.TCP, 2, fabric.Options{})
		imp := impaired(inner, fabric.Conditions{})
		ports := asPorts(imp)
		freed := 0
		packet := func() *fabric.Packet {
			p := numbered(0, 0)
			p.Free = func() { freed++ }
			return p
		}
		net.Kill(1)
		if err := ports[0].Send(1, packet()); !errors.Is(err, fabric.ErrClosed) || freed != 0 {
			t.Errorf("without delay: %v, released %d times", err, freed)
		}
		err := ports[0].Send(99, packet())
		assert.Check(t, errors.Is(err, fabric.ErrClosed) && freed == 0, "nobody: %v, released %d times", err, freed)
		imp[0].SetConditions(everywhere(1, fabric.Faults{Latency: time.Second}))
		send(t, ports[0], 1, packet(), packet())
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Check(t, freed == 2, "released %d times after their way", freed)
		for range 2 {
			if err := ports[0].Send(1, packet()); !errors.Is(err, fabric.ErrClosed) || freed != 2 {
				t.Errorf("afterwards: %v, released %d times", err, freed)
			}
		}
		s := imp[0].StatsOf(1)
		assert.Check(t, s == (fabric.Stats{Sent: 2, Dropped: 2, Bytes: 2 * header}), "%+v", s)
		closes(t, ports[0], 1)
	})
}

// Ranks are known by session, by the address of Connect and Route, or not.
func TestImpairKnowsRanks(t *testing.T) {
	_, inner := world(t, fabric.RDMA, 4, fabric.Options{})
	cutTo := func(rank int) fabric.Conditions { return only(0, rank, fabric.Condition{Cut: true}) }
	reaches := func(p fabric.Port, session int) bool {
		t.Helper()
		send(t, p, session, numbered(0, 0))
		return len(receiveAll(inner[session])) == 1
	}
	byAddress := func(at uint32, _ uint16) (int, bool) { return int(at & 0xff), at&0xff < 100 } // 10.0.0.1 is rank 1

	imp := fabric.Impair(inner[0], fabric.Who{Rank: 0, OfAddress: byAddress})
	p := imp.Port()
	imp.SetConditions(cutTo(3))
	assert.Check(t, reaches(p, 2), "a session that nobody knows is cut off")
	if _, err := p.Connect(t.Context(), ip(2), port(2)); !errors.Is(err, fabric.ErrUnreachable) { // 10.0.0.3
		t.Errorf("connecting to rank 3: %v", err)
	}
	imp.SetConditions(fabric.Conditions{})
	if session, err := p.Connect(t.Context(), ip(2), port(2)); err != nil || session != 2 {
		t.Fatal(session, err)
	}
	imp.SetConditions(cutTo(3))
	assert.Check(t, !reaches(p, 2), "the partition lets a packet through")
	imp.SetConditions(cutTo(0))
	receiveAll(inner[2])
	assert.Check(t, reaches(p, 2), "another rank is cut off")

	unknown := only(1, fabric.Unknown, fabric.Condition{Cut: true})
	imp = fabric.Impair(inner[1], fabric.Who{Rank: 1})
	imp.SetConditions(unknown)
	assert.Check(t, !reaches(imp.Port(), 3), "the session is not Unknown")
}

// routing is a port that is also a Router.
type routing struct {
	fabric.Port
	routes []string
}

func (r *routing) Route(session uint32, ip uint32, port uint16, local bool) {
	r.routes = append(r.routes, fmt.Sprint(session, " ", ip, " ", port, " ", local))
}

func TestImpairRoutes(t *testing.T) {
	_, inner := world(t, fabric.UDP, 3, fabric.Options{})
	if _, ok := fabric.Impair(inner[2], fabric.Who{}).Port().(fabric.Router); ok {
		t.Error("a port that does not route is a Router")
	}
	r := &routing{Port: inner[0]}
	imp := fabric.Impair(r,
		fabric.Who{Rank: 7, OfAddress: func(ip uint32, port uint16) (int, bool) { return int(port), true }})
	p := imp.Port()
	router, ok := p.(fabric.Router)
	assert.Assert(t, ok, "a port that routes is no Router")
	router.Route(0, 5, 40, true)
	router.Route(1, 6, 41, false)
	router.Route(2, 6, 42, false)
	router.Route(2, 6, 43, false)
	want := []string{"0 5 40 true", "1 6 41 false", "2 6 42 false", "2 6 43 false"}
	assert.Check(t, slices.Equal(r.routes, want), "routes %v", r.routes)
	leadTo := map[int]int{0: 7, 1: 41, 2: 43}
	check := func() {
		t.Helper()
		for session, rank := range leadTo {
			imp.SetConditions(fabric.Conditions{Link: func(from, to int) fabric.Condition {
				return fabric.Condition{Cut: from == 7 && to == rank}
			}})
			for other := range 3 {
				send(t, p, other, numbered(0, 0))
				if arrived := len(receiveAll(inner[other])) == 1; arrived != (other != session) {
					t.Errorf("rank %d is cut off, session %d: arrived %v", rank, other, arrived)
				}
			}
		}
	}
	check()
	router.Route(1, 6, 44, false)
	leadTo[1] = 44
	check()
	if got, ok := fabric.ImpairedOf(p); !ok || got != imp {
		t.Error("the port does not know its faults")
	}
	if _, ok := fabric.ImpairedOf(inner[0]); ok {
		t.Error("a port without faults has some")
	}
}

// A port that is told of sessions without end does not keep them all, but what
// they count.
func TestImpairForgetsSessions(t *testing.T) {
	_, inner := world(t, fabric.UDP, 2, fabric.Options{})
	imp := fabric.Impair(inner[0], fabric.Who{Rank: 0, OfSession: func(s uint32) (int, bool) { return int(s), s == 1 }})
	imp.SetConditions(only(0, 1, fabric.Condition{Cut: true}))
	p := imp.Port()
	const n = 20_000
	for i := range n {
		send(t, p, 100+i, numbered(0, 0))
		if i%100 == 0 {
			send(t, p, 1, numbered(0, 0))
		}
	}
	s := imp.Stats()
	assert.Check(t, s.Sent == n+n/100 && s.Dropped == n/100, "%+v", s)
	s = imp.StatsOf(1)
	assert.Check(t, s.Sent == n/100, "a session that is in use was forgotten: %+v", s)
	s = imp.StatsOf(100)
	assert.Check(t, s.Sent == 0, "the oldest session was not forgotten: %+v", s)
}
