package verilate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// key is the hash of everything that the library is made of.
func (b Build) key(t compilers) (string, error) {
	h := sha256.New()
	if err := b.hashHow(h, t); err != nil {
		return "", err
	}
	for _, name := range b.Sources {
		if err := hashFile(h, name); err != nil {
			return "", err
		}
	}
	if err := hashWithHeaders(h, slices.Concat(b.Shell, b.Apart)); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// hashWithHeaders hashes C++ and the headers beside it.
func hashWithHeaders(h hash.Hash, sources []string) error {
	var dirs []string
	for _, name := range sources {
		if err := hashFile(h, name); err != nil {
			return err
		}
		if dir := filepath.Dir(name); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	for _, dir := range dirs {
		headers, err := filepath.Glob(filepath.Join(dir, "*.h"))
		if err != nil {
			return err
		}
		for _, name := range headers {
			if err := hashFile(h, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// hashHow hashes how C++ is compiled, and what all models have.
func (b Build) hashHow(h hash.Hash, t compilers) error {
	fmt.Fprintf(h, "%s%q\n", t.versions, b.flags())
	return hashWithHeaders(h, b.around)
}

func hashFile(h hash.Hash, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	fmt.Fprintf(h, "%s %d\n", filepath.Base(name), info.Size())
	_, err = io.Copy(h, f)
	return err
}
