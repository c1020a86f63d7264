package server

import (
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/designtest"
)

// memory is an exchange memory from a base on.
type memory struct {
	base, end uint32
	words     map[uint32]uint32
}

func (m *memory) word(at uint32) (uint32, bool) { return m.words[at], at >= m.base && at+4 <= m.end }

func (m *memory) write(at uint32, words ...uint32) {
	for i, v := range words {
		if at := at + 4*uint32(i); at >= m.base && at+4 <= m.end {
			m.words[at] = v
		}
	}
}

// ClientTables write tables as clients do: buffers of some bytes from an address on.
var ClientTables = map[string]func(write func(at uint32, words ...uint32), buffers, bytes, status uint32, addr uint64){
	"accl-2021": func(write func(at uint32, words ...uint32), buffers, bytes, status uint32, addr uint64) {
		at := uint32(0x804)
		for range buffers {
			write(at, uint32(addr), uint32(addr>>32), bytes, 0, status, 0, 0, 0, 0)
			at += 36
			addr += uint64(bytes)
		}
		write(0x800, buffers)
	},
	"accl-2022": func(write func(at uint32, words ...uint32), buffers, bytes, status uint32, addr uint64) {
		at := uint32(4)
		for range buffers {
			write(at, status, uint32(addr), uint32(addr>>32), bytes, 0, 0, 0, 0)
			at += 32
			addr += uint64(bytes)
		}
		write(0, buffers)
	},
	"accl-2024": func(write func(at uint32, words ...uint32), buffers, bytes, status uint32, addr uint64) {
		at := uint32(8)
		for range buffers {
			write(at, status, uint32(addr), uint32(addr>>32), 0, 0, 0, 0)
			at += 28
			addr += uint64(bytes)
		}
		write(4, bytes)
		write(0, buffers)
	},
}

var platformsOf = map[string]string{"accl-2021": "u280_manual", "accl-2022": "u280_2022", "accl-2024": "u55c_tcp"}

func generationOf(t *testing.T, name string) (*generation, memory) {
	t.Helper()
	g, err := newGeneration(designtest.Load(t, platformsOf[name], nil))
	assert.NilError(t, err)
	m := memory{0, 0x2000, map[uint32]uint32{}}
	if name == "accl-2021" {
		m.base, m.end = 0x800, 0x1000
	}
	return g, m
}

// TestTablesOfEveryGeneration writes the tables of each kind of client into the
// exchange memory of each generation.
func TestTablesOfEveryGeneration(t *testing.T) {
	for platform := range platformsOf {
		g, empty := generationOf(t, platform)
		for client, write := range ClientTables {
			for _, buffers := range []uint32{1, 2, 16, 40} {
				for _, bytes := range []uint32{64, 1024, 4096, 65536, 1 << 20} {
					for _, status := range []uint32{0, 1} {
						for _, addr := range []uint64{0, 0x1000, 0x40_0000_0000} {
							name := fmt.Sprintf("%d buffers of %d bytes from 0x%X on, status %d, by a client of %s on %s", buffers, bytes,
								addr, status, client, platform)
							m := empty
							m.words = map[uint32]uint32{}
							write(m.write, buffers, bytes, status, addr)
							got := g.foreignTable(m.word)
							switch {
							case client == platform, platform == "accl-2021": // there, writes of later clients arrive nowhere
								if got != "" {
									t.Errorf("%s: %s", name, got)
								}
							case !strings.Contains(got, "clients of "+client):
								t.Errorf("%s: %q", name, got)
							}
						}
					}
				}
			}
		}
	}
}

// A table that is in use, or that is none at all, is not taken for one of another
// generation: the engine knows what to do with it.
func TestTablesThatAreNotForeign(t *testing.T) {
	g, m := generationOf(t, "accl-2024")
	assert.Check(t, is.Equal(g.foreignTable(m.word), ""), "no table")
	ClientTables["accl-2024"](m.write, 4, 4096, 0, 0x1000)
	for i := range uint32(4) {
		m.write(8+28*i, []uint32{0, 1, 2, 4}[i])
		m.write(8+28*i+12, 0xFFFFFFFF, 4096, 3, 0xFFFFFFFE)
	}
	assert.Check(t, is.Equal(g.foreignTable(m.word), ""), "a table in use")
	ClientTables["accl-2021"](m.write, 4, 4096, 0, 0x1000) // of somebody who is gone
	assert.Check(t, is.Equal(g.foreignTable(m.word), ""), "a table in use beside one of another generation")
	m.write(0x800, 0)
	for what, write := range map[string]func(){
		"no size":              func() { m.write(4, 0) },
		"more than there is":   func() { m.write(0, 10000) },
		"a status that is odd": func() { m.write(0, 4, 4096, 77) },
	} {
		write()
		assert.Check(t, is.Equal(g.foreignTable(m.word), ""), "%s", what)
	}
}
