package bringup

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// What frames are. A frame is its length and kind, its payload, and a MAC of all of
// that and its number.
const (
	frameBeat     byte = iota + 1 // nothing new
	frameMember                   // to rank 0: of the sender; from rank 0: of each rank, in order
	frameJoined                   // from rank 0: these were all, and they fit
	frameReady                    // to rank 0: configured; from rank 0: all are
	frameFailed                   // to rank 0: why not; from rank 0: the error of all
	frameLimit                    // to rank 0: the sender waits no longer, and why
	frameLeft                     // from rank 0: an error of another rank
	frameGoodbye                  // the sender leaves in order
	frameShare                    // to rank 0: for an exchange; from rank 0: of each rank, in order
	frameArrive                   // to rank 0: come to points; from rank 0: all have come to points
	frameAsk                      // a question to another rank
	frameAnswer                   // its answer
	frameNoAnswer                 // why it has none
	frameEnd                      // kinds are below
)

const (
	frameHead  = 5 // length and kind
	maxPayload = 64 << 10
	macBytes   = sha256.Size
)

var errFrame = errors.New("not a frame of this connection")

// mac computes that of frame number n.
func mac(key []byte, n uint64, head, payload []byte) []byte {
	h := hmac.New(sha256.New, key)
	var number [8]byte
	binary.BigEndian.PutUint64(number[:], n)
	h.Write(number[:])
	h.Write(head)
	h.Write(payload)
	return h.Sum(nil)
}

func appendFrame(to []byte, key []byte, n uint64, kind byte, payload []byte) []byte {
	var head [frameHead]byte
	binary.BigEndian.PutUint32(head[:], uint32(len(payload)))
	head[4] = kind
	to = append(to, head[:]...)
	to = append(to, payload...)
	return append(to, mac(key, n, head[:], payload)...)
}

// readFrame reads frame number n. The error is io.EOF only where a frame may begin.
func readFrame(r io.Reader, key []byte, n uint64) (kind byte, payload []byte, err error) {
	var head [frameHead]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	length, kind := binary.BigEndian.Uint32(head[:]), head[4]
	if length > maxPayload || kind == 0 || kind >= frameEnd {
		return 0, nil, fmt.Errorf("%w: kind %d with %d bytes", errFrame, kind, length)
	}
	// Memory is taken as bytes come.
	var body bytes.Buffer
	if _, err := io.CopyN(&body, r, int64(length)+macBytes); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return 0, nil, err
	}
	payload = body.Bytes()[:length:length]
	if !hmac.Equal(body.Bytes()[length:], mac(key, n, head[:], payload)) {
		return 0, nil, fmt.Errorf("%w: its MAC is wrong", errFrame)
	}
	return kind, payload, nil
}

// unmarshal reads a value that is alone and has no fields that are not known.
func unmarshal(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more behind the value")
	}
	return nil
}
