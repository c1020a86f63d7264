package launch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxHostsBytes bounds a file of hosts.
const maxHostsBytes = 1 << 20

// Place is a host and the number of ranks or processes on it.
type Place struct {
	Host  string
	Slots int // 0 if there is no number
}

// Read reads a file of hosts, one in each line, in the forms of mpirun's host files: "a",
// "a slots=4", "a:4" or "n[1-2]:4", with comments after #. All hosts together have at
// most most slots; hosts without a number count as 1. The error names the line.
func Read(r io.Reader, name string, most int) ([]Place, error) {
	var out []Place
	room := most
	limited := &io.LimitedReader{R: r, N: maxHostsBytes + 1}
	lines := bufio.NewScanner(limited)
	for number := 1; lines.Scan(); number++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		more, err := parsePlace(line, &room, most)
		if err != nil {
			return nil, fmt.Errorf("line %d of %s: %w", number, name, err)
		}
		out = append(out, more...)
	}
	switch err := lines.Err(); {
	case err != nil:
		return nil, fmt.Errorf("read the hosts from %s: %w", name, err)
	case limited.N == 0:
		return nil, fmt.Errorf("%s has more than %d bytes", name, maxHostsBytes)
	case len(out) == 0:
		return nil, fmt.Errorf("there is no host in %s", name)
	}
	return out, nil
}

// List reads a list of hosts like "a,b:2,n[1-2]:4", with the limit of Read.
func List(text string, most int) ([]Place, error) {
	var out []Place
	room := most
	for _, part := range splitOutside(text, ',') {
		more, err := parsePlace(strings.TrimSpace(part), &room, most)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// ignored are keywords of host files without a meaning here.
var ignored = []string{"max_slots", "max-slots", "user", "username", "ifname", "binding", "weight"}

var (
	spacedEquals = regexp.MustCompile(`\s*=\s*`)
	hostName     = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?$`)
)

// parsePlace parses a host of a list or a line: "a", "a:4", "a slots=4", "n[1-2]:4". It
// subtracts the slots from room.
func parsePlace(text string, room *int, most int) ([]Place, error) {
	fields := strings.Fields(spacedEquals.ReplaceAllString(text, "="))
	if len(fields) == 0 {
		return nil, errors.New("a host is missing")
	}
	name, number, numbered := strings.Cut(fields[0], ":")
	if strings.Contains(number, ":") {
		return nil, fmt.Errorf("%.80q is an address of IPv6, and engines speak IPv4", fields[0])
	}
	for _, field := range fields[1:] {
		key, value, is := strings.Cut(field, "=")
		switch {
		case is && (key == "slots" || key == "cpu" || key == "count") && !numbered:
			number, numbered = value, true
		case !is || !slices.Contains(ignored, key):
			return nil, fmt.Errorf(
				"%.80q is not understood; give a host and at most a number: \"%.80s slots=4\" or \"%.80s:4\"",
				field, name, name)
		}
	}
	slots := 0
	if numbered {
		var err error
		if slots, err = strconv.Atoi(number); err != nil || slots < 1 {
			return nil, fmt.Errorf("%.80q is not a number from 1", number)
		}
	}
	names, err := expand(name, maxSize)
	if err != nil {
		return nil, err
	}
	if each := max(slots, 1); each > *room/len(names) {
		return nil, fmt.Errorf("these are more than %d ranks", most)
	}
	*room -= max(slots, 1) * len(names)
	out := make([]Place, len(names))
	for i, n := range names {
		if !hostName.MatchString(n) {
			return nil, fmt.Errorf("%.80q is no name of a host", n)
		}
		out[i] = Place{n, slots}
	}
	return out, nil
}
