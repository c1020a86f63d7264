package rtlsim

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrTooLong says that more was done to a card than a recording may hold.
var ErrTooLong = errors.New("too much was done to the card for a recording of it")

const (
	// inMemory is how much of a recording is kept in memory.
	inMemory = 1 << 20
	// mostRecorded bounds recordings on the disk.
	mostRecorded = 1 << 30
)

// tape holds bytes in memory, and those before them in a temporary file without a
// name, which ends with the program.
type tape struct {
	most   int64 // bytes
	fresh  []byte
	file   *os.File // nil while there is none
	stored int64    // bytes of it
	err    error    // why nothing is held any more
}

// add appends bytes. A tape that cannot hold them forgets all.
func (t *tape) add(b []byte) {
	if t.err != nil {
		return
	}
	t.fresh = append(t.fresh, b...)
	if len(t.fresh) < inMemory {
		return
	}
	if t.err = t.spill(); t.err != nil {
		t.clear()
	}
}

func (t *tape) spill() (err error) {
	if t.stored+int64(len(t.fresh)) > t.most {
		return fmt.Errorf("%w: %d MiB", ErrTooLong, t.most>>20)
	}
	if t.file == nil {
		if t.file, err = os.CreateTemp("", "cclforge-recording-*"); err != nil {
			return err
		}
		os.Remove(t.file.Name())
	}
	n, err := t.file.WriteAt(t.fresh, t.stored)
	t.stored += int64(n)
	if t.fresh = t.fresh[:0]; cap(t.fresh) > 2*inMemory {
		t.fresh = nil // of a call that was given much
	}
	return err
}

// content is everything that was added.
func (t *tape) content() (io.Reader, error) {
	if t.err != nil {
		return nil, t.err
	}
	fresh := bytes.NewReader(t.fresh)
	if t.file == nil {
		return fresh, nil
	}
	return io.MultiReader(io.NewSectionReader(t.file, 0, t.stored), fresh), nil
}

// clear forgets all.
func (t *tape) clear() {
	if t.file != nil {
		t.file.Close()
	}
	t.fresh, t.file, t.stored = nil, nil, 0
}
