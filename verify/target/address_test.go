package target

import (
	"errors"
	"net"
	"os"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/bringup"
)

// outside is an address of this host that is not a loopback one, and how many there are.
func outside(t *testing.T) (string, int) {
	t.Helper()
	all, err := net.InterfaceAddrs()
	assert.NilError(t, err)
	own, n := "", 0
	for _, a := range all {
		text, _, _ := strings.Cut(a.String(), "/")
		if strings.Contains(text, ":") || strings.HasPrefix(text, "127.") || strings.HasPrefix(text, "169.254.") {
			continue
		}
		own = text
		n++
	}
	if n == 0 {
		t.Skip("this host has no address on a network")
	}
	return own, n
}

func TestAddress(t *testing.T) {
	own, several := outside(t)
	one := map[string]string{"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_LOCAL_RANK": "1",
		"OMPI_COMM_WORLD_LOCAL_SIZE": "2"}
	two := map[string]string{"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_LOCAL_RANK": "0",
		"OMPI_COMM_WORLD_LOCAL_SIZE": "1"}
	for _, test := range []struct {
		name, meet, given string
		env               map[string]string
		want              string
	}{
		{"told", "10.0.0.1:5", "10.0.0.9", two, "10.0.0.9"},
		{"all on this host", own + ":5", "", one, "127.0.0.1"},
		{"here", "localhost:5", "", nil, "127.0.0.1"},
		{"here, by address", "127.0.0.1:5", "", nil, "127.0.0.1"},
		{"on the network", own + ":5", "", two, own},
		{"on the network, by hand", own + ":5", "", nil, own},
	} {
		o := Options{Address: test.given,
			Env: func(name string) (string, bool) { v, there := test.env[name]; return v, there }}
		a, err := o.address(&bringup.Options{Rank: 1, Size: 2, Meet: test.meet})
		assert.Check(t, err == nil && a.String() == test.want, "%s: %v, %v; expected is %s", test.name, a, err, test.want)
	}
	// A name that leads to a loopback address is that of this host.
	self, err := os.Hostname()
	assert.NilError(t, err)
	for _, name := range []string{self, "localhost.localdomain"} {
		ips, err := net.LookupIP(name)
		if err != nil || len(ips) == 0 || ips[0].To4() == nil || !ips[0].IsLoopback() {
			continue
		}
		o := Options{Env: func(string) (string, bool) { return "", false }}
		a, err := o.address(&bringup.Options{Size: 2, Meet: name + ":5"})
		if several == 1 && (err != nil || a.String() != own) || several > 1 &&
			(!errors.Is(err, ErrText) || !strings.Contains(err.Error(), "-address says")) {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
}
