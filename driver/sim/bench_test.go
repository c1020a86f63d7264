package sim

import (
	"bytes"
	"testing"
)

// megabyte is data of one megabyte, and a memory write of it.
func megabyte() ([]byte, []byte) {
	data := make([]byte, 1<<20)
	for i := range data {
		data[i] = byte(i * 2654435761 >> 13)
	}
	r := Request{Type: MemoryWrite, Addr: 0x1000, Data: data}
	return data, r.Append(nil)
}

// BenchmarkParse reads a megabyte. Bytes are those of the data, not of the text.
func BenchmarkParse(b *testing.B) {
	data, compact := megabyte()
	for _, variant := range []struct {
		name string
		text []byte
	}{{"compact", compact}, {"blanks", bytes.ReplaceAll(compact, []byte(","), []byte(", "))}} {
		b.Run(variant.name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if r, err := ParseRequest(variant.text); err != nil || len(r.Data) != len(data) {
					b.Fatal(len(r.Data), err)
				}
			}
		})
	}
}

// BenchmarkAppend writes a megabyte, into new memory and into old.
func BenchmarkAppend(b *testing.B) {
	data, _ := megabyte()
	r := Reply{Data: data}
	b.Run("new", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			r.Append(nil)
		}
	})
	b.Run("reused", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		var to []byte
		for b.Loop() {
			to = r.Append(to[:0])
		}
	})
}
