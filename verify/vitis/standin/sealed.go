package standin

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"slices"

	"github.com/cclforge/cclforge/verify/fakecards/xclbin"
)

// Places in the file, bytes. Mark and sum lie where a real file has room for a key: the
// tables are as in real files, the bitstreams are ours.
const (
	magic      = "xclbin2\x00"
	mark       = "cclforge stand-in\x00"
	markAt     = 40
	sumAt      = 96
	headerAt   = 304
	sectionsAt = headerAt + 152
	entrySize  = 40
)

// asJSON are the sections that are written and read as JSON. The tools know more.
var asJSON = []string{"CLOCK_FREQ_TOPOLOGY", "BUILD_METADATA", "KEYVALUE_METADATA", "PARTITION_METADATA",
	"SYSTEM_METADATA"}

// AsJSON reports whether a section can be read and written as JSON.
func AsJSON(kind string) bool { return slices.Contains(asJSON, kind) }

// XclbinBytes is a file's content, with mark and sum.
func XclbinBytes(f *xclbin.File) ([]byte, error) {
	b, err := f.Bytes()
	if err != nil {
		return nil, err
	}
	copy(b[markAt:], mark)
	clear(b[sumAt : sumAt+sha256.Size])
	sum := sha256.Sum256(b)
	copy(b[sumAt:], sum[:])
	return b, nil
}

// ParseXclbin reads a file's content, and sees whether all of it is there.
func ParseXclbin(b []byte) (*xclbin.File, error) {
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
	f := &xclbin.File{UUID: hex.EncodeToString(b[headerAt+112 : headerAt+128]),
		Mode:     xclbin.Mode(le.Uint16(b[headerAt+28:])),
		Platform: string(bytes.TrimRight(b[headerAt+48:headerAt+112], "\x00")),
		Version:  fmt.Sprintf("%d.%d.%d", b[headerAt+26], b[headerAt+27], le.Uint16(b[headerAt+24:]))}
	for i := range int(le.Uint32(b[headerAt+144:])) {
		e := b[sectionsAt+i*entrySize:]
		at, size := le.Uint64(e[24:]), le.Uint64(e[32:])
		kind, _ := xclbin.Kind(le.Uint32(e))
		f.Sections = append(f.Sections, xclbin.Section{Kind: kind, Data: b[at : at+size]})
	}
	return f, nil
}

// ReadXclbin reads a file.
func ReadXclbin(path string) (*xclbin.File, error) {
	all, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f, err := ParseXclbin(all)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}
