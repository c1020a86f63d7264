package xrt

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cclforge/cclforge/verify/internal/tools"
)

// sources are the library in C.
//
//go:embed library
var sources embed.FS

// LibraryNames are the files that drivers load. Each has the functions of both.
var LibraryNames = []string{"libxrt_coreutil.so.2", "libxrt_core.so.2"}

// Variable of the environment that names the server's socket; without it, it is the
// file Socket beside the library.
const (
	Variable = "CCLFORGE_XRT_SOCKET"
	Socket   = "socket"
)

// ErrCompiler says that there is no C compiler.
var ErrCompiler = errors.New("no C compiler")

const (
	source   = "library"
	compiled = "libxrt.so"
)

var units = []string{"xrt.c", "connection.c"}

// flags are strict: the compiler compares the functions with XRT's headers.
var flags = []string{"-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-g", "-fPIC", "-fvisibility=hidden",
	"-shared", "-pthread"}

// headers are those of XRT that declare the functions, below a directory.
var headers = []string{"xrt.h", "xrt/xrt_bo.h", "xrt/xrt_device.h", "experimental/xrt-next.h"}

// Headers returns the directory with XRT's headers, false if they are not installed.
func Headers() (dir string, ok bool) {
	const uuid = "/usr/include/uuid/uuid.h" // which they include
	for _, dir := range []string{filepath.Join(os.Getenv("XILINX_XRT"), "include"), "/usr/include/xrt",
		"/opt/xilinx/xrt/include"} {
		found := filepath.IsAbs(dir) && exists(uuid)
		for _, h := range headers {
			found = found && exists(filepath.Join(dir, h))
		}
		if found {
			return dir, true
		}
	}
	return "", false
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// BuildLibrary returns the path of the library. It is compiled if the cache does not have
// it, with XRT's headers if they are installed. The error matches ErrCompiler if there is
// no compiler.
func BuildLibrary(ctx context.Context) (file string, err error) {
	dir, _ := Headers()
	return BuildLibraryWith(ctx, dir)
}

// BuildLibraryWith is BuildLibrary with the headers of XRT in a directory, or without if it is
// empty.
func BuildLibraryWith(ctx context.Context, include string) (file string, err error) {
	gcc, err := tools.Find(ctx, "gcc")
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrCompiler, err)
	}
	files, err := tools.Files(sources, source)
	if err != nil {
		return "", err
	}
	folder, err := tools.Place("xrt-source", files)
	if err != nil {
		return "", err
	}
	options := flags
	h := sha256.New()
	if include != "" {
		options = append(options[:len(options):len(options)], "-DWITH_XRT", "-isystem", include)
		for _, name := range headers {
			text, err := os.ReadFile(filepath.Join(include, name))
			if err != nil {
				return "", err
			}
			h.Write(text)
		}
	}
	fmt.Fprintf(h, "%s%q%s", gcc.Version, options, folder)
	root, err := tools.Dir("xrt")
	if err != nil {
		return "", err
	}
	e := tools.Entry{Dir: root, Key: hex.EncodeToString(h.Sum(nil))[:20], File: compiled}
	return e.Get(ctx, func(dir string) error {
		args := append(options[:len(options):len(options)], "-o", compiled)
		for _, unit := range units {
			args = append(args, filepath.Join(folder, unit))
		}
		if said, err := gcc.Run(ctx, dir, append(args, "-ldl")...); err != nil {
			return fmt.Errorf("compile the library of XRT's functions: %w\n%s", err, said)
		}
		return nil
	})
}

// InstallLibrary puts the library into a directory, under its names. A process that loads
// it from several directories has it as often.
func InstallLibrary(ctx context.Context, dir string) error {
	built, err := BuildLibrary(ctx)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(built)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, LibraryNames[0]), text, 0o755); err != nil {
		return err
	}
	for _, name := range LibraryNames[1:] { // one file, so that a process has it once
		if err := os.Symlink(LibraryNames[0], filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}
