package bringup

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// maxHostsBytes bounds a file of hosts.
const maxHostsBytes = 1 << 20

var hostName = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$`)

// readHosts reads a file of hosts.
func readHosts(name string) ([]string, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%w: the hosts: %w", ErrOption, err)
	}
	defer file.Close()
	return Hosts(file, name)
}

// Hosts reads hosts, a line for each, "host" or "host slots=2", with comments after #,
// and lists that of each rank. The error, an ErrOption, has the line.
func Hosts(r io.Reader, name string) ([]string, error) {
	var hosts []string
	limited := &io.LimitedReader{R: r, N: maxHostsBytes + 1}
	lines := bufio.NewScanner(limited)
	for number := 1; lines.Scan(); number++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		bad := func(format string, args ...any) ([]string, error) {
			return nil, fmt.Errorf("%w: line %d of %s: %s", ErrOption, number, name, fmt.Sprintf(format, args...))
		}
		if !hostName.MatchString(fields[0]) {
			return bad("%.80q is no host", fields[0])
		}
		slots := 1
		for i, field := range fields[1:] {
			text, is := strings.CutPrefix(field, "slots=")
			n, err := strconv.Atoi(text)
			if !is || i > 0 {
				return bad("%.80q is not understood; expected is \"host\" or \"host slots=2\"", field)
			}
			if err != nil || n < 1 || n > MaxSize {
				return bad("%.80q is not a number of ranks from 1 to %d", field, MaxSize)
			}
			slots = n
		}
		if len(hosts)+slots > MaxSize {
			return bad("these are more than %d ranks", MaxSize)
		}
		for range slots {
			hosts = append(hosts, fields[0])
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%w: read the hosts from %s: %w", ErrOption, name, err)
	}
	if limited.N == 0 {
		return nil, fmt.Errorf("%w: %s has more than %d bytes", ErrOption, name, maxHostsBytes)
	}
	if len(hosts) == 0 {
		return nil, fmt.Errorf("%w: there is no host in %s", ErrOption, name)
	}
	return hosts, nil
}
