package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile writes a file whole or not at all, also if the power fails. It has the mode
// whatever the umask is.
func WriteFile(name string, content []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // of a file that has not been moved
	_, err = f.Write(content)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
