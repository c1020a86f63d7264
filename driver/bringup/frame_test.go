package bringup

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

var frameKey = []byte("a key of frames")

func TestFramesThatAreNot(t *testing.T) {
	good := appendFrame(nil, frameKey, 3, frameMember, []byte("hello"))
	kind, payload, err := readFrame(bytes.NewReader(good), frameKey, 3)
	assert.Assert(t, kind == frameMember && string(payload) == "hello" && err == nil, "%d %q %v", kind, payload, err)
	altered := func(i int) []byte {
		b := bytes.Clone(good)
		b[i] ^= 1
		return b
	}
	for i := 4; i < len(good); i++ { // length is next
		_, _, err := readFrame(bytes.NewReader(altered(i)), frameKey, 3)
		assert.Check(t, is.ErrorIs(err, errFrame), "byte %d", i)
	}
	for _, test := range []struct {
		name string
		text []byte
		key  []byte
		n    uint64
		want error
	}{
		{"nothing", nil, frameKey, 3, io.EOF},
		{"half a head", good[:3], frameKey, 3, io.ErrUnexpectedEOF},
		{"a head", good[:frameHead], frameKey, 3, io.ErrUnexpectedEOF},
		{"half a frame", good[:20], frameKey, 3, io.ErrUnexpectedEOF},
		{"repeated", good, frameKey, 4, errFrame},
		{"key", good, []byte("another key"), 3, errFrame},
		{"too long", append([]byte{0, 1, 0, 1, frameMember}, make([]byte, 1<<17)...), frameKey, 3, errFrame},
		{"longer", append(altered(3), 0, 0), frameKey, 3, errFrame},
		{"no kind", appendFrame(nil, frameKey, 3, 0, nil), frameKey, 3, errFrame},
		{"a kind that is not", appendFrame(nil, frameKey, 3, frameEnd, nil), frameKey, 3, errFrame},
	} {
		_, _, err := readFrame(bytes.NewReader(test.text), test.key, test.n)
		assert.Check(t, is.ErrorIs(err, test.want), "%s", test.name)
	}
}

// Whatever comes is either a frame as it is written, or an error; what frames carry is
// either a value that can be sent again, or an error.
func FuzzFrame(f *testing.F) {
	m := Member{Generation: "accl-2024", Data: []byte{1}}
	text, err := m.encode(2)
	assert.NilError(f, err)
	f.Add(appendFrame(nil, frameKey, 0, frameMember, text))
	f.Add(appendFrame(nil, frameKey, 0, frameFailed, (&Error{ErrLeft, StepJoin, 1, "a", "b"}).encode()))
	f.Add([]byte{0, 0, 0, 0, frameBeat})
	f.Add([]byte{255, 255, 255, 255, frameBeat})
	f.Fuzz(func(t *testing.T, b []byte) {
		kind, payload, err := readFrame(bytes.NewReader(b), frameKey, 0)
		if err == nil {
			again := appendFrame(nil, frameKey, 0, kind, payload)
			assert.Assert(t, bytes.HasPrefix(b, again), "%x is read from %x", again, b)
		}
		// MACs keep the fuzzer from payloads: here they are by themselves.
		if m, err := decodeMember(b, 2); err == nil && len(b) < maxMember/8 {
			_, err := m.encode(2)
			assert.NilError(t, err, "%+v", m)
		}
		if e, err := decodeError(b); err == nil {
			_, err := decodeError(e.encode())
			assert.Assert(t, err == nil && !strings.ContainsAny(e.Error(), "\n\x00"), "%q: %v", e, err)
		}
		verify(struct {
			io.Reader
			io.Writer
		}{bytes.NewReader(b), io.Discard}, frameKey)
	})
}
