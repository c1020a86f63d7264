package external_dma_test

import (
	"math/rand/v2"
	"testing"
)

func TestWritesAreSeenOnceTheirStatusIsOut(t *testing.T) {
	// Each read is issued when the status of the write before it is there. With
	// late writes, an early status would show the old bytes.
	v := variants[0]
	b := newBench(t, load(t, v), v, 0)
	random := rand.New(rand.NewPCG(0, 2))
	b.memoryLatency(b.handle, 0, 100, 50)
	b.memoryLate(b.handle, 1)
	for i := range 50 {
		c := command{bytes: 1 + random.IntN(6000), address: 4096 + random.Uint64N(64), end: true}
		var sent []byte
		for at := 0; at < c.bytes; at += lineBytes {
			x := beat{keep: kept(c.bytes - at), last: at+lineBytes >= c.bytes}
			for j := range x.data {
				x.data[j] = byte(random.Uint32())
			}
			sent = append(sent, x.data[:]...)
			b.send(x)
		}
		b.issue(true, c)
		b.run(b.handle, 10_000, 0, uint64(i+1))
		got := make([]byte, c.bytes)
		b.memoryRead(b.handle, 0, c.address, &got[0], uint64(len(got)))
		if string(got) != string(sent[:c.bytes]) {
			t.Fatalf("write %d: the memory does not have the bytes when the status is out", i)
		}
	}
}

func TestAMemoryThatDoesNotAnswerHoldsUpOnlyWhatItIsAskedFor(t *testing.T) {
	v := variants[0]
	b := newBench(t, load(t, v), v, 0)
	silent := command{bytes: 500, address: 1 << 20, tag: 3, end: true}
	b.memoryError(b.handle, 0, silent.address, silent.address+1, memorySilent)
	before := command{bytes: 100, address: 64, tag: 1, end: true}
	for _, c := range []command{before, silent, before} {
		b.issue(false, c)
		b.issue(true, c)
		for at := 0; at < c.bytes; at += lineBytes {
			b.send(beat{keep: kept(c.bytes - at), last: at+lineBytes >= c.bytes})
		}
	}
	if n := b.run(b.handle, 5000, 2, 2); n != 5000 {
		t.Fatalf("there was an answer after %d cycles", n)
	}
	if r, w := len(b.statuses(false)), len(b.statuses(true)); r != 1 || w != 1 {
		t.Fatalf("%d read and %d write statuses, want one each", r, w)
	}
	b.memoryError(b.handle, 0, 0, ^uint64(0), memoryWorks)
	b.finish(t, 5000, 3, 3)
	for _, write := range []bool{false, true} {
		got := b.statuses(write)
		if len(got) != 2 || got[0].tag != silent.tag || !got[0].okay || !got[1].okay {
			t.Errorf("write %v: after the silence %+v", write, got)
		}
	}
}

func TestAWriteWithoutItsDataAsksTheMemoryForNothing(t *testing.T) {
	// A burst that waits for its data would keep the others out of the memory.
	v := variants[0]
	b := newBench(t, load(t, v), v, 0)
	b.issue(true, command{bytes: 1024, address: 0, end: true})
	for range 15 { // one beat short of a burst
		b.send(beat{keep: kept(lineBytes)})
	}
	b.run(b.handle, 1000, 0, 1)
	var counts [4]uint64
	b.memoryCounts(b.handle, &counts[0])
	if counts[2] != 0 {
		t.Errorf("%d beats were written", counts[2])
	}
	b.send(beat{keep: kept(lineBytes), last: true})
	b.finish(t, 1000, 0, 1)
	b.memoryCounts(b.handle, &counts[0])
	if counts[2] != 16 || counts[3] != 1 {
		t.Errorf("%d beats in %d bursts were written, want 16 in one", counts[2], counts[3])
	}
}

func TestThePointersReadBack(t *testing.T) {
	v := variants[0]
	b := newBench(t, load(t, v), v, 0)
	arguments := 0
	for _, instance := range platformOf(t).Instances {
		if instance.Kernel.Name != "external_dma_1port" {
			continue
		}
		for _, a := range instance.Kernel.Arguments {
			for word := a.At; word < a.At+uint32(a.Width)/8; word += 4 {
				arguments++
				if b.set(b.handle, word, 0xA5000000+word, 0xF) == 0 || b.set(b.handle, word, 0xFFFFFFFF, 0x4) == 0 {
					t.Fatalf("no answer to a write of %#x", word)
				}
			}
			for word := a.At; word < a.At+uint32(a.Width)/8; word += 4 {
				var got uint32
				if want := 0xA5FF0000 + word; b.get(b.handle, word, &got) == 0 || got != want {
					t.Errorf("%s at %#x reads %#x, want %#x", a.Name, word, got, want)
				}
			}
		}
		var far uint32
		if b.set(b.handle, 0x8000, 1, 0xF) == 0 || b.get(b.handle, 0x8000, &far) == 0 || far != 0 {
			t.Errorf("beyond the registers there is %#x", far)
		}
		break
	}
	if arguments == 0 {
		t.Error("the kernel has no arguments")
	}
}
