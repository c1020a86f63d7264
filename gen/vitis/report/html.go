package report

import (
	"errors"
	"io"
)

// HTML writes a page about builds of a platform, newest first.
func HTML(w io.Writer, history []*Report) error {
	if len(history) == 0 {
		return errors.New("write the page about builds: there is no build")
	}
	return errors.New("not there yet")
}
