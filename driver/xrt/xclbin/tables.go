package xclbin

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// Places in the sections, bytes (xclbin.h: ip_layout, ip_data, mem_topology,
// mem_data, connectivity, connection). A table begins with a number of records in
// 32 bits; the records of the first two are aligned to 8 bytes.
const (
	ipsAt        = 8
	ipSize       = 80
	ipProperties = 4
	ipBase       = 8
	ipName       = 16

	banksAt   = 8
	bankSize  = 40
	bankUsed  = 1
	bankKiB   = 8
	bankBase  = 16
	bankTag   = 24
	memoryMax = 1 << 53 // KiB: bytes fit into 63 bits

	connectionsAt    = 4
	connectionSize   = 12
	connectionIP     = 4
	connectionMemory = 8

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

// table is the records of a section; none if it is not there or empty.
func (f *File) table(kind Kind, head, record int) ([]byte, error) {
	b, err := f.whole(kind, maxTable)
	if err != nil || len(b) == 0 {
		return nil, err
	}
	if len(b) < head {
		return nil, fmt.Errorf("%w: %s has %d bytes, and its head alone %d", ErrFormat, kind, len(b), head)
	}
	count := int64(int32(binary.LittleEndian.Uint32(b)))
	if want := int64(head) + count*int64(record); count < 0 || want != int64(len(b)) {
		return nil, fmt.Errorf("%w: %s has %d bytes, but says that it has %d records, which take %d and %d each",
			ErrFormat, kind, len(b), count, head, record)
	}
	return b[head:], nil
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
	b, err := f.table(IPLayout, ipsAt, ipSize)
	if err != nil || len(b) == 0 {
		return nil, err
	}
	le := binary.LittleEndian
	list := make([]IP, len(b)/ipSize)
	for i := range list {
		e := b[i*ipSize:][:ipSize]
		ip := IP{Type: IPType(le.Uint32(e)), Properties: le.Uint32(e[ipProperties:]), Base: le.Uint64(e[ipBase:])}
		if ip.Name, err = name(e[ipName:]); err != nil {
			return nil, fmt.Errorf("%w: %s: name of entry %d: %w", ErrFormat, IPLayout, i, err)
		}
		list[i] = ip
	}
	return list, nil
}

// Banks reads MEM_TOPOLOGY, the banks of memory; none if there is no such section.
func (f *File) Banks() ([]Bank, error) { return f.banks(MemTopology) }

// Groups reads GROUP_TOPOLOGY: the banks of MEM_TOPOLOGY, followed by groups of banks
// that a single argument reaches; none if there is no such section.
func (f *File) Groups() ([]Bank, error) { return f.banks(AskGroupTopology) }

func (f *File) banks(kind Kind) ([]Bank, error) {
	b, err := f.table(kind, banksAt, bankSize)
	if err != nil || len(b) == 0 {
		return nil, err
	}
	le := binary.LittleEndian
	list := make([]Bank, len(b)/bankSize)
	for i := range list {
		e := b[i*bankSize:][:bankSize]
		bank := Bank{Type: MemType(e[0]), Used: e[bankUsed] != 0}
		if !bank.Type.Stream() { // of streams these are a route and a flow
			bank.KiB, bank.Base = le.Uint64(e[bankKiB:]), le.Uint64(e[bankBase:])
		}
		if bank.Tag, err = name(e[bankTag:]); err != nil {
			return nil, fmt.Errorf("%w: %s: tag of entry %d: %w", ErrFormat, kind, i, err)
		}
		if bank.Used && (bank.KiB >= memoryMax || bank.Base > math.MaxUint64-bank.KiB*1024) {
			return nil, fmt.Errorf("%w: %s: entry %d (%s) has %d KiB from address %#x on, beyond 64 bits", ErrFormat, kind, i,
				bank.Tag, bank.KiB, bank.Base)
		}
		list[i] = bank
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
	b, err := f.table(kind, connectionsAt, connectionSize)
	if err != nil || len(b) == 0 {
		return nil, err
	}
	list := make([]Connection, len(b)/connectionSize)
	for i := range list {
		e := b[i*connectionSize:][:connectionSize]
		at := func(offset int) int { return int(int32(binary.LittleEndian.Uint32(e[offset:]))) }
		c := Connection{Arg: at(0), IP: at(connectionIP), Bank: at(connectionMemory)}
		if c.Arg < 0 || c.IP < 0 || c.Bank < 0 {
			return nil, fmt.Errorf("%w: %s: entry %d has a negative number: argument %d of IP %d leads to bank %d", ErrFormat,
				kind, i, c.Arg, c.IP, c.Bank)
		}
		list[i] = c
	}
	return list, nil
}
