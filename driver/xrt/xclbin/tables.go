package xclbin

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// The records of xclbin.h: ip_data, mem_data, connection.
type (
	ipRecord struct {
		Type       IPType
		Properties uint32
		Base       uint64
		Name       [64]byte
	}
	bankRecord struct {
		Type, Used uint8
		_          [6]byte
		KiB, Base  uint64
		Tag        [16]byte
	}
	connectionRecord struct{ Arg, IP, Bank int32 }
)

const (
	memoryMax = 1 << 53 // KiB: bytes fit into 63 bits
	// maxTable bounds tables, bytes. xclbinutil warns from 64 KiB on, because
	// XRT's kernel module takes no more.
	maxTable = 1 << 20
)

// NoAddress is the base address of an IP without registers.
const NoAddress uint64 = math.MaxUint64

// IP is an entry of IP_LAYOUT: an instance of a kernel, or a part of the shell.
type IP struct {
	Type       IPType
	Name       string // of a kernel "kernel:instance"
	Base       uint64 // address of its registers on the control bus, or NoAddress
	Properties uint32 // of a kernel: see Control and Interrupt
}

// Control is the control protocol of a kernel.
func (ip IP) Control() Control { return Control(ip.Properties >> 8) }

// Interrupt returns the number of a kernel's interrupt, 0 to 127, and whether it is
// enabled.
func (ip IP) Interrupt() (number int, enabled bool) {
	return int(ip.Properties >> 1 & 0x7F), ip.Properties&1 != 0
}

// Bank is an entry of MEM_TOPOLOGY or GROUP_TOPOLOGY: a bank of memory, a group of
// adjacent banks, or a stream between kernels.
type Bank struct {
	Type MemType
	Used bool   // available to kernels of this file
	KiB  uint64 // size; 0 for streams
	Base uint64 // first address, as kernels see it; 0 for streams
	Tag  string // "HBM[0]", "DDR[1]", "HOST[0]"
}

// Connection connects an argument of an IP to a bank. IP and Bank are indices in the
// tables of IPs and of banks (of groups, in GROUP_CONNECTIVITY). Arg counts all arguments
// of the kernel, including scalars, which have no connection.
type Connection struct {
	Arg, IP, Bank int
}

// records reads the records of a section behind their number in 32 bits; none if it is not
// there or empty. head is where they begin.
func records[T any](f *File, kind Kind, head int) ([]T, error) {
	b, err := f.whole(kind, maxTable)
	if err != nil || len(b) == 0 {
		return nil, err
	}
	if len(b) < head {
		return nil, fmt.Errorf("%w: %s has %d bytes, and its head alone %d", ErrFormat, kind, len(b), head)
	}
	record := binary.Size(*new(T))
	count := int64(int32(binary.LittleEndian.Uint32(b)))
	if want := int64(head) + count*int64(record); count < 0 || want != int64(len(b)) {
		return nil, fmt.Errorf("%w: %s has %d bytes, but says that it has %d records, which take %d and %d each",
			ErrFormat, kind, len(b), count, head, record)
	}
	list := make([]T, count)
	_, err = binary.Decode(b[head:], binary.LittleEndian, list)
	return list, err
}

// whole is the data of the only section of a kind; nil if there is none.
func (f *File) whole(kind Kind, limit int64) ([]byte, error) {
	var found *Section
	for i, s := range f.Sections {
		if s.Kind != kind {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%w: there are two sections %s", ErrFormat, kind)
		}
		found = &f.Sections[i]
	}
	if found == nil {
		return nil, nil
	}
	if found.Size > limit {
		return nil, fmt.Errorf("%w: %s has %d bytes; at most %d are taken", ErrFormat, kind, found.Size, limit)
	}
	b := make([]byte, found.Size)
	if _, err := io.ReadFull(io.NewSectionReader(f.r, found.Offset, found.Size), b); err != nil {
		return nil, fmt.Errorf("read section %s: %w", kind, err)
	}
	return b, nil
}

// IPs reads IP_LAYOUT; none if there is no such section. As with Banks and the other
// tables, the error matches ErrFormat if the section is damaged.
func (f *File) IPs() ([]IP, error) {
	entries, err := records[ipRecord](f, IPLayout, 8)
	if err != nil {
		return nil, err
	}
	var list []IP
	for i, e := range entries {
		name, err := name(e.Name[:])
		if err != nil {
			return nil, fmt.Errorf("%w: %s: name of entry %d: %w", ErrFormat, IPLayout, i, err)
		}
		list = append(list, IP{e.Type, name, e.Base, e.Properties})
	}
	return list, nil
}

// Banks reads MEM_TOPOLOGY, the banks of memory; none if there is no such section.
func (f *File) Banks() ([]Bank, error) { return f.banks(MemTopology) }

// Groups reads GROUP_TOPOLOGY: the banks of MEM_TOPOLOGY, followed by groups of banks
// that a single argument reaches; none if there is no such section.
func (f *File) Groups() ([]Bank, error) { return f.banks(AskGroupTopology) }

func (f *File) banks(kind Kind) ([]Bank, error) {
	entries, err := records[bankRecord](f, kind, 8)
	if err != nil {
		return nil, err
	}
	var list []Bank
	for i, e := range entries {
		bank := Bank{Type: MemType(e.Type), Used: e.Used != 0}
		if !bank.Type.Stream() { // of streams these are a route and a flow
			bank.KiB, bank.Base = e.KiB, e.Base
		}
		if bank.Tag, err = name(e.Tag[:]); err != nil {
			return nil, fmt.Errorf("%w: %s: tag of entry %d: %w", ErrFormat, kind, i, err)
		}
		if bank.Used && (bank.KiB >= memoryMax || bank.Base > math.MaxUint64-bank.KiB*1024) {
			return nil, fmt.Errorf("%w: %s: entry %d (%s) has %d KiB from address %#x on, beyond 64 bits", ErrFormat, kind, i,
				bank.Tag, bank.KiB, bank.Base)
		}
		list = append(list, bank)
	}
	return list, nil
}

// Connections reads CONNECTIVITY, the connections to the banks of MEM_TOPOLOGY; none if
// there is no such section. Layout checks the indices.
func (f *File) Connections() ([]Connection, error) { return f.connections(Connectivity) }

// GroupConnections reads GROUP_CONNECTIVITY, the connections to the banks of
// GROUP_TOPOLOGY; none if there is no such section.
func (f *File) GroupConnections() ([]Connection, error) { return f.connections(AskGroupConnection) }

func (f *File) connections(kind Kind) ([]Connection, error) {
	entries, err := records[connectionRecord](f, kind, 4)
	if err != nil {
		return nil, err
	}
	var list []Connection
	for i, e := range entries {
		if e.Arg < 0 || e.IP < 0 || e.Bank < 0 {
			return nil, fmt.Errorf("%w: %s: entry %d has a negative number: argument %d of IP %d leads to bank %d", ErrFormat,
				kind, i, e.Arg, e.IP, e.Bank)
		}
		list = append(list, Connection{int(e.Arg), int(e.IP), int(e.Bank)})
	}
	return list, nil
}
