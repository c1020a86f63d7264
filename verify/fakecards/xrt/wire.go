package xrt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
)

// What goes over the socket; library/wire.h is the other end's.
const (
	wireMagic    = 0x54525843
	wireVersion  = 1
	uuidBytes    = 16
	maxName      = 4096
	maxFile      = 1 << 30
	requestBytes = 48
	replyBytes   = 24
)

// function is a function of XRT by its number on the wire.
type function uint32

const (
	hello function = iota
	probe
	deviceOpen
	deviceOpenByBDF
	deviceClose
	deviceLoadXclbin
	deviceLoadXclbinUUID
	deviceGetXclbinUUID
	deviceToXcl
	boAlloc
	boFree
	boSync
	boMap
	boAddress
	ipNameToIndex
	openContext
	closeContext
	regRead
	regWrite
	functions
)

// names are those of the functions, and how many arguments they have as numbers, and
// how many bytes may come with them.
var names = [functions]struct {
	name      string
	arguments int
	bytes     uint32
	exactly   bool
}{
	hello:                {"", 2, 0, true},
	probe:                {"xclProbe", 0, 0, true},
	deviceOpen:           {"xrtDeviceOpen", 1, 0, true},
	deviceOpenByBDF:      {"xrtDeviceOpenByBDF", 0, maxName, false},
	deviceClose:          {"xrtDeviceClose", 1, 0, true},
	deviceLoadXclbin:     {"xrtDeviceLoadXclbin", 1, maxFile, false},
	deviceLoadXclbinUUID: {"xrtDeviceLoadXclbinUUID", 1, uuidBytes, true},
	deviceGetXclbinUUID:  {"xrtDeviceGetXclbinUUID", 1, 0, true},
	deviceToXcl:          {"xrtDeviceToXclDevice", 1, 0, true},
	boAlloc:              {"xrtBOAlloc", 4, 0, true},
	boFree:               {"xrtBOFree", 1, 0, true},
	boSync:               {"xrtBOSync", 4, 0, true},
	boMap:                {"xrtBOMap", 1, 0, true},
	boAddress:            {"xrtBOAddress", 1, 0, true},
	ipNameToIndex:        {"xclIPName2Index", 1, maxName, false},
	openContext:          {"xclOpenContext", 3, uuidBytes, true},
	closeContext:         {"xclCloseContext", 2, uuidBytes, true},
	regRead:              {"xclRegRead", 3, 0, true},
	regWrite:             {"xclRegWrite", 4, 0, true},
}

// errFrame says that what came over the socket is none of the library's.
var errFrame = errors.New("no request of the library")

type request struct {
	function  function
	arguments [4]uint64
	payload   []byte
}

type reply struct {
	err     syscall.Errno // 0 for success
	value   uint64
	payload []byte
	file    int // a descriptor that goes along, or -1
}

func failure(err syscall.Errno) reply { return reply{err: err, file: -1} }
func success(value uint64) reply      { return reply{value: value, file: -1} }

// receive takes a request. The error is io.EOF if the other end has closed the
// connection between two, and errFrame for what cannot be one.
func receive(r io.Reader) (request, error) {
	var b [requestBytes]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return request{}, fmt.Errorf("%w: it has fewer than %d bytes", errFrame, requestBytes)
		}
		return request{}, err
	}
	order := binary.NativeEndian
	if magic := order.Uint32(b[:]); magic != wireMagic {
		return request{}, fmt.Errorf("%w: it begins with 0x%08X", errFrame, magic)
	}
	q := request{function: function(order.Uint32(b[4:]))}
	if q.function >= functions {
		return request{}, fmt.Errorf("%w: there is no function %d", errFrame, q.function)
	}
	for i := range q.arguments {
		q.arguments[i] = order.Uint64(b[8+8*i:])
	}
	known := names[q.function]
	n := order.Uint32(b[40:])
	if n > known.bytes || known.exactly && n != known.bytes {
		return request{}, fmt.Errorf("%w: %d bytes come with %s, %d are expected", errFrame, n, known.name, known.bytes)
	}
	// What comes is taken as it comes, so that nobody gets memory for saying a number.
	payload, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err == nil && len(payload) < int(n) {
		err = fmt.Errorf("%w: it ends after %d of %d bytes", errFrame, len(payload), n)
	}
	q.payload = payload
	return q, err
}

func send(c *net.UnixConn, r reply) error {
	order := binary.NativeEndian
	b := order.AppendUint32(nil, wireMagic)
	b = order.AppendUint32(b, uint32(r.err))
	b = order.AppendUint64(b, r.value)
	b = order.AppendUint32(b, uint32(len(r.payload)))
	if r.file < 0 {
		_, err := c.Write(append(order.AppendUint32(b, 0), r.payload...))
		return err
	}
	b = append(order.AppendUint32(b, 1), r.payload...)
	n, _, err := c.WriteMsgUnix(b, syscall.UnixRights(r.file), nil)
	if err == nil && n < len(b) {
		_, err = c.Write(b[n:])
	}
	return err
}
