// Package xclbin writes and reads the stand-ins' .xclbin files. The container is
// that of XRT's xclbin.h (struct axlf), with a mark and a sum where the real one has
// room for a key, so that damage is seen; what is in the sections is of our making.
package xclbin

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Places in the file, bytes.
const (
	magic      = "xclbin2\x00"
	mark       = "cclforge stand-in\x00"
	markAt     = 40
	sumAt      = 96
	headerAt   = 304
	sectionsAt = headerAt + 152
	entrySize  = 40
	alignment  = 8
	modeHWEmu  = 4
)

// kinds are the names of sections by number, as xclbinutil calls them.
var kinds = []string{"BITSTREAM", "CLEARING_BITSTREAM", "EMBEDDED_METADATA", "FIRMWARE", "DEBUG_DATA", "SCHED_FIRMWARE", "MEM_TOPOLOGY",
	"CONNECTIVITY", "IP_LAYOUT", "DEBUG_IP_LAYOUT", "DESIGN_CHECK_POINT", "CLOCK_FREQ_TOPOLOGY", "MCS", "BMC", "BUILD_METADATA",
	"KEYVALUE_METADATA", "USER_METADATA", "DNA_CERTIFICATE", "PDI", "BITSTREAM_PARTIAL_PDI", "PARTITION_METADATA", "EMULATION_DATA",
	"SYSTEM_METADATA", "SOFT_KERNEL", "ASK_FLASH", "AIE_METADATA", "GROUP_TOPOLOGY", "GROUP_CONNECTIVITY"}

// asJSON are those that xclbinutil reads and writes as JSON.
var asJSON = []string{"MEM_TOPOLOGY", "CONNECTIVITY", "IP_LAYOUT", "DEBUG_IP_LAYOUT", "CLOCK_FREQ_TOPOLOGY", "BUILD_METADATA",
	"KEYVALUE_METADATA", "PARTITION_METADATA", "SYSTEM_METADATA", "GROUP_TOPOLOGY", "GROUP_CONNECTIVITY"}

// Known reports whether there is a section of that name, JSON whether it can be
// read and written as JSON.
func Known(kind string) bool { return slices.Contains(kinds, kind) }

// JSON reports whether a section can be read and written as JSON.
func JSON(kind string) bool { return slices.Contains(asJSON, kind) }

// Section is a section: "BITSTREAM", "IP_LAYOUT", ...
type Section struct {
	Kind string
	Data []byte
}

// File is a device binary.
type File struct {
	UUID     string // 32 hexadecimal digits
	Platform string // what the platform calls itself
	Version  string // of the linker's XRT: "2.16.204"
	Emulated bool
	Sections []Section
}

// Get is the data of a section; false if there is none.
func (f *File) Get(kind string) ([]byte, bool) {
	i := slices.IndexFunc(f.Sections, func(s Section) bool { return s.Kind == kind })
	if i < 0 {
		return nil, false
	}
	return f.Sections[i].Data, true
}

// Set replaces a section or adds it.
func (f *File) Set(kind string, data []byte) {
	f.Remove(kind)
	f.Sections = append(f.Sections, Section{kind, data})
	slices.SortFunc(f.Sections, func(a, b Section) int { return slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind) })
}

// Remove takes a section out.
func (f *File) Remove(kind string) {
	f.Sections = slices.DeleteFunc(f.Sections, func(s Section) bool { return s.Kind == kind })
}

// Bytes is the file's content.
func (f *File) Bytes() ([]byte, error) {
	le := binary.LittleEndian
	b := make([]byte, sectionsAt+entrySize*len(f.Sections))
	copy(b, magic)
	le.PutUint32(b[8:], 0xFFFFFFFF) // no signature
	copy(b[markAt:], mark)
	id, err := hex.DecodeString(f.UUID)
	if err != nil || len(id) != 16 {
		return nil, fmt.Errorf("UUID %q", f.UUID)
	}
	var major, minor, patch int
	if _, err := fmt.Sscanf(f.Version, "%d.%d.%d", &major, &minor, &patch); err != nil {
		return nil, fmt.Errorf("version %q: %w", f.Version, err)
	}
	le.PutUint16(b[headerAt+24:], uint16(patch))
	b[headerAt+26], b[headerAt+27] = byte(major), byte(minor)
	if f.Emulated {
		le.PutUint16(b[headerAt+28:], modeHWEmu)
	}
	copy(b[headerAt+48:headerAt+48+63], f.Platform)
	copy(b[headerAt+112:], id)
	le.PutUint32(b[headerAt+144:], uint32(len(f.Sections)))
	for i, s := range f.Sections {
		for len(b)%alignment != 0 {
			b = append(b, 0)
		}
		e := b[sectionsAt+i*entrySize:]
		le.PutUint32(e, uint32(slices.Index(kinds, s.Kind)))
		copy(e[4:4+15], strings.ToLower(s.Kind))
		le.PutUint64(e[24:], uint64(len(b)))
		le.PutUint64(e[32:], uint64(len(s.Data)))
		b = append(b, s.Data...)
	}
	le.PutUint64(b[headerAt:], uint64(len(b)))
	sum := sha256.Sum256(b)
	copy(b[sumAt:], sum[:])
	return b, nil
}

// Parse reads a file's content, and sees whether all of it is there.
func Parse(b []byte) (*File, error) {
	le := binary.LittleEndian
	if !bytes.HasPrefix(b, []byte(magic)) {
		return nil, fmt.Errorf("the magic number is not that of an xclbin")
	}
	if len(b) < sectionsAt || uint64(len(b)) != le.Uint64(b[headerAt:]) {
		return nil, fmt.Errorf("it is cut: it has %d bytes", len(b))
	}
	if !bytes.HasPrefix(b[markAt:], []byte(mark)) {
		return nil, fmt.Errorf("it is not of the stand-ins")
	}
	whole := bytes.Clone(b)
	clear(whole[sumAt : sumAt+sha256.Size])
	if sum := sha256.Sum256(whole); !bytes.Equal(sum[:], b[sumAt:sumAt+sha256.Size]) {
		return nil, fmt.Errorf("its sum is wrong: it is damaged")
	}
	f := &File{UUID: hex.EncodeToString(b[headerAt+112 : headerAt+128]), Emulated: le.Uint16(b[headerAt+28:]) == modeHWEmu,
		Platform: string(bytes.TrimRight(b[headerAt+48:headerAt+112], "\x00")),
		Version:  fmt.Sprintf("%d.%d.%d", b[headerAt+26], b[headerAt+27], le.Uint16(b[headerAt+24:]))}
	for i := range int(le.Uint32(b[headerAt+144:])) {
		e := b[sectionsAt+i*entrySize:]
		at, size := le.Uint64(e[24:]), le.Uint64(e[32:])
		f.Sections = append(f.Sections, Section{kinds[le.Uint32(e)], b[at : at+size]})
	}
	return f, nil
}

// Read reads a file.
func Read(path string) (*File, error) {
	all, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f, err := Parse(all)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// Bitstream is what stands for configuration data.
type Bitstream struct {
	Design string            // hash of all that was linked
	RAMs   map[string]string // contents of processors' memories, by their paths
}

const sync = "\xff\xff\xff\xff\xaa\x99\x55\x66"

// Bytes is the file's content: the synchronisation word of a bitstream first.
func (b *Bitstream) Bytes() ([]byte, error) {
	text, err := json.Marshal(b)
	return slices.Concat([]byte(sync), text, []byte("\n")), err
}

// ParseBitstream reads a bitstream.
func ParseBitstream(all []byte) (*Bitstream, error) {
	rest, ok := bytes.CutPrefix(all, []byte(sync))
	if !ok {
		return nil, fmt.Errorf("there is no synchronisation word")
	}
	var b Bitstream
	return &b, json.Unmarshal(rest, &b)
}
