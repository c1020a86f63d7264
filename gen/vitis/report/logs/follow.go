package logs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
)

const (
	// Pause is the time between two looks at a log.
	Pause = 100 * time.Millisecond
	// LongestFollowed is how much of a line is handed on, in bytes.
	LongestFollowed = 4096
)

// Follow passes each line of a growing file to line, until ended is closed and the rest
// has been read, or the context ends. The file may appear later. A line is cut at
// LongestFollowed; bytes that are not UTF-8 become U+FFFD, control characters are
// dropped. A last line without a line feed counts. The error is one of reading.
func Follow(ctx context.Context, path string, ended <-chan struct{}, line func(string)) error {
	f := follower{path: path, line: line}
	defer f.close()
	for {
		last := false
		select {
		case <-ended:
			last = true
		default:
		}
		if err := f.read(ctx); err != nil {
			return err
		}
		if last {
			f.flush()
			return nil
		}
		select {
		case <-time.After(Pause):
		case <-ended:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

type follower struct {
	path string
	line func(string)
	file *os.File
	at   int64 // how much of the file was read
	part []byte
	// returned: the last character was a carriage return that has ended a line.
	returned bool
	buf      [64 << 10]byte
}

func (f *follower) close() {
	if f.file != nil {
		f.file.Close()
	}
}

func (f *follower) read(ctx context.Context) error {
	if f.file == nil {
		file, err := os.Open(f.path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		f.file = file
	}
	if info, err := f.file.Stat(); err == nil && info.Size() < f.at {
		f.at = 0 // somebody has cut the log
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := f.file.ReadAt(f.buf[:], f.at)
		f.at += int64(n)
		f.take(f.buf[:n])
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// take splits what was read. Tools that draw progress end lines with a carriage
// return.
func (f *follower) take(text []byte) {
	begin := 0
	for i, c := range text {
		if c != '\n' && c != '\r' {
			continue
		}
		f.keep(text[begin:i])
		begin = i + 1
		ended := c == '\n' && f.returned
		f.returned = c == '\r' && len(f.part) > 0
		if f.returned || c == '\n' && (!ended || len(f.part) > 0) {
			f.hand()
		}
	}
	f.keep(text[begin:])
	if begin < len(text) {
		f.returned = false
	}
}

func (f *follower) keep(text []byte) {
	f.part = append(f.part, text[:min(len(text), LongestFollowed-len(f.part))]...)
}

func (f *follower) flush() {
	if len(f.part) > 0 {
		f.hand()
	}
}

func (f *follower) hand() {
	f.line(Clean(strings.ToValidUTF8(string(f.part), "\uFFFD")))
	f.part = f.part[:0]
}
