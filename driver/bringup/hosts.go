package bringup

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/cclforge/cclforge/driver/bringup/launch"
)

// Hosts reads a file of hosts, a line "host", "host slots=2", "host:2" or "n[1-2]:2" for
// each, with comments after #. It returns the host of each rank. The error is ErrOption
// and names the line.
func Hosts(r io.Reader, name string) ([]string, error) {
	places, err := launch.Read(r, name, MaxSize)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOption, err)
	}
	return ofRanks(places), nil
}

// hostsOf reads the hosts that a variable has: a list, or the name of a file, which a
// name alone is.
func hostsOf(text string) ([]string, error) {
	file, err := os.Open(text)
	if err == nil {
		defer file.Close()
		return Hosts(file, text)
	}
	if !errors.Is(err, fs.ErrNotExist) || !strings.ContainsAny(text, ",:[") || strings.ContainsAny(text, `/\`) {
		return nil, fmt.Errorf("%w: the hosts: %w", ErrOption, err)
	}
	places, err := launch.List(text, MaxSize)
	if err != nil {
		return nil, fmt.Errorf("%w: the hosts %.80q: %w", ErrOption, text, err)
	}
	return ofRanks(places), nil
}

func ofRanks(places []launch.Place) (hosts []string) {
	for _, p := range places {
		for range max(p.Slots, 1) {
			hosts = append(hosts, p.Host)
		}
	}
	return hosts
}
