// Package xclbin writes .xclbin files for tests and for stand-ins of the vendor's
// tools. The format is that of XRT's header xclbin.h. It shares nothing with the
// reader in driver/xrt/xclbin, so that each shows the other's mistakes.
package xclbin

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// kinds are the names of sections by number, as xclbinutil calls them.
var kinds = []string{"BITSTREAM", "CLEARING_BITSTREAM", "EMBEDDED_METADATA", "FIRMWARE", "DEBUG_DATA", "SCHED_FIRMWARE",
	"MEM_TOPOLOGY",
	"CONNECTIVITY", "IP_LAYOUT", "DEBUG_IP_LAYOUT", "DESIGN_CHECK_POINT", "CLOCK_FREQ_TOPOLOGY", "MCS",
	"BMC", "BUILD_METADATA",
	"KEYVALUE_METADATA", "USER_METADATA", "DNA_CERTIFICATE", "PDI", "BITSTREAM_PARTIAL_PDI", "PARTITION_METADATA",
	"EMULATION_DATA",
	"SYSTEM_METADATA", "SOFT_KERNEL", "ASK_FLASH", "AIE_METADATA", "GROUP_TOPOLOGY", "GROUP_CONNECTIVITY"}

// Known reports whether there is a section of that name.
func Known(kind string) bool { return slices.Contains(kinds, kind) }

// Kind is the name of a section's kind by number; false if there is none.
func Kind(number uint32) (string, bool) {
	if number >= uint32(len(kinds)) {
		return "", false
	}
	return kinds[number], true
}

// Section is a section: "BITSTREAM", "IP_LAYOUT", ...
type Section struct {
	Kind string
	Data []byte
}

// File is a device binary.
type File struct {
	UUID      string // 32 hexadecimal digits
	Platform  string // what the platform calls itself
	Interface string // of the platform, 32 hexadecimal digits; empty for zeros
	Version   string // of the linker's XRT: "2.16.204"
	Created   time.Time
	Mode      Mode
	Sections  []Section
}

// Mode is what a file is for (XCLBIN_MODE).
type Mode uint16

const (
	Hardware          Mode = 0
	HardwareEmulation Mode = 4
	SoftwareEmulation Mode = 5
)

// ErrFile matches errors of a File that cannot be written.
var ErrFile = errors.New("no .xclbin can be made of it")

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
	slices.SortFunc(f.Sections,
		func(a, b Section) int { return slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind) })
}

// Remove takes a section out.
func (f *File) Remove(kind string) {
	f.Sections = slices.DeleteFunc(f.Sections, func(s Section) bool { return s.Kind == kind })
}

// Bytes is the file's content. The error matches ErrFile.
func (f *File) Bytes() ([]byte, error) {
	id, err := digits(f.UUID)
	if err != nil {
		return nil, fmt.Errorf("%w: UUID: %w", ErrFile, err)
	}
	partner := make([]byte, 16)
	if f.Interface != "" {
		if partner, err = digits(f.Interface); err != nil {
			return nil, fmt.Errorf("%w: interface: %w", ErrFile, err)
		}
	}
	var major, minor uint8
	var patch uint16
	if _, err := fmt.Sscanf(f.Version, "%d.%d.%d", &major, &minor, &patch); err != nil {
		return nil, fmt.Errorf("%w: version %q: %w", ErrFile, f.Version, err)
	}
	var made uint64
	if !f.Created.IsZero() {
		made = uint64(f.Created.Unix())
	}

	// The header has no gaps but where zeros are written, so that it can be put down
	// field by field.
	w := &writer{}
	w.bytes([]byte("xclbin2\x00"))
	w.number(0xFFFFFFFF) // no signature
	w.fill(0xFF, 28)
	w.fill(0xFF, 256) // a key
	w.long(0)         // identity
	length := len(w.b)
	w.long(0) // to come
	w.long(made)
	w.long(0) // of the platform's ROM
	w.short(patch)
	w.bytes([]byte{major, minor})
	w.short(uint16(f.Mode))
	w.short(0) // actions
	w.bytes(partner)
	w.text(f.Platform, 64)
	w.bytes(id)
	w.fill(0, 16) // file for debugging
	w.number(uint32(len(f.Sections)))
	w.number(0)

	at := len(w.b) + 40*len(f.Sections)
	for _, s := range f.Sections {
		at = (at + 7) &^ 7
		number := slices.Index(kinds, s.Kind)
		if number < 0 {
			return nil, fmt.Errorf("%w: there is no section %q", ErrFile, s.Kind)
		}
		label := strings.ToLower(s.Kind)
		w.number(uint32(number))
		w.text(label[:min(len(label), 15)], 16)
		w.number(0)
		w.long(uint64(at))
		w.long(uint64(len(s.Data)))
		at += len(s.Data)
	}
	for _, s := range f.Sections {
		w.fill(0, -len(w.b)&7)
		w.bytes(s.Data)
	}
	binary.LittleEndian.PutUint64(w.b[length:], uint64(len(w.b)))
	return w.b, w.err
}

func digits(text string) ([]byte, error) {
	b, err := hex.DecodeString(text)
	if err == nil && len(b) != 16 {
		err = fmt.Errorf("%q has not 32 digits", text)
	}
	return b, err
}

type writer struct {
	b   []byte
	err error // the first of a text
}

func (w *writer) bytes(b []byte)     { w.b = append(w.b, b...) }
func (w *writer) short(v uint16)     { w.b = binary.LittleEndian.AppendUint16(w.b, v) }
func (w *writer) number(v uint32)    { w.b = binary.LittleEndian.AppendUint32(w.b, v) }
func (w *writer) long(v uint64)      { w.b = binary.LittleEndian.AppendUint64(w.b, v) }
func (w *writer) fill(v byte, n int) { w.b = append(w.b, slices.Repeat([]byte{v}, n)...) }
func (w *writer) text(s string, n int) {
	if len(s) >= n && w.err == nil {
		w.err = fmt.Errorf("%w: %q is longer than %d characters", ErrFile, s, n-1)
	}
	field := make([]byte, n)
	copy(field, s)
	w.bytes(field)
}
