// Package xclbin reads .xclbin files: who may load them, and what is in them. The
// format is that of XRT's header xclbin.h (struct axlf), little-endian.
package xclbin

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// ErrFormat matches errors of files that are no .xclbin, or are damaged.
var ErrFormat = errors.New("not an .xclbin file")

// Places in the file, bytes (xclbin.h: axlf, axlf_header, axlf_section_header).
const (
	magic        = "xclbin2\x00"
	headerAt     = 304
	lengthAt     = headerAt
	createdAt    = headerAt + 8
	versionAt    = headerAt + 24 // patch 16 bits, major 8, minor 8
	modeAt       = headerAt + 28
	interfaceAt  = headerAt + 32
	platformAt   = headerAt + 48
	platformSize = 64
	uuidAt       = headerAt + 112
	countAt      = headerAt + 144
	sectionsAt   = headerAt + 152
	sectionSize  = 40
	nameSize     = 16
	maxSections  = 0x10000
)

// Mode is what an .xclbin is for.
type Mode uint16

// The modes (XCLBIN_MODE).
const (
	Flat  Mode = 0
	PR    Mode = 1
	HWEmu Mode = 4
	SWEmu Mode = 5
)

// Emulation tells whether no card can load it.
func (m Mode) Emulation() bool { return m >= HWEmu && m <= HWEmu+2 }

// Kind is the kind of a section (axlf_section_kind).
type Kind uint32

// Kinds that are of use here.
const (
	Bitstream          Kind = 0
	EmbeddedMetadata   Kind = 2
	MemTopology        Kind = 6
	Connectivity       Kind = 7
	IPLayout           Kind = 8
	ClockFreqTopology  Kind = 11
	BuildMetadata      Kind = 14
	KeyValueMetadata   Kind = 15
	UserMetadata       Kind = 16
	PartitionMetadata  Kind = 20
	SystemMetadata     Kind = 22
	AskGroupTopology   Kind = 26
	AskGroupConnection Kind = 27
)

// Section is a piece of the file.
type Section struct {
	Kind   Kind
	Name   string
	Offset int64 // bytes, from the beginning of the file
	Size   int64 // bytes
}

// File is what the header of an .xclbin says.
type File struct {
	UUID     string // 8-4-4-4-12 hexadecimal digits
	Platform string // what the platform calls itself: "xilinx_u55c_gen3x16_xdma_base_3"
	// Interface is the UUID of the platform's interface that it was linked for;
	// zeros if it is for none.
	Interface string
	Mode      Mode
	Version   string // of the linker: "2.13.466"
	Created   time.Time
	Sections  []Section

	r io.ReaderAt
}

// Read reads the header of a file with size bytes.
func Read(r io.ReaderAt, size int64) (*File, error) {
	head := make([]byte, sectionsAt)
	if size < sectionsAt {
		return nil, fmt.Errorf("%w: it has %d bytes, and the header alone %d", ErrFormat, size, sectionsAt)
	}
	if _, err := r.ReadAt(head, 0); err != nil {
		return nil, fmt.Errorf("read the header: %w", err)
	}
	if string(head[:len(magic)]) != magic {
		return nil, fmt.Errorf("%w: it begins with %q instead of %q", ErrFormat, head[:len(magic)], magic)
	}
	le := binary.LittleEndian
	if length := le.Uint64(head[lengthAt:]); length != uint64(size) {
		return nil, fmt.Errorf("%w: its header says that it has %d bytes, and it has %d", ErrFormat, length, size)
	}
	f := &File{
		UUID:      uuid(head[uuidAt:]),
		Platform:  text(head[platformAt : platformAt+platformSize]),
		Interface: uuid(head[interfaceAt:]),
		Mode:      Mode(le.Uint16(head[modeAt:])),
		Version:   fmt.Sprintf("%d.%d.%d", head[versionAt+2], head[versionAt+3], le.Uint16(head[versionAt:])),
		Created:   time.Unix(int64(le.Uint64(head[createdAt:])), 0).UTC(),
		r:         r,
	}
	count := int64(le.Uint32(head[countAt:]))
	if count > maxSections || sectionsAt+count*sectionSize > size {
		return nil, fmt.Errorf("%w: %d sections do not fit into its %d bytes", ErrFormat, count, size)
	}
	table := make([]byte, count*sectionSize)
	if _, err := r.ReadAt(table, sectionsAt); err != nil && (count > 0 || !errors.Is(err, io.EOF)) {
		return nil, fmt.Errorf("read the list of sections: %w", err)
	}
	for entry := range count {
		e := table[entry*sectionSize:][:sectionSize]
		offset, length := le.Uint64(e[24:]), le.Uint64(e[32:])
		if offset > uint64(size) || length > uint64(size)-offset {
			return nil, fmt.Errorf("%w: section %d lies outside of its %d bytes", ErrFormat, entry, size)
		}
		f.Sections = append(f.Sections, Section{
			Kind: Kind(le.Uint32(e)), Name: text(e[4 : 4+nameSize]), Offset: int64(offset), Size: int64(length),
		})
	}
	return f, nil
}

// Open reads the header of a file on disk. Its sections can be read until close
// is called.
func Open(path string) (f *File, closer func() error, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%w: it is no plain file", ErrFormat)
	}
	if err == nil {
		f, err = Read(file, info.Size())
	}
	if err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, file.Close, nil
}

// Section is a reader of the first section of a kind; nil if there is none.
func (f *File) Section(kind Kind) *io.SectionReader {
	for _, s := range f.Sections {
		if s.Kind == kind {
			return io.NewSectionReader(f.r, s.Offset, s.Size)
		}
	}
	return nil
}

func text(b []byte) string {
	if end := bytes.IndexByte(b, 0); end >= 0 {
		b = b[:end]
	}
	return string(b)
}

func uuid(b []byte) string {
	h := hex.EncodeToString(b[:16])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
