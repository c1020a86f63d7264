package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"time"
)

// Holder is the process that holds a lock.
type Holder struct {
	Host string `json:"host"`
	User string `json:"user,omitempty"`
	PID  int    `json:"pid"`
}

func (h Holder) String() string {
	switch {
	case h.Host == "":
		return "another build"
	case h.User == "":
		return fmt.Sprintf("process %d on %s", h.PID, h.Host)
	}
	return fmt.Sprintf("%s on %s (process %d)", h.User, h.Host, h.PID)
}

func self() Holder {
	h := Holder{PID: os.Getpid()}
	h.Host, _ = os.Hostname()
	if h.User = os.Getenv("USER"); h.User == "" {
		if u, err := user.Current(); err == nil {
			h.User = u.Username
		}
	}
	return h
}

// Locks are asked for again after pauses between these.
const (
	shortest = 20 * time.Millisecond
	longest  = time.Second
)

// Lock takes the right to make a result. If another process holds it, Lock calls waiting
// (which may be nil) once with the holder, and waits for the lock or the end of the
// context. The end of a process, however it comes, frees its locks.
func (s *Store) Lock(ctx context.Context, key string, waiting func(holder Holder)) (unlock func(), err error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	return s.wait(ctx, s.path("locks", key), waiting)
}

// TryLock is Lock without waiting; unlock is nil if somebody else has the lock.
func (s *Store) TryLock(key string) (unlock func(), err error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	return s.try(s.path("locks", key))
}

func (s *Store) wait(ctx context.Context, name string, waiting func(holder Holder)) (unlock func(), err error) {
	for pause := shortest; ; pause = min(2*pause, longest) {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("wait for %s: %w", holder(name), err)
		}
		if unlock, err = s.try(name); err != nil || unlock != nil {
			return unlock, err
		}
		if waiting != nil && pause > shortest {
			waiting(holder(name))
			waiting = nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

func (s *Store) try(name string) (unlock func(), err error) {
	f, err := s.openLock(name)
	if err != nil {
		return nil, fmt.Errorf("lock in the cache: %w", err)
	}
	return claim(f, name)
}

// claim takes the lock of an open file, if that still has the lock's name.
func claim(f *os.File, name string) (unlock func(), err error) {
	got, err := tryLock(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w; the file system must know file locks", name, err)
	}
	if !got {
		f.Close()
		return nil, nil
	}
	// Prune may have removed the file that was opened.
	mine, err := f.Stat()
	if err == nil {
		var current os.FileInfo
		if current, err = os.Stat(name); err == nil && os.SameFile(mine, current) {
			text, _ := json.Marshal(self())
			f.Truncate(0)
			f.WriteAt(text, 0) // only for messages: a full disk is no reason to stop
			return func() { free(f) }, nil
		}
	}
	free(f)
	if err != nil && !absent(err) {
		return nil, fmt.Errorf("lock in the cache: %w", err)
	}
	return nil, nil // the next try opens the new file
}

func (s *Store) openLock(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if !absent(err) {
		return f, err
	}
	if err := s.mkdir(s.path("locks")); err != nil {
		return nil, err
	}
	f, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, os.ErrExist) {
		return os.OpenFile(name, os.O_RDWR, 0)
	}
	if err == nil && s.group {
		err = f.Chmod(0o664)
	}
	return f, err
}

func holder(name string) Holder {
	var h Holder
	f, err := os.Open(name)
	if err != nil {
		return h
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, 4096))
	if json.Unmarshal(text, &h) != nil {
		return Holder{}
	}
	return h
}
