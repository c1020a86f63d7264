package network_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/network"
)

// said are queue pairs of n ranks that fit together.
func said(n int) [][]network.QueuePair {
	all := make([][]network.QueuePair, n)
	for i, r := range members(n) {
		for peer := range n {
			q := network.QueuePair{
				QPN: uint32(i<<6 | peer), PSN: uint32(0x1000*i + peer), RKey: uint32(peer), Address: uint64(i+1) << 32,
				Bytes: 1 << 21, IP: r.IP, GID: network.GID(r.IP),
			}
			if peer == i {
				q = network.QueuePair{}
			}
			all[i] = append(all[i], q)
		}
	}
	return all
}

func TestQueuePairs(t *testing.T) {
	if got, want := network.GID(members(1)[0].IP), "0a01d4150a01d4150a01d4150a01d415"; got != want {
		t.Errorf("the global identifier is %s, not %s", got, want)
	}
	for _, test := range []struct {
		name   string
		change func(all [][]network.QueuePair) [][]network.QueuePair
		want   []fault
	}{
		{"all fits", func(all [][]network.QueuePair) [][]network.QueuePair { return all }, nil},
		{"too few", func(all [][]network.QueuePair) [][]network.QueuePair { all[2] = all[2][:3]; return all },
			[]fault{{network.ErrQueuePairs, 2, "it has 3 queue pairs for 4 ranks"}}},
		{"a large number", func(all [][]network.QueuePair) [][]network.QueuePair { all[1][3].QPN = 1 << 16; return all },
			[]fault{{network.ErrQueuePairs, 1, "for rank 3 has the number 0x10000"}}},
		{"a number twice", func(all [][]network.QueuePair) [][]network.QueuePair {
			all[1][3].QPN = all[1][0].QPN
			return all
		},
			[]fault{{network.ErrQueuePairs, 1, "for ranks 0 and 3 both have the number 0x40"}}},
		{"a large packet number", func(all [][]network.QueuePair) [][]network.QueuePair {
			all[0][1].PSN = 1 << 24
			return all
		},
			[]fault{{network.ErrQueuePairs, 0, "begins with packet 0x1000000"}}},
		{"no memory", func(all [][]network.QueuePair) [][]network.QueuePair { all[0][1].Bytes = 0; return all },
			[]fault{{network.ErrQueuePairs, 0, "of 0 bytes"}}},
		{"memory beyond all", func(all [][]network.QueuePair) [][]network.QueuePair {
			all[0][1].Address, all[0][1].Bytes = 1<<48-4096, 4097
			return all
		}, []fault{{network.ErrQueuePairs, 0, "beyond 48 bits"}}},
		{"another card's address", func(all [][]network.QueuePair) [][]network.QueuePair {
			all[3][0].IP = members(1)[0].IP.Next()
			all[3][1].IP = all[3][0].IP
			return all
		}, []fault{{network.ErrQueuePairs, 3, "its queue pairs have the addresses"},
			{network.ErrQueuePairs, 3, "and rank 1 has it, too"}}},
		{"a wrong identifier", func(all [][]network.QueuePair) [][]network.QueuePair {
			all[3][0].GID = strings.Repeat("0", 31) + "1"
			return all
		}, []fault{{network.ErrQueuePairs, 3, "which is not four times an address"}}},
		{"no identifier", func(all [][]network.QueuePair) [][]network.QueuePair { all[3][0].GID = ""; return all },
			[]fault{{network.ErrQueuePairs, 3, "global identifier \"\""}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			all := test.change(said(4))
			var texts [][]byte
			for _, pairs := range all {
				text, err := network.EncodeQueuePairs(pairs)
				assert.NilError(t, err)
				texts = append(texts, text)
			}
			for local := range all {
				pairs, err := network.PairUp(local, texts)
				checkFaults(t, nil, err, test.want)
				if err != nil {
					continue
				}
				ranks := network.SessionsOf(members(4), pairs)
				for _, p := range pairs {
					if p.Local != all[local][p.Rank] || p.Remote != all[p.Rank][local] || p.Rank == local ||
						ranks[p.Rank].Session != p.Local.QPN {
						t.Errorf("rank %d: %+v", local, p)
					}
				}
				assert.Check(t, len(pairs) == 3, "rank %d has %d pairs", local, len(pairs))
			}
		})
	}
	good, err := json.Marshal(said(1)[0])
	assert.NilError(t, err)
	for _, text := range []string{"", "{}", "[{\"QPN\": -1}]", "[" + strings.Repeat("[", 100)} {
		if _, err := network.PairUp(0, [][]byte{[]byte(text)}); !errors.Is(err, network.ErrQueuePairs) ||
			!strings.Contains(fmt.Sprint(err), "rank 0: what it says") {
			t.Errorf("%q: %v", text, err)
		}
	}
	pairs, err := network.PairUp(0, [][]byte{good})
	assert.Check(t, err == nil && len(pairs) == 0, "%v, %v", pairs, err)
	_, err = network.PairUp(1, [][]byte{good})
	assert.Check(t, is.ErrorIs(err, network.ErrConfig))
}
