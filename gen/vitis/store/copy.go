package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// copyAll copies things of a work directory and says what they are.
func (s *Store) copyAll(to string, items []item) ([]File, error) {
	if err := s.mkdir(to); err != nil {
		return nil, err
	}
	var files []File
	for _, i := range items {
		name := filepath.Join(to, filepath.FromSlash(i.path))
		if dir := path.Dir(i.path); dir != "." {
			if err := s.mkdir(filepath.Dir(name)); err != nil {
				return nil, err
			}
		}
		f := File{Path: i.path, Link: i.link}
		var err error
		switch {
		case i.link != "":
			err = os.Symlink(i.link, name)
		case i.from == "":
			f.Dir = true
			err = s.mkdir(name)
		default:
			f, err = s.copyFile(i, name)
		}
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// copyFile copies a file, which must not change meanwhile.
func (s *Store) copyFile(i item, name string) (File, error) {
	from, err := os.Open(i.from)
	if err != nil {
		return File{}, err
	}
	defer from.Close()
	before, err := from.Stat()
	if err != nil {
		return File{}, err
	}
	mode := s.mode(0o444)
	if before.Mode()&0o100 != 0 {
		mode = s.mode(0o555)
	}
	sum, err := copyTo(name, from, mode)
	if err != nil {
		return File{}, fmt.Errorf("%s: %w", i.path, err)
	}
	after, err := from.Stat()
	if err != nil {
		return File{}, err
	}
	if after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) {
		return File{}, fmt.Errorf("%w: %s is still being written", ErrOutput, i.path)
	}
	info, err := os.Lstat(name)
	if err != nil {
		return File{}, err
	}
	if info.Size() != before.Size() {
		return File{}, fmt.Errorf("%s: only %d of %d bytes could be copied", i.path, info.Size(), before.Size())
	}
	return File{Path: i.path, SHA256: sum, Size: info.Size(), MTime: info.ModTime().UnixNano()}, nil
}

// copyTo writes a new file, which a power failure after a rename does not empty, and returns
// the hash of what it has read.
func copyTo(name string, from io.Reader, mode os.FileMode) (sum string, err error) {
	to, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	h := sha256.New()
	if _, err := io.Copy(to, io.TeeReader(from, h)); err != nil {
		return "", err
	}
	if err := to.Chmod(mode); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), to.Sync()
}

// most is how much of each end of a log is kept.
const most = 8 << 20

// copyLog copies a log; of one that is very long the beginning and the end. A
// step need not have said anything.
func copyLog(from, to string, mode os.FileMode) error {
	f, err := os.Open(from)
	if absent(err) {
		_, err = copyTo(to, bytes.NewReader(nil), mode)
		return err
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	var text io.Reader = io.LimitReader(f, info.Size())
	if n := info.Size(); n > 2*most {
		note := fmt.Sprintf("\n[%d bytes of this log are left out]\n", n-2*most)
		text = io.MultiReader(io.NewSectionReader(f, 0, most), strings.NewReader(note), io.NewSectionReader(f, n-most, most))
	}
	_, err = copyTo(to, text, mode)
	return err
}
