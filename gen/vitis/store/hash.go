package store

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/cclforge/cclforge/gen/output"
	"github.com/cclforge/cclforge/gen/vitis/step"
)

type memo struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	MTime  int64  `json:"mtime"`
	CTime  int64  `json:"ctime"`
	Inode  uint64 `json:"inode"`
	SHA256 string `json:"sha256"`
}

// settling is how long ago a file must have changed for its hash to be remembered:
// a file system may give two changes that follow closely the same time.
const settling = 2 * time.Second

// Hash hashes a file, and remembers the hash while the file's size, times and inode stay
// the same. It is a step.Hasher.
func (s *Store) Hash(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("hash %s: not a file", path)
	}
	is := about(path, info)
	s.mu.Lock()
	known, ok := s.hashed[path]
	s.mu.Unlock()
	if !ok {
		known, ok = s.readMemo(path)
	}
	if ok && is.same(known) {
		s.remember(known)
		return known.SHA256, nil
	}
	if is.SHA256, err = step.Sum(path); err != nil {
		return "", err
	}
	after, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	now := time.Now().UnixNano()
	if is.same(about(path, after)) && now-max(is.MTime, is.CTime) > int64(settling) {
		s.remember(is)
		if text, err := json.Marshal(is); err == nil {
			s.write(s.memoFile(path), text) // a store that cannot be written remembers nothing
		}
	}
	return is.SHA256, nil
}

func (s *Store) remember(m memo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hashed[m.Path] = m
}

func about(path string, info os.FileInfo) memo {
	inode, changed := identity(info)
	return memo{Path: path, Size: info.Size(), MTime: info.ModTime().UnixNano(), CTime: changed, Inode: inode}
}

// same compares all but the hash.
func (m memo) same(o memo) bool {
	o.SHA256 = m.SHA256
	return m == o
}

func (s *Store) memoFile(path string) string {
	name := output.Hash([]byte(filepath.Clean(path)))
	return s.path("hashes", name[:2], name[2:])
}

func (s *Store) readMemo(path string) (memo, bool) {
	var m memo
	text, err := os.ReadFile(s.memoFile(path))
	return m, err == nil && json.Unmarshal(text, &m) == nil && checkKey(m.SHA256) == nil
}
