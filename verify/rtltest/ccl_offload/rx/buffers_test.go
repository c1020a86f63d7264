package rx

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// rxBuffers gives buffers, has some wait, and takes them.
func rxBuffers(b *block.Bench, r *rand.Rand) error {
	room := int(b.Const("engine_pkg::RX_BUFFERS"))
	type buffer struct{ record, address, bytes uint64 }
	var given []buffer
	var waiting []int
	var idle []int // given, not waiting
	for i := range 6000 {
		if i%1500 == 1400 {
			if r.IntN(2) == 0 {
				b.Reset()
			} else {
				pulse(b, "clear")
			}
			given, waiting, idle = nil, nil, nil
		}
		b.Settle()
		if b.Is("full") != (len(given) == room) {
			return fmt.Errorf("full is %t with %d buffers", b.Is("full"), len(given))
		}
		if n := int(b.Get("free_count")); n != len(waiting) {
			return fmt.Errorf("%d wait, it says %d", len(waiting), n)
		}
		if len(waiting) > 0 {
			if n := int(b.Get("head_number")); n != waiting[0] {
				return fmt.Errorf("buffer %d is the oldest, not %d", n, waiting[0])
			}
			if h := given[waiting[0]]; b.Is("head_settled") &&
				(b.Get("head_address") != h.address || b.Get("head_bytes") != h.bytes) {
				return fmt.Errorf("the oldest buffer is at 0x%X and has %d bytes, not %+v", b.Get("head_address"),
					b.Get("head_bytes"), h)
			}
		}
		if len(given) < room {
			if n := int(b.Get("add_number")); n != len(given) {
				return fmt.Errorf("the next buffer would be %d, %d are there", n, len(given))
			}
		}
		if i%7 == 0 && len(waiting) > 0 { // undisturbed, what is said of the oldest soon is settled
			b.Step()
			b.Step()
			if !b.Is("head_settled") {
				return errors.New("the oldest buffer is not settled")
			}
			continue
		}
		add := len(given) < room && r.IntN(4) == 0
		put := len(idle) > 0 && r.IntN(3) == 0
		take := len(waiting) > 0 && r.IntN(3+2*(i/500%2)) == 0
		b.Put("add", add)
		b.Put("put", put)
		b.Put("take", take)
		b.Scramble(r, "add_record", "add_address", "add_bytes", "put_number")
		var added buffer
		if add {
			added = buffer{r.Uint64() & 0xFFFF, r.Uint64(), r.Uint64() & 0xFFFFFFFF}
			b.Set("add_record", added.record)
			b.Set("add_address", added.address)
			b.Set("add_bytes", added.bytes)
		}
		if put {
			j := r.IntN(len(idle))
			b.Set("put_number", uint64(idle[j]))
			waiting = append(waiting, idle[j])
			idle[j] = idle[len(idle)-1]
			idle = idle[:len(idle)-1]
		}
		reads, looks := -1, -1
		if len(given) > 0 {
			reads, looks = r.IntN(len(given)), r.IntN(len(given))
			b.Set("read_number", uint64(reads))
			b.Set("look_number", uint64(looks))
		}
		b.Step()
		b.Put("add", false)
		b.Put("put", false)
		b.Put("take", false)
		if add {
			idle = append(idle, len(given))
			given = append(given, added)
		}
		if take {
			idle = append(idle, waiting[0])
			waiting = waiting[1:]
		}
		b.Settle()
		if reads >= 0 && b.Get("read_record") != given[reads].record {
			return fmt.Errorf("the record of buffer %d is 0x%X, not 0x%X", reads, b.Get("read_record"), given[reads].record)
		}
		if looks >= 0 && (b.Get("look_record") != given[looks].record || b.Get("look_address") != given[looks].address) {
			return fmt.Errorf("buffer %d is looked up as 0x%X at 0x%X, not %+v", looks, b.Get("look_record"),
				b.Get("look_address"), given[looks])
		}
	}
	return nil
}
