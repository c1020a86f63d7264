package store

import (
	"archive/zip"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/cclforge/cclforge/driver/xrt/xclbin"
)

// ErrCut matches errors of files that are not whole files of the type in their name.
var ErrCut = errors.New("not whole")

// checks are by the end of a file's name. Of other files nothing is known.
var checks = map[string]func(path string) error{
	".xo":     archive,
	".zip":    archive,
	".xsa":    archive,
	".dcp":    archive,
	".xclbin": binary,
	".mmi":    document,
	".xml":    document,
	".json":   object,
}

// Check checks that a file is whole. The error matches ErrCut if it is not: the exit
// status of a tool may be 0 although it was killed or the disk was full.
func Check(path string) error {
	check, ok := checks[strings.ToLower(filepath.Ext(path))]
	if !ok {
		return nil
	}
	err := check(path)
	var open *os.PathError
	if err == nil || errors.As(err, &open) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrCut, err)
}

// archive reads all members of a zip archive, each of which has a sum.
func archive(path string) error {
	z, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer z.Close()
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		_, err = io.Copy(io.Discard, r)
		r.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

// binary sees whether a device binary has the length that its header says.
func binary(path string) error {
	_, closer, err := xclbin.Open(path)
	if err != nil {
		return err
	}
	return closer()
}

func document(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	d := xml.NewDecoder(f)
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	elements := 0
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if _, ok := t.(xml.StartElement); ok {
			elements++
		}
	}
	if elements == 0 {
		return errors.New("there is no element in it")
	}
	return nil
}

func object(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	d := json.NewDecoder(f)
	for n := 0; ; n++ {
		var v json.RawMessage
		if err := d.Decode(&v); errors.Is(err, io.EOF) && n > 0 {
			return nil
		} else if err != nil {
			return err
		}
	}
}
