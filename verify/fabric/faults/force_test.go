package faults_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/faults"
)

// each runs a test in each way, in a world of four ranks.
func each(t *testing.T, kind fabric.Kind, text string, test func(t *testing.T, net *fabric.Net, ports []fabric.Port)) {
	t.Helper()
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := parse(t, text)
				net, ports := network(t, kind, 4)
				test(t, net, way(t.Context(), p, net, ports))
			})
		})
	}
}

// sentAt is when exchange sends the packet with a number.
func sentAt(n int) time.Duration { return time.Duration(n)*period + period/3 }

// on is the given links, "0>2" from rank 0 to rank 2, at all times.
func on(links ...string) func(from, to int, at time.Duration) bool {
	return func(from, to int, _ time.Duration) bool {
		return slices.Contains(links, fmt.Sprintf("%d>%d", from, to))
	}
}

// during is all links in a span of time.
func during(begin, end time.Duration) func(from, to int, at time.Duration) bool {
	return func(_, _ int, at time.Duration) bool { return begin <= at && at < end }
}

// Losing all packets shows for which links and when an exception holds.
func TestExceptionsHoldForTheirLinksAndTimes(t *testing.T) {
	const ever = time.Hour
	for text, lost := range map[string]func(from, to int, at time.Duration) bool{
		`links = {"0-2" = {loss = 1}}`:    on("0>2", "2>0"),
		`links = {"0>2" = {loss = 1}}`:    on("0>2"),
		`links = {"2>0" = {corrupt = 1}}`: on("2>0"),
		`links = {"*>3" = {loss = 1}}`:    on("0>3", "1>3", "2>3", "3>3"),
		`links = {"1>*" = {cut = true}}`:  on("1>0", "1>1", "1>2", "1>3"),
		`links = {"1" = {loss = 1}}`:      on("1>0", "1>1", "1>2", "1>3", "0>1", "2>1", "3>1"),
		`links = {"3-3" = {loss = 1}}`:    on("3>3"),

		`links = {"*" = {loss = 1, from = "1s", to = "2s"}}`: during(time.Second, 2*time.Second),
		`links = {"*" = {loss = 1, from = "2500ms"}}`:        during(2500*time.Millisecond, ever),
		`links = {"*" = {loss = 1, to = "500ms"}}`:           during(0, 500*time.Millisecond),
		`loss = 1, links = {"*" = {loss = 0, from = "1s"}}`:  during(0, time.Second),

		`links = {"0>1" = {loss = 0}, "*" = {loss = 1}}`:          during(0, ever),
		`links = {"0>1" = {cut = true}, "*" = {latency = "1ms"}}`: on("0>1"),
		`loss = 1, links = {"0-1" = {loss = 0, latency = "1ms"}}`: func(a, b int, _ time.Duration) bool { return a+b != 1 },
		`links = {"*" = {loss = 1}, "0>1" = {loss = 0}}`: func(a, b int, _ time.Duration) bool {
			return a != 0 || b != 1
		},
		`links = [{ranks = "0>1", cut = true, from = "1s"}, {ranks = "0>1", cut = false, from = "2s"}]`: func(a, b int,
			at time.Duration) bool {
			return a == 0 && b == 1 && during(time.Second, 2*time.Second)(a, b, at)
		},
		`partitions = [{groups = [[0, 1], [2]]}]`: func(a, b int, _ time.Duration) bool {
			group := []int{1, 1, 2, 0}
			return group[a] != group[b]
		},
		`partitions = [{groups = [[0]], from = "1s", to = "2s"}, {groups = [[1]], from = "1500ms"}]`: func(a, b int,
			at time.Duration) bool {
			first := during(time.Second, 2*time.Second)(a, b, at) && (a == 0) != (b == 0)
			return first || at >= 1500*time.Millisecond && (a == 1) != (b == 1)
		},
	} {
		each(t, fabric.UDP, "{"+text+"}", func(t *testing.T, _ *fabric.Net, ports []fabric.Port) {
			got := map[arrival]int{}
			for _, a := range exchange(t, ports, 3*time.Second) {
				a.at = 0
				got[a]++
			}
			for n := range 30 {
				for a := range ports {
					for b := range ports {
						want := 1
						if lost(a, b, sentAt(n)) {
							want = 0
						}
						if got := got[arrival{0, a, b, n}]; got != want {
							t.Errorf("%s: from %d to %d at %v arrive %d packets, not %d", text, a, b, sentAt(n), got, want)
						}
					}
				}
			}
		})
	}
}

// On TCP a partition delays what is sent meanwhile until its end, in order, and
// the probabilities mean nothing.
func TestPartitionsHoldBackOnTCP(t *testing.T) {
	for _, text := range []string{
		`{loss = 1, duplicate = 1, reorder = 1, corrupt = 1, partitions = [{groups = [[0, 1]], from = "1s", to = "2s"}]}`,
		`{links = {"0-2" = {cut = true, from = "1s", to = "2s"}, "0-3" = {cut = true, from = "1s", to = "2s"}, "1-2" = {cut = true, from = "1s", to = "2s"}, "1-3" = {cut = true, from = "1s", to = "2s"}}}`,
	} {
		each(t, fabric.TCP, text, func(t *testing.T, _ *fabric.Net, ports []fabric.Port) {
			got := exchange(t, ports, 3*time.Second)
			assert.Check(t, len(got) == 30*16, "%d packets of %d arrive", len(got), 30*16)
			next := map[[2]int]int{}
			for _, a := range got {
				link := [2]int{a.from, a.to}
				assert.Check(t, a.number == next[link], "packet %d of %v arrives instead of %d", a.number, link, next[link])
				next[link] = a.number + 1
				want := sentAt(a.number)
				if want > time.Second && want < 2*time.Second && (a.from < 2) != (a.to < 2) {
					want = 2 * time.Second
				}
				assert.Check(t, a.at >= want && a.at <= want+period/10,
					"packet %d of %v arrives at %v, not at %v", a.number, link, a.at, want)
			}
		})
	}
}

// The port of a rank that is killed closes at its time, and not that of others.
func TestKills(t *testing.T) {
	each(t, fabric.TCP, `{kills = [{rank = 3, at = "20s"}]}`, func(t *testing.T, _ *fabric.Net, ports []fabric.Port) {
		time.Sleep(20*time.Second - 1)
		synctest.Wait()
		assert.Check(t, ports[3].Send(0, numbered(1, 0)), "before its end")
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		assert.Check(t, is.ErrorIs(ports[3].Send(0, numbered(2, 0)), fabric.ErrClosed), "after its end")
		got := arrivals(time.Now(), ports)
		assert.Check(t, len(got) == 1, "arrived: %v", got)
		session, ok := ports[0].Closed()
		assert.Check(t, ok && session == 3, "rank 0 sees session %d closed: %v", session, ok)
		assert.Check(t, ports[0].Send(1, numbered(3, 0)), "between the others")
		assert.Check(t, is.ErrorIs(ports[0].Send(3, numbered(3, 0)), fabric.ErrClosed), "to the one that is gone")
	})
}

// When the context ends, the network stays as it is. Nothing is left running,
// which synctest would find.
func TestContextEndsChanges(t *testing.T) {
	for name, way := range ways {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			net, inner := network(t, fabric.UDP, 2)
			ports := way(ctx, parse(t, `{links = {"*" = {loss = 1, to = "10s"}}, kills = {"0" = {at = "1h"}}}`), net, inner)
			time.Sleep(time.Second)
			cancel()
			synctest.Wait()
			time.Sleep(2 * time.Hour)
			assert.Check(t, ports[0].Send(1, numbered(1, 0)))
			got := arrivals(time.Now(), ports)
			assert.Check(t, len(got) == 0, "%s: %v", name, got)
		})
	}
}

// A port that is closed needs no context to end.
func TestCloseEndsChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, inner := network(t, fabric.UDP, 2)
		port := parse(t, `{links = {"*" = {loss = 1, to = "10s"}}}`).Impair(context.WithoutCancel(t.Context()),
			inner[0], 0, nil)
		assert.Check(t, port.Close())
		synctest.Wait()
	})
}

// Ranks that join later can be given the same start.
func TestStart(t *testing.T) {
	for name, way := range ways {
		synctest.Test(t, func(t *testing.T) {
			p := parse(t, `{links = {"*" = {loss = 1, from = "5s", to = "8s"}}}`)
			p.Start = time.Now()
			time.Sleep(6 * time.Second)
			net, inner := network(t, fabric.UDP, 2)
			ports := way(t.Context(), p, net, inner)
			for _, want := range []int{0, 1} {
				assert.Check(t, ports[0].Send(1, numbered(1, 0)))
				if got := arrivals(time.Now(), ports); len(got) != want {
					t.Errorf("%s: %d packets arrive %v after the start", name, len(got), time.Since(p.Start))
				}
				time.Sleep(2 * time.Second)
				synctest.Wait()
			}
		})
	}
}

type router struct{ fabric.Port }

func (router) Route(uint32, uint32, uint16, bool) {}

func TestImpairReturns(t *testing.T) {
	_, inner := network(t, fabric.UDP, 2)
	lossy := parse(t, `{links = {"0-1" = {loss = 1}}}`)
	rankAt := func(at uint32, _ uint16) (int, bool) { return int(at&0xff) - 1, true }
	for _, p := range []*faults.Plan{nil, parse(t, "{}"), parse(t, `{seed = 5, loss = 0, latency = "0s", links = []}`)} {
		assert.Check(t, p.Impair(t.Context(), inner[0], 0, nil) == inner[0], "%v: another port", p)
		assert.Check(t, p.ImpairAt(t.Context(), inner[0], 0, rankAt) == inner[0], "%v: another port", p)
		p.Apply(t.Context(), fabric.NewNet(fabric.UDP, fabric.Options{}))
	}
	p := lossy.ImpairAt(t.Context(), router{inner[0]}, 0, rankAt)
	p.(fabric.Router).Route(1, ip(1), port(1), false)
	for range 3 {
		assert.Check(t, p.Send(1, numbered(0, 0)))
	}
	assert.Check(t, p.Send(0, numbered(0, 0)))
	if s := counts(t, p); s != (fabric.Stats{Sent: 4, Delivered: 1, Dropped: 3, Bytes: 4 * 64}) {
		t.Errorf("%+v", s)
	}
	_, ok := lossy.Impair(t.Context(), inner[1], 1, nil).(fabric.Router)
	assert.Check(t, !ok, "a port that does not route has become one")
}
