package network

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/cclforge/cclforge/driver/accl"
)

// QueuePair describes one end of an RDMA connection of the Coyote shell to the other end.
// It is plain data; a rank has one for each other rank, and sends all of them in
// bringup.Member.Data, encoded by EncodeQueuePairs.
type QueuePair struct {
	QPN     uint32 // queue pair number, 16 bits: virtual FPGA and thread
	PSN     uint32 // first packet number, 24 bits
	RKey    uint32
	Address uint64 // of the memory that the other end may write, 48 bits
	Bytes   uint64 // size of that memory
	IP      netip.Addr
	GID     string // 32 hexadecimal digits; see GID
}

// Pair is a connection, as both ends have described it.
type Pair struct {
	Rank          int // of the other end
	Local, Remote QueuePair
}

const (
	qpnBits     = 16
	psnBits     = 24
	addressBits = 48
)

// GID returns an IPv4 address as a global identifier in the form that the shell writes:
// the address four times, in hexadecimal.
func GID(ip netip.Addr) string {
	return strings.Repeat(fmt.Sprintf("%08x", number(ip.Unmap())), 4)
}

// EncodeQueuePairs encodes the queue pairs of a rank, by peer, for PairUp on all ranks.
// It ignores the entry of the rank itself.
func EncodeQueuePairs(pairs []QueuePair) ([]byte, error) { return json.Marshal(pairs) }

// PairUp finds the connections of a rank in the descriptions of all ranks, by rank. It
// checks all descriptions, so that all ranks find the same errors, which are *Error of
// the kind ErrQueuePairs, joined.
func PairUp(local int, said [][]byte) ([]Pair, error) {
	if local < 0 || local >= len(said) {
		return nil, failure(ErrConfig, "", nil, "the own rank %d is none of %d", local, len(said))
	}
	all := make([][]QueuePair, len(said))
	owner := map[netip.Addr]int{}
	var errs []error
	for i, text := range said {
		bad := func(cause error, format string, args ...any) {
			errs = append(errs, &Error{Kind: ErrQueuePairs, Rank: i, Reason: fmt.Sprintf(format, args...), Cause: cause})
		}
		var pairs []QueuePair
		if err := json.Unmarshal(text, &pairs); err != nil {
			bad(err, "what it says of its queue pairs cannot be read")
			continue
		}
		if len(pairs) != len(said) {
			bad(nil, "it has %d queue pairs for %d ranks", len(pairs), len(said))
			continue
		}
		all[i] = pairs
		checkQueuePairs(i, pairs, bad)
		for peer, q := range pairs {
			if peer == i {
				continue
			}
			if j, known := owner[q.IP]; known && j != i {
				bad(nil, "it has the address %v, and rank %d has it, too", q.IP, j)
				break
			}
			owner[q.IP] = i
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	var out []Pair
	for peer := range all {
		if peer != local {
			out = append(out, Pair{peer, all[local][peer], all[peer][local]})
		}
	}
	return out, nil
}

func checkQueuePairs(rank int, pairs []QueuePair, bad func(cause error, format string, args ...any)) {
	numbers := map[uint32]int{}
	var ip netip.Addr
	for peer, q := range pairs {
		if peer == rank {
			continue
		}
		switch quarter := len(q.GID) / 4; {
		case q.QPN>>qpnBits != 0:
			bad(nil, "its queue pair for rank %d has the number 0x%X, which is no number of %d bits", peer, q.QPN, qpnBits)
		case q.PSN>>psnBits != 0:
			bad(nil, "its queue pair for rank %d begins with packet 0x%X, which is no number of %d bits", peer, q.PSN, psnBits)
		case q.Bytes == 0 || q.Address>>addressBits != 0 || q.Bytes > 1<<addressBits-q.Address:
			bad(nil, "its queue pair for rank %d has memory at 0x%X, of %d bytes: none, or beyond %d bits", peer, q.Address,
				q.Bytes, addressBits)
		case unusable(q.IP.Unmap()) != "":
			bad(nil, "its queue pair for rank %d has the address %v, which %s", peer, q.IP, unusable(q.IP.Unmap()))
		case len(q.GID) != 32 || strings.Trim(q.GID, "0123456789abcdef") != "" || strings.Repeat(q.GID[:quarter], 4) != q.GID:
			bad(nil, "its queue pair for rank %d has the global identifier %.40q, which is not four times an address",
				peer, q.GID)
		case ip.IsValid() && q.IP != ip:
			bad(nil, "its queue pairs have the addresses %v and %v", ip, q.IP)
		}
		if other, twice := numbers[q.QPN]; twice {
			bad(nil, "its queue pairs for ranks %d and %d both have the number 0x%X", other, peer, q.QPN)
		}
		numbers[q.QPN], ip = peer, q.IP
	}
}

// SessionsOf returns the ranks with the numbers of their queue pairs as sessions, for
// accl.Open with accl.GivenSessions.
func SessionsOf(ranks []accl.Rank, pairs []Pair) []accl.Rank {
	out := append([]accl.Rank(nil), ranks...)
	for _, p := range pairs {
		out[p.Rank].Session = p.Local.QPN
	}
	return out
}
