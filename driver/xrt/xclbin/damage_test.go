package xclbin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

var le = binary.LittleEndian

// all reads everything that is in a file.
func all(b []byte) (*File, *Layout, error) {
	f, err := Read(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, nil, err
	}
	l, err := f.Layout()
	if err != nil {
		return f, nil, err
	}
	for _, kind := range []Kind{EmbeddedMetadata, BuildMetadata, UserMetadata} {
		if _, err := f.Metadata(kind); err != nil {
			return f, l, err
		}
	}
	_, _, err = f.Describe()
	return f, l, err
}

// TestTruncated cuts a file behind every byte, and also says in its header that it
// ends there.
func TestTruncated(t *testing.T) {
	_, whole := read(t, card)
	_, _, err := all(append(whole[:len(whole):len(whole)], 0))
	assert.ErrorIs(t, err, ErrFormat, "a byte too many")
	for n := range whole {
		b := slices.Clone(whole[:n])
		_, _, err := all(b)
		assert.ErrorIs(t, err, ErrFormat, "%d bytes", n)
		if n >= 312 {
			le.PutUint64(b[304:], uint64(n))
		}
		_, _, err = all(b)
		assert.ErrorIs(t, err, ErrFormat, "%d bytes, as the header", n)
	}
}

// entry is the entry of a section in the list, by number; data its data.
func entry(b []byte, n int) []byte { return b[456+40*n:][:40] }
func data(b []byte, n int) []byte {
	e := entry(b, n)
	return b[le.Uint64(e[24:]):][:le.Uint64(e[32:])]
}

// Numbers of the file's sections.
const (
	xmlSection = iota
	ipSection
	connectionSection
	bankSection
	_
	userSection
	groupSection
	groupedSection
)

// TestCutTables takes bytes from the ends of tables.
func TestCutTables(t *testing.T) {
	_, whole := read(t, card)
	for _, n := range []int{ipSection, connectionSection, bankSection, groupSection, groupedSection} {
		for size := 1; size < len(data(whole, n)); size++ {
			b := slices.Clone(whole)
			le.PutUint64(entry(b, n)[32:], uint64(size))
			_, _, err := all(b)
			assert.ErrorIs(t, err, ErrFormat, "section %d with %d bytes", n, size)
		}
	}
}

func TestDamaged(t *testing.T) {
	_, whole := read(t, card)
	for name, c := range map[string]struct {
		damage func(b []byte)
		says   string
	}{
		"count too large": {func(b []byte) { data(b, ipSection)[0]++ },
			"IP_LAYOUT has 488 bytes, but says that it has 7 records"},
		"count too small": {func(b []byte) { data(b, bankSection)[0]-- },
			"MEM_TOPOLOGY has 288 bytes, but says that it has 6 records"},
		"count negative": {func(b []byte) { le.PutUint32(data(b, connectionSection), math.MaxUint32) },
			"-1 records"},
		"count absurd": {func(b []byte) { le.PutUint32(data(b, groupSection), math.MaxInt32) },
			"2147483647 records"},
		"count wraps": {func(b []byte) { le.PutUint32(data(b, ipSection), 1<<28+6) }, "IP_LAYOUT"},
		"IP's name has no end": {func(b []byte) { copy(data(b, ipSection)[8+80+16:], strings.Repeat("x", 64)) },
			"IP_LAYOUT: name of entry 1"},
		"IP's name not text":      {func(b []byte) { data(b, ipSection)[8+16+3] = 7 }, "printable"},
		"kernel without instance": {func(b []byte) { data(b, ipSection)[8+16+11] = '_' }, "not kernel:instance"},
		"kernel without name":     {func(b []byte) { data(b, ipSection)[8+16] = ':' }, "not kernel:instance"},
		"instance twice": {func(b []byte) { copy(data(b, ipSection)[8+80+16:], "extdma:ccl_offload_0\x00") },
			"two instances ccl_offload_0"},
		"tag has no end": {func(b []byte) { copy(data(b, bankSection)[8+24:], "0123456789abcdef") },
			"MEM_TOPOLOGY: tag of entry 0"},
		"group's tag has no end": {func(b []byte) { copy(data(b, groupSection)[8+7*40+24:], "0123456789abcdef") },
			"GROUP_TOPOLOGY: tag of entry 7"},
		"bank beyond 64 bits": {func(b []byte) { le.PutUint64(data(b, bankSection)[8+40+16:], math.MaxUint64-4096) },
			"beyond 64 bits"},
		"bank absurdly large": {func(b []byte) { le.PutUint64(data(b, bankSection)[8+8:], math.MaxUint64) },
			"beyond 64 bits"},
		"argument negative": {func(b []byte) { le.PutUint32(data(b, connectionSection)[4:], 1<<31) },
			"CONNECTIVITY: entry 0 has a negative number"},
		"IP negative": {func(b []byte) { le.PutUint32(data(b, connectionSection)[4+4:], math.MaxUint32) },
			"negative"},
		"bank negative": {func(b []byte) { le.PutUint32(data(b, groupedSection)[4+8:], math.MaxUint32) },
			"GROUP_CONNECTIVITY: entry 0 has a negative number"},
		"IP beyond": {func(b []byte) { data(b, connectionSection)[4+4] = 6 },
			"CONNECTIVITY: entry 0 is of IP 6, and there are 6"},
		"bank beyond": {func(b []byte) { data(b, connectionSection)[4+8] = 7 },
			"CONNECTIVITY: entry 0 leads to bank 7, and there are 7"},
		"group beyond": {func(b []byte) { data(b, groupedSection)[4+6*12+8] = 8 },
			"GROUP_CONNECTIVITY: entry 6 leads to bank 8, and there are 8"},
		"IP is no kernel": {func(b []byte) { data(b, connectionSection)[4+4] = 5 },
			"HBM_CTRL_0), which is no kernel"},
		"bank is not used": {func(b []byte) { data(b, connectionSection)[4+8] = 3 }, "HBM[3]), which is not used"},
		"table twice": {func(b []byte) { le.PutUint32(entry(b, userSection), uint32(IPLayout)) },
			"two sections IP_LAYOUT"},
		"metadata twice": {func(b []byte) { le.PutUint32(entry(b, userSection), uint32(EmbeddedMetadata)) },
			"two sections EMBEDDED_METADATA"},
		"over the header": {func(b []byte) { le.PutUint64(entry(b, ipSection)[24:], 0) },
			"section 1 begins at byte 0, inside the header"},
		"over the list": {func(b []byte) { le.PutUint64(entry(b, ipSection)[24:], 456+8*40-1) },
			"inside the header and the list"},
		"over another": {func(b []byte) { entry(b, ipSection)[24] -= 8 },
			"EMBEDDED_METADATA and IP_LAYOUT lie one over the other"},
		"over another by a byte": {func(b []byte) { entry(b, xmlSection)[32] += 3 }, "EMBEDDED_METADATA and IP_LAYOUT"},
		"the same bytes": {func(b []byte) { copy(entry(b, groupSection)[24:], entry(b, bankSection)[24:40]) },
			"MEM_TOPOLOGY and GROUP_TOPOLOGY"},
		"platform has no end":      {func(b []byte) { copy(b[352:416], strings.Repeat("x", 64)) }, "the platform's name"},
		"platform is not text":     {func(b []byte) { b[355] = 0x1B }, "the platform's name"},
		"more sections than bytes": {func(b []byte) { le.PutUint32(b[448:], 10) }, "inside the header and the list"},
		"too many sections":        {func(b []byte) { le.PutUint32(b[448:], math.MaxUint32) }, "do not fit"},
		"a bitstream":              {func(b []byte) { copy(b, "\x00\x09\x0f\xf0") }, "it begins with"},
		"an old format":            {func(b []byte) { copy(b, "xclbin1\x00") }, "it begins with"},
		"section beyond":           {func(b []byte) { le.PutUint64(entry(b, 1)[24:], 1<<40) }, "section 1 lies outside"},
		"section too long":         {func(b []byte) { le.PutUint64(entry(b, 0)[32:], uint64(len(b))) }, "section 0 lies"},
		"section wraps":            {func(b []byte) { le.PutUint64(entry(b, 0)[32:], math.MaxUint64-8) }, "section 0 lies"},
		"offset wraps":             {func(b []byte) { le.PutUint64(entry(b, 0)[24:], math.MaxUint64) }, "section 0 lies"},
	} {
		t.Run(name, func(t *testing.T) {
			b := slices.Clone(whole)
			c.damage(b)
			_, _, err := all(b)
			assert.Check(t, errors.Is(err, ErrFormat) && strings.Contains(err.Error(), c.says),
				"error %v, want one that says %q", err, c.says)
		})
	}
}

// large is a file with a section of size bytes, of which only the first are there:
// the rest reads as zeros.
type large struct {
	head []byte
	read int64 // bytes that were asked for
}

func (l *large) ReadAt(b []byte, at int64) (int, error) {
	clear(b)
	if at < int64(len(l.head)) {
		copy(b, l.head[at:])
	}
	l.read += int64(len(b))
	return len(b), nil
}

// TestLarge sees that sections of absurd sizes are refused unread.
func TestLarge(t *testing.T) {
	_, whole := read(t, sample)
	const size = 1 << 40
	for kind, read := range map[Kind]func(*File) error{
		IPLayout:         func(f *File) error { _, err := f.Layout(); return err },
		MemTopology:      func(f *File) error { _, err := f.Layout(); return err },
		Connectivity:     func(f *File) error { _, err := f.Layout(); return err },
		AskGroupTopology: func(f *File) error { _, err := f.Layout(); return err },
		EmbeddedMetadata: func(f *File) error { _, err := f.Metadata(EmbeddedMetadata); return err },
		UserMetadata:     func(f *File) error { _, _, err := f.Describe(); return err },
	} {
		l := &large{head: slices.Clone(whole)}
		le.PutUint64(l.head[304:], size)
		le.PutUint32(entry(l.head, 1), uint32(kind))
		le.PutUint64(entry(l.head, 1)[32:], size-1024)
		f, err := Read(l, size)
		assert.NilError(t, err)
		err = read(f)
		assert.Check(t, errors.Is(err, ErrFormat) && l.read <= 4096, "%s: error %v after %d bytes", kind, err, l.read)
	}
}

// TestShrunk reads a file that loses its end after its header was read.
func TestShrunk(t *testing.T) {
	_, whole := read(t, card)
	f, err := Read(bytes.NewReader(whole[:1000]), int64(len(whole)))
	assert.NilError(t, err)
	_, err = f.Layout()
	assert.Check(t, is.ErrorContains(err, "read section IP_LAYOUT"))
}

// TestAbsent takes entries of the list with neither place nor size for sections that
// are not present.
func TestAbsent(t *testing.T) {
	_, whole := read(t, card)
	clear(entry(whole, userSection)[24:40])
	f, l, err := all(whole)
	assert.Check(t, err == nil && len(l.Kernels) == 5 && len(f.Sections) == 7, "read as %+v with %+v, %v", f, l, err)
}
