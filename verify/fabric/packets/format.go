package packets

import (
	"fmt"
	"iter"
	"strconv"

	"github.com/cclforge/cclforge/driver/sim"
)

// Bytes of packets, header included, as the protocol limits them.
const (
	headerBytes        = 64
	beatBytes          = 64
	maxPacketBytes     = 4096
	maxPacketBytes2022 = 1536
)

// Format is how packets are published.
type Format struct {
	// Unpadded says that destinations are not padded to four digits and that
	// packets have at most 1536 bytes and not 4096, as in 2022.
	Unpadded bool
	// Lossy says that the platform's network is UDP: packets are whole beats.
	Lossy bool
}

// Encode makes the messages that a rank publishes when it sends a packet to
// another: three frames each, the first with the header. What is larger than a
// packet of the protocol is continued in further ones, without a header.
func Encode(from, to int, header *[64]byte, payload []byte, f Format) iter.Seq[[][]byte] {
	return func(yield func([][]byte) bool) {
		topic, own := f.topic(to), sender(from)
		for done := 0; done < headerBytes+len(payload); {
			text, n := f.piece(header, payload, done)
			if !yield([][]byte{topic, own, text}) {
				return
			}
			done += n
		}
	}
}

// topic is the first frame of messages to a rank.
func (f Format) topic(rank int) []byte {
	if f.Unpadded {
		return strconv.AppendInt(nil, int64(rank), 10)
	}
	return fmt.Appendf(nil, "%04d", rank)
}

// sender is the second frame of messages from a rank.
func sender(rank int) []byte { return strconv.AppendInt(nil, int64(rank), 10) }

// limit is how many bytes a packet has at most.
func (f Format) limit() int {
	if f.Unpadded {
		return maxPacketBytes2022
	}
	return maxPacketBytes
}

// piece is the third frame of the message that follows the first done bytes of
// header and payload, and how many bytes of these it has.
func (f Format) piece(header *[headerBytes]byte, payload []byte, done int) (text []byte, n int) {
	b := make([]byte, 0, f.limit())
	if done < headerBytes {
		b = append(b, header[done:]...)
	}
	rest := payload[max(done-headerBytes, 0):]
	b = append(b, rest[:min(len(rest), f.limit()-len(b))]...)
	n = len(b)
	if f.Lossy {
		b = append(b, make([]byte, (beatBytes-n%beatBytes)%beatBytes)...)
	}
	const bytesOfText = len("255,")
	return sim.AppendData(make([]byte, 0, bytesOfText*len(b)+16), b), n
}
