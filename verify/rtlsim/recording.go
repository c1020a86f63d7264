package rtlsim

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrRecording says that a file is no recording, or not whole.
var ErrRecording = errors.New("not a whole recording of a card")

// Recording is a file that a Recorder has saved.
type Recording struct {
	Path     string
	Platform string
	Cycles   uint64

	head *head
}

// recordingMark begins a recording. A compressed head and the calls follow, as shapes
// have them.
const recordingMark = "cclforge recording 1\n"

// head says how the card was opened, and of what it was built.
type head struct {
	Platform  string
	Cycles    uint64
	Calls     []string // the names of functions by their codes
	Origin    origin
	Sources   []file // SystemVerilog in compile order
	Shell     []file
	Arguments string // with firmwareHere for the file of the image, and kernelHere for libraries
	Image     []byte
	Kernels   [][]byte // libraries of kernels in C++
	Seed      uint64
	Flags     uint32
}

type file struct{ Name, Text string }

// firmwareHere stands for the file of the firmware.
const firmwareHere = "{firmware}"

func writeRecording(to io.Writer, h *head, content io.Reader) error {
	if _, err := io.WriteString(to, recordingMark); err != nil {
		return err
	}
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(to, gzip.BestSpeed)
	if err != nil {
		return err
	}
	if _, err := z.Write(append(binary.AppendUvarint(nil, uint64(len(text))), text...)); err != nil {
		return err
	}
	if _, err := io.Copy(z, content); err != nil {
		return err
	}
	return z.Close()
}

// ReadRecording reads what a recording is of. The error matches ErrRecording if the
// file is something else.
func ReadRecording(path string) (*Recording, error) {
	r, err := openRecording(path)
	if err != nil {
		return nil, err
	}
	defer r.close()
	if _, err := io.Copy(io.Discard, r); err != nil { // has a checksum in the end
		return nil, fmt.Errorf("%s: %w: %w", path, ErrRecording, unexpected(err))
	}
	return &Recording{Path: path, Platform: r.head.Platform, Cycles: r.head.Cycles, head: r.head}, nil
}

// reading is a recording that is being read.
type reading struct {
	*bufio.Reader
	head *head
	file *os.File
}

func (r *reading) close() { r.file.Close() }

// openRecording opens a recording at its first call.
func openRecording(path string) (*reading, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r := &reading{head: &head{}, file: f}
	if err := r.begin(); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w: %w", path, ErrRecording, unexpected(err))
	}
	return r, nil
}

func (r *reading) begin() error {
	in := bufio.NewReader(r.file)
	mark := make([]byte, len(recordingMark))
	if _, err := io.ReadFull(in, mark); err != nil || !bytes.Equal(mark, []byte(recordingMark)) {
		return errors.New("it begins in another way")
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return err
	}
	r.Reader = bufio.NewReaderSize(z, 1<<16)
	size, err := binary.ReadUvarint(r)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(r, int64(size)))
	if err != nil {
		return err
	}
	if uint64(len(text)) < size {
		return io.ErrUnexpectedEOF
	}
	return json.Unmarshal(text, r.head)
}
