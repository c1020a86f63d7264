package synth

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cclforge/cclforge/verify/internal/tools"
)

// ErrNoBase is wrapped by errors of commits that nothing can be compared with.
var ErrNoBase = errors.New("there is nothing to compare with")

// LastCommit is the last commit before what is there now: HEAD if files have been
// changed since, else the one before it.
func LastCommit(ctx context.Context) (string, error) {
	changed, err := git(ctx, "status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return "", err
	}
	rev := "HEAD"
	if len(changed) == 0 {
		rev = "HEAD^"
	}
	return Commit(ctx, rev)
}

// Commit is the name of a commit.
func Commit(ctx context.Context, rev string) (string, error) {
	name, err := git(ctx, "rev-parse", "--short", "--verify", "--quiet", rev+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, rev)
	}
	return name, nil
}

func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if err != nil {
		return "", fmt.Errorf("%w: git %s: %w", ErrNoBase, args[0], errors.Join(ctx.Err(), err))
	}
	return strings.TrimSpace(string(out)), nil
}

// At takes the kernels of a platform as a commit has them: its own generator
// renders them, in a directory of its own.
func At(ctx context.Context, commit, platform string) (Input, error) {
	dir, err := os.MkdirTemp("", "synth-base")
	if err != nil {
		return Input{}, err
	}
	defer os.RemoveAll(dir)
	if err := checkout(ctx, commit, dir); err != nil {
		return Input{}, err
	}
	path, err := exec.LookPath("go")
	if err != nil {
		return Input{}, fmt.Errorf("%w: %w", ErrNoBase, err)
	}
	tool := tools.Tool{Path: path}
	kept := filepath.Join(dir, "kernels.json")
	if said, err := tool.Run(ctx, dir, "run", command, "synth", platform, "--keep="+kept); err != nil {
		if ctx.Err() != nil {
			return Input{}, ctx.Err()
		}
		return Input{}, fmt.Errorf("%w: %s does not render its kernels: %s", ErrNoBase, commit,
			strings.TrimSpace(string(said)))
	}
	return Saved(kept)
}

const command = "./verify/cmd/cclforge"

// checkout unpacks the files of a commit.
func checkout(ctx context.Context, commit, dir string) error {
	cmd := exec.CommandContext(ctx, "git", "archive", "--format=tar", commit)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%w: %w", ErrNoBase, err)
	}
	err = unpack(out, dir)
	io.Copy(io.Discard, out)
	if err := errors.Join(err, cmd.Wait(), ctx.Err()); err != nil {
		return fmt.Errorf("%w: take %s out of git: %w", ErrNoBase, commit, err)
	}
	return nil
}

// unpack writes the regular files of an archive; the repository has no others.
func unpack(from io.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	archive := tar.NewReader(from)
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if err := root.MkdirAll(filepath.Dir(h.Name), 0o755); err != nil {
			return err
		}
		f, err := root.Create(h.Name)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, archive)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
}
