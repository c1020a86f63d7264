package reach

import (
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/cclforge/cclforge/driver/bringup"
)

// outside is an address of this host that is not a loopback one.
func outside(t *testing.T) string {
	t.Helper()
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if n, is := a.(*net.IPNet); is && n.IP.To4() != nil && n.IP.IsGlobalUnicast() {
			return n.IP.String()
		}
	}
	t.Skip("this host has no address on a network")
	return ""
}

func TestAddress(t *testing.T) {
	own := outside(t)
	one := map[string]string{"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_LOCAL_RANK": "1", "OMPI_COMM_WORLD_LOCAL_SIZE": "2"}
	two := map[string]string{"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_LOCAL_RANK": "0", "OMPI_COMM_WORLD_LOCAL_SIZE": "1"}
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
		o := Options{Address: test.given, Env: func(name string) (string, bool) { v, there := test.env[name]; return v, there }}
		if a, err := o.address(&bringup.Options{Rank: 1, Size: 2, Meet: test.meet}); err != nil || a.String() != test.want {
			t.Errorf("%s: %v, %v; expected is %s", test.name, a, err, test.want)
		}
	}
	// A name of this host that leads to itself is of no use to others.
	for _, line := range []string{"ip6-localhost", "localhost.localdomain"} {
		if ips, err := net.LookupIP(line); err != nil || len(ips) == 0 || ips[0].To4() == nil {
			continue
		}
		o := Options{Env: func(string) (string, bool) { return "", false }}
		if a, err := o.address(&bringup.Options{Size: 2, Meet: line + ":5"}); !errors.Is(err, ErrText) || !strings.Contains(err.Error(), "-address says") {
			t.Errorf("%s: %v, %v", line, a, err)
		}
	}
}
