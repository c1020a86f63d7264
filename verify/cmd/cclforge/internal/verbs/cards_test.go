package verbs

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/verify/fakecards/xrt"
)

func TestTheHostIsDescribed(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	in, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := serveCards(ctx, out, "u280_axis3x", "", 4, false)
		out.CloseWithError(err)
		done <- err
	}()
	var lines []string
	text := bufio.NewScanner(in)
	for len(lines) < 9 && text.Scan() {
		lines = append(lines, text.Text())
	}
	if errors.Is(text.Err(), xrt.ErrCompiler) {
		t.Skip(text.Err())
	}
	want := regexp.MustCompile(`^libraries (\S+)
xclbin    \S+/u280_axis3x\.xclbin
card 0    0000:17:00\.1
card 1    0000:18:00\.1
rank 0    10\.10\.10\.1:5500, engine 0 of card 0
rank 1    [0-9.]+:\d+, engine 1 of card 0
rank 2    [0-9.]+:\d+, engine 2 of card 0
rank 3    [0-9.]+:\d+, engine 0 of card 1
world     card:\S+/u280_axis3x\.xclbin,library=\S+$`)
	found := want.FindStringSubmatch(strings.Join(lines, "\n"))
	assert.Assert(t, found != nil, "it says\n%s (%v)", strings.Join(lines, "\n"), text.Err())
	for _, name := range xrt.LibraryNames {
		_, err := os.Stat(filepath.Join(found[1], name))
		assert.Check(t, err)
	}
	cancel()
	assert.Check(t, !text.Scan(), "it says %q", text.Text())
	must(t, <-done)
	_, err := os.Stat(found[1])
	assert.Check(t, errors.Is(err, os.ErrNotExist), "the libraries are still there: %v", err)
	assert.Check(t, is.ErrorIs(serveCards(t.Context(), io.Discard, "u280", "", 1, false), lang.ErrInvalid))
}
