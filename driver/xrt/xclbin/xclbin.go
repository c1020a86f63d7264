// Package xclbin reads .xclbin files: their header, sections, kernels, and the memory
// that kernels reach. The format is that of XRT's header xclbin.h (struct axlf and the
// structures of its sections), little-endian. Files are not trusted: inconsistent files
// are refused, and tables and metadata have size limits.
package xclbin

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// ErrFormat matches errors of files that are damaged, or no .xclbin files.
var ErrFormat = errors.New("not an .xclbin file")

const (
	magic       = "xclbin2\x00"
	maxSections = 0x10000
)

// axlf is the header of xclbin.h with the first fields of the file.
type axlf struct {
	Magic        [8]byte
	_            [296]byte
	Length       uint64
	Created      int64
	_            uint64
	Patch        uint16
	Major, Minor uint8
	Mode         Mode
	_            uint16
	Interface    [16]byte
	Platform     [64]byte
	UUID, _      [16]byte
	Sections     uint32
	_            uint32
}

// sectionHeader is axlf_section_header of xclbin.h.
type sectionHeader struct {
	Kind         Kind
	Name         [16]byte // needs no zero at the end
	_            uint32
	Offset, Size uint64
}

// Mode is the kind of design in an .xclbin (XCLBIN_MODE).
type Mode uint16

// Modes.
const (
	Flat  Mode = 0
	PR    Mode = 1
	HWEmu Mode = 4
	SWEmu Mode = 5
)

// Emulation reports whether the file is for emulation, so that no card can load it.
func (m Mode) Emulation() bool { return m >= HWEmu && m <= HWEmu+2 }

// Section is a section of the file.
type Section struct {
	Kind   Kind
	Name   string
	Offset int64 // in bytes, from the beginning of the file
	Size   int64 // in bytes
}

// File is the header of an .xclbin.
type File struct {
	UUID     string // 8-4-4-4-12 hexadecimal digits
	Platform string // name of the Vitis platform, such as "xilinx_u55c_gen3x16_xdma_base_3"
	// Interface is the UUID of the platform's interface that the file was linked for; zeros
	// if there is none.
	Interface string
	Mode      Mode
	Version   string // of the linker: "2.13.466"
	Created   time.Time
	Sections  []Section // in the order of the file

	r io.ReaderAt
}

// Read reads the header of a file with size bytes.
func Read(r io.ReaderAt, size int64) (*File, error) {
	var head axlf
	sectionsAt, sectionSize := int64(binary.Size(head)), int64(binary.Size(sectionHeader{}))
	if size < sectionsAt {
		return nil, fmt.Errorf("%w: it has %d bytes, and the header alone %d", ErrFormat, size, sectionsAt)
	}
	if err := binary.Read(io.NewSectionReader(r, 0, sectionsAt), binary.LittleEndian, &head); err != nil {
		return nil, fmt.Errorf("read the header: %w", err)
	}
	if string(head.Magic[:]) != magic {
		return nil, fmt.Errorf("%w: it begins with %q instead of %q", ErrFormat, head.Magic, magic)
	}
	if head.Length != uint64(size) {
		return nil, fmt.Errorf("%w: its header says that it has %d bytes, and it has %d", ErrFormat, head.Length, size)
	}
	platform, err := name(head.Platform[:])
	if err != nil {
		return nil, fmt.Errorf("%w: the platform's name: %w", ErrFormat, err)
	}
	f := &File{
		UUID:      uuid(head.UUID),
		Platform:  platform,
		Interface: uuid(head.Interface),
		Mode:      head.Mode,
		Version:   fmt.Sprintf("%d.%d.%d", head.Major, head.Minor, head.Patch),
		Created:   time.Unix(head.Created, 0).UTC(),
		r:         r,
	}
	count := int64(head.Sections)
	if count > maxSections || sectionsAt+count*sectionSize > size {
		return nil, fmt.Errorf("%w: %d sections do not fit into its %d bytes", ErrFormat, count, size)
	}
	table := make([]sectionHeader, count)
	if err := binary.Read(io.NewSectionReader(r, sectionsAt, size-sectionsAt), binary.LittleEndian, table); err != nil {
		return nil, fmt.Errorf("read the list of sections: %w", err)
	}
	for i, e := range table {
		if e.Offset == 0 && e.Size == 0 {
			continue // the format's way to say that it is not there
		}
		if e.Offset > uint64(size) || e.Size > uint64(size)-e.Offset {
			return nil, fmt.Errorf("%w: section %d lies outside of its %d bytes", ErrFormat, i, size)
		}
		if e.Size > 0 && e.Offset < uint64(sectionsAt+count*sectionSize) {
			return nil, fmt.Errorf("%w: section %d begins at byte %d, inside the header and the list of sections",
				ErrFormat, i, e.Offset)
		}
		f.Sections = append(f.Sections, Section{e.Kind, text(e.Name[:]), int64(e.Offset), int64(e.Size)})
	}
	if err := f.apart(); err != nil {
		return nil, err
	}
	return f, nil
}

// apart sees that no byte belongs to two sections.
func (f *File) apart() error {
	order := slices.Clone(f.Sections)
	slices.SortFunc(order,
		func(a, b Section) int { return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Size, b.Size)) })
	var end Section
	for _, s := range order {
		if s.Size == 0 {
			continue
		}
		if s.Offset < end.Offset+end.Size {
			return fmt.Errorf("%w: the sections %s and %s lie one over the other at byte %d", ErrFormat,
				end.Kind, s.Kind, s.Offset)
		}
		end = s
	}
	return nil
}

// Open reads the header of a file on disk. Its sections can be read until closer is
// called.
func Open(path string) (f *File, closer func() error, err error) {
	// A pipe would keep the call that opens it.
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s: %w: it is no plain file", path, ErrFormat)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	if info, err = file.Stat(); err == nil {
		f, err = Read(file, info.Size())
	}
	if err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, file.Close, nil
}

// name is a text with a zero behind it, of characters that can be shown.
func name(b []byte) (string, error) {
	end := bytes.IndexByte(b, 0)
	if end < 0 {
		return "", fmt.Errorf("%q has no zero at its end", b)
	}
	for _, c := range b[:end] {
		if c < ' ' || c > '~' {
			return "", fmt.Errorf("%q has a character that is not printable ASCII", b[:end])
		}
	}
	return string(b[:end]), nil
}

func text(b []byte) string {
	if end := bytes.IndexByte(b, 0); end >= 0 {
		b = b[:end]
	}
	return string(b)
}

func uuid(b [16]byte) string {
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
