package accl_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
)

// TestCausesAlongWaits has reports of four ranks that no world of working engines gives at will, on a way between
// processes.
func TestCausesAlongWaits(t *testing.T) {
	p := platformOf(t, "u55c_udp")
	var world []accl.RankDump
	for _, r := range accl.LocalRanks(4) {
		world = append(world, accl.RankDump{Rank: r})
	}
	of := func(rank int, change func(*accl.Report)) accl.Report {
		r := accl.Report{Rank: rank, Awaited: -1, Unsent: -1, Limit: time.Second,
			Communicators: []accl.CommDump{{Address: 64, Local: rank, Ranks: world}}}
		if change != nil {
			change(&r)
		}
		return r
	}
	waits := func(rank int, since time.Duration) func(*accl.Report) {
		return func(r *accl.Report) {
			r.Busy, r.Calls, r.Waits = true, []string{"recv"}, []accl.Wait{{Rank: rank, Session: uint32(rank), Time: since}}
		}
	}
	told := func(r *accl.Report) { // by rank 0, before rank 2 has sent
		r.Last, r.LastCode, r.Fault, r.FaultComm, r.Awaited = "allreduce", 1<<27, &accl.Fault{Rank: 0}, 64, 2
	}
	met := func(change func(*accl.Report), r accl.Rendezvous) func(*accl.Report) {
		return func(out *accl.Report) {
			change(out)
			out.Rendezvous = []accl.Rendezvous{r}
		}
	}
	n := func(numbers ...uint32) []uint32 { return numbers }
	heard := func(number uint32, sent ...uint32) accl.ClearToSend {
		return accl.ClearToSend{Number: number, Sent: sent}
	}
	circle := accl.Cause{Kind: accl.InCircle, Rank: 0,
		Text: "ranks wait for each other: rank 0 for rank 1 (it is in recv), rank 1 for rank 0 (it is in recv)"}
	broken := errors.New("connection refused")
	for _, c := range []struct {
		name  string
		ranks [4]accl.Report // of rank 0 the causes are asked
		dead  int            // rank without a report
		want  []accl.Cause
	}{
		{"nothing is waited for", [4]accl.Report{of(0, nil)}, -1, nil},
		{"events of the other one were lost", [4]accl.Report{of(0, waits(1, time.Second)),
			of(1, func(r *accl.Report) { r.Unknown = true })}, -1, nil},
		{"for a short time", [4]accl.Report{of(0, waits(1, 200*time.Millisecond)), of(1, nil)}, -1, nil},
		{"its network is slow", [4]accl.Report{of(0, waits(1, time.Second)), of(1, func(r *accl.Report) {
			r.Busy, r.Calls = true, []string{"send"}
			r.Stands = []accl.Stall{{Name: "eth_tx_data", Doc: "It stands.", Cycles: 1 << 17}} // half a millisecond
		})}, -1, []accl.Cause{{Kind: accl.NotSent, Rank: 1, Text: "rank 1 has not sent what is waited for: it is in send"}}},
		{"its network stands", [4]accl.Report{of(0, waits(1, time.Second)), of(1, func(r *accl.Report) {
			r.Busy, r.Calls = true, []string{"send"}
			r.Stands = []accl.Stall{{Name: "eth_tx_data", Doc: "It stands.", Cycles: 1 << 27}}
		})}, -1, []accl.Cause{{Kind: accl.StreamHeld, Rank: 1, Text: "rank 1: It stands."}}},
		{"no report", [4]accl.Report{of(0, waits(3, time.Second))}, 3,
			[]accl.Cause{{Kind: accl.NoAnswer, Rank: 3, Text: "rank 3 does not answer: connection refused"}}},
		{"the processor of the last one has halted", [4]accl.Report{of(0, waits(1, time.Second)),
			of(1, waits(2, time.Second)), of(2, func(r *accl.Report) { r.Unwell = "halted: illegal instruction" })}, -1,
			[]accl.Cause{{Kind: accl.Halted, Rank: 2,
				Text: "rank 2: its control processor does not run: halted: illegal instruction"}}},
		{"its call has failed", [4]accl.Report{of(0, waits(1, time.Second)),
			of(1, func(r *accl.Report) { r.Last, r.LastCode = "bcast", 1<<19 })}, -1,
			[]accl.Cause{{Kind: accl.CallFailed, Rank: 1,
				Text: "rank 1: it is in no call; its last one, bcast, has failed with ARITH"}}},
		{"it works", [4]accl.Report{of(0, waits(1, time.Second)),
			of(1, func(r *accl.Report) { r.Busy, r.Calls = true, []string{"send"} })}, -1,
			[]accl.Cause{{Kind: accl.NotSent, Rank: 1, Text: "rank 1 has not sent what is waited for: it is in send"}}},
		{"the network refuses what it sends", [4]accl.Report{of(0, waits(1, time.Second)),
			of(1, func(r *accl.Report) { r.GivenUp, r.GivenUpSession = 1, 0 })}, -1,
			[]accl.Cause{{Kind: accl.NoAnswer, Rank: 0,
				Text: "rank 0 does not answer on the network: packets of rank 1 to it were refused for too long"}}},
		{"it has no place for what is to be sent", [4]accl.Report{
			of(0, func(r *accl.Report) { waits(1, time.Second)(r); r.RxBuffersFull = true }),
			of(1, func(r *accl.Report) { r.Last, r.LastCode, r.Unsent = "send", 1<<20, 0 })}, -1,
			[]accl.Cause{{Kind: accl.BuffersFull, Rank: 0, Text: "the rx buffers of rank 0 are full: it has to receive what " +
				"they hold; packets of rank 1 to it have no place"}}},
		{"one was told of the failure of another that waits for it", [4]accl.Report{of(0, waits(1, time.Second)),
			of(1, told), of(2, nil)}, -1,
			[]accl.Cause{{Kind: accl.NotCalled, Rank: 2, Text: "rank 2 has not called: it is in no call"}}},
		{"it is told", [4]accl.Report{of(0, func(r *accl.Report) {
			told(r)
			r.Fault, r.Waits = &accl.Fault{Rank: 1}, []accl.Wait{{Rank: 1, Comm: 64, Time: time.Second, Told: true}}
		}), of(1, waits(0, time.Second)), of(2, nil)}, -1,
			[]accl.Cause{{Kind: accl.NotCalled, Rank: 2, Text: "rank 2 has not called: it is in no call"}}},
		{"a clear-to-send is lost", [4]accl.Report{
			of(0, met(waits(1, time.Second), accl.Rendezvous{Session: 1, Heard: []accl.ClearToSend{heard(4095), heard(1)}})),
			of(1, met(waits(0, time.Second), accl.Rendezvous{Session: 0, Announced: n(4095, 0, 1)}))}, -1,
			[]accl.Cause{{Kind: accl.MessageLost, Rank: 0,
				Text: "the clear-to-send 0 of rank 1 to rank 0 was sent and has not arrived"}}},
		{"whether it has arrived is not known", [4]accl.Report{of(0, func(r *accl.Report) {
			waits(1, time.Second)(r)
			r.Partial = true
		}), of(1, met(waits(0, time.Second), accl.Rendezvous{Session: 0, Announced: n(0)}))}, -1, []accl.Cause{circle}},
		{"it has arrived", [4]accl.Report{
			of(0, met(waits(1, time.Second), accl.Rendezvous{Session: 1, Heard: []accl.ClearToSend{heard(0)}})),
			of(1, met(waits(0, time.Second), accl.Rendezvous{Session: 0, Announced: n(0)}))}, -1, []accl.Cause{circle}},
		{"data is lost", [4]accl.Report{
			of(0, met(waits(1, time.Second), accl.Rendezvous{Session: 1, Announced: n(3), Got: n(0, 2, 2, 5)})),
			of(1, met(func(*accl.Report) {}, accl.Rendezvous{Session: 0,
				Heard: []accl.ClearToSend{heard(2, 7, 8), heard(3, 0, 1, 2, 3)}}))}, -1,
			[]accl.Cause{{Kind: accl.MessageLost, Rank: 0, Text: "packet 1 with data of rank 1 for rank 0 was sent and has " +
				"not arrived: 2 of 4 packets are lost"}}},
		{"a done message is lost", [4]accl.Report{
			of(0, met(waits(1, time.Second), accl.Rendezvous{Session: 1, Announced: n(3), Got: n(0)})),
			of(1, met(waits(0, time.Second), accl.Rendezvous{Session: 0, Heard: []accl.ClearToSend{heard(3, 0, 4096)}}))}, -1,
			[]accl.Cause{{Kind: accl.MessageLost, Rank: 0,
				Text: "the done message of rank 1 to rank 0 was sent and has not arrived"}}},
		{"three in a circle", [4]accl.Report{of(0, waits(1, time.Second)), of(1, waits(2, time.Second)),
			of(2, waits(0, time.Second))}, -1,
			[]accl.Cause{{Kind: accl.InCircle, Rank: 0, Text: "ranks wait for each other: rank 0 for rank 1 (it is in recv), " +
				"rank 1 for rank 2 (it is in recv), rank 2 for rank 0 (it is in recv)"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := accl.Causes(t.Context(), p, c.ranks[0], func(_ context.Context, rank int) (accl.Report, error) {
				if rank == c.dead {
					return accl.Report{}, broken
				}
				text, err := json.Marshal(c.ranks[rank])
				assert.NilError(t, err)
				var r accl.Report
				err = json.Unmarshal(text, &r)
				return r, err
			})
			assert.DeepEqual(t, got, c.want)
		})
	}
}
