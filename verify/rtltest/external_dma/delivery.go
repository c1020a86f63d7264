package external_dma

import (
	"bytes"
	"fmt"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

type burst struct {
	memory, beats int
	address       uint64
}

// delivery is what comes of commands that read: a stream and statuses.
type delivery struct {
	channel
	content content
	stream  *block.Drain
	status  *block.Drain
	beats   []beat
	reports []report
}

func (d *delivery) open() {
	d.content.salt = d.r.Uint64()
	d.stream = &block.Drain{Output: block.NewOutput(d.b, d.at("stream_valid"), d.at("stream_ready"),
		d.at.all("stream_keep", "stream_last", "stream_data")...)}
	d.status = &block.Drain{Output: block.NewOutput(d.b, d.at("status_valid"), d.at("status_ready"), d.at("status_data"))}
}

func (d *delivery) begin() {
	d.channel.begin()
	d.content.faults = []uint64{0, 5, 60}[d.r.IntN(3)]
	d.commands.Pace = d.pace()
	paces(d.r, d.still, d.stream, d.status)
}

// add adds a command and what has to come of it. It returns what has to be read.
func (d *delivery) add(c command) (want []burst) {
	s := report{tag: c.tag, internal: c.internal(), decode: c.nowhere(d.memories)}
	var held []byte
	if !s.internal && !s.decode {
		end := (c.address + uint64(c.bytes) + lineBytes - 1) / lineBytes
		for at := c.address / lineBytes; at < end; {
			until := min(end, (at/uint64(d.lines)+1)*uint64(d.lines))
			want = append(want, burst{c.memory, int(until - at), at * lineBytes})
			for ; at < until; at++ {
				held = append(held, d.content.line(c.memory, at)...)
				answer := d.content.response(c.memory, at)
				s.slave, s.decode = s.slave || answer == 2, s.decode || answer == 3
			}
		}
		held = held[c.address%lineBytes:]
	}
	for at := 0; at < c.bytes; at += lineBytes {
		n := min(lineBytes, c.bytes-at)
		e := beat{keep: keepOf(n), last: c.end && at+n == c.bytes}
		if !s.internal && !s.decode && !s.slave {
			e.data = held[at : at+n]
		}
		d.beats = append(d.beats, e)
	}
	d.steps += c.steps()
	d.reports = append(d.reports, s)
	d.commands.Queue = append(d.commands.Queue, c)
	return want
}

func (d *delivery) drive() {
	d.commands.Drive(d.r)
	d.stream.Drive()
	d.status.Drive()
}

func (d *delivery) check() (moved bool, err error) {
	_, moved = d.commands.Gone()
	if ok, err := d.stream.Taken(); err != nil {
		return false, err
	} else if ok {
		if err := d.beat(); err != nil {
			return false, err
		}
		moved = true
	}
	if ok, err := d.status.Taken(); err != nil {
		return false, err
	} else if ok {
		if len(d.reports) == 0 {
			return false, fmt.Errorf("a status of nothing")
		}
		if got, want := d.b.Get(d.at("status_data")), d.reports[0].status(); got != want {
			return false, fmt.Errorf("the status of a read is %02X, not %02X", got, want)
		}
		d.reports = d.reports[1:]
		moved = true
	}
	return moved, nil
}

// beat is the next one of the stream.
func (d *delivery) beat() error {
	if len(d.beats) == 0 {
		return fmt.Errorf("a beat of nothing")
	}
	w := d.beats[0]
	d.beats = d.beats[1:]
	keep, last, data := d.b.Get(d.at("stream_keep")), d.b.Is(d.at("stream_last")), d.b.Bytes(d.at("stream_data"))
	if keep != w.keep || last != w.last || !bytes.Equal(data[:len(w.data)], w.data) {
		return fmt.Errorf("a beat is %X, keep %X, last %t; not %X, keep %X, last %t", data, keep,
			last, w.data, w.keep, w.last)
	}
	return nil
}

func (d *delivery) left() bool { return len(d.commands.Queue)+len(d.beats)+len(d.reports) > 0 }

func (d *delivery) forget() {
	d.commands.Forget()
	d.stream.Forget()
	d.status.Forget()
	d.beats, d.reports = nil, nil
}
