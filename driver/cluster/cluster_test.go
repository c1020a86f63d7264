package cluster_test

import (
	"errors"
	"fmt"
	"net/netip"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/cluster"
)

func TestAddresses(t *testing.T) {
	for _, test := range []struct {
		from string
		port uint16
		n    int
		last string // of the ranks; "" for an error
	}{
		{"", 0, 1, "10.10.10.1:5500"},
		{"", 0, 254, "10.10.10.254:5500"},
		{"", 0, 256, ""},
		{"10.1.212.21/29", 7, 3, "10.1.212.23:7"},
		{"10.1.212.21/29", 7, 4, ""},
		{"255.255.255.254/0", 7, 3, ""},
		{"", 0, 4, "10.10.10.4:5500"},
		{"192.168.1.250/24", 0, 6, "192.168.1.255:5500"},
		{"192.168.1.250/24", 0, 7, ""},
		{"10.0.0.255/16", 0, 2, "10.0.1.0:5500"},
		{"224.0.0.1/24", 0, 1, ""},
		{"239.0.0.1/24", 7, 1, ""},
		{"fe80::1/64", 7, 1, ""},
		{"", 0, 0, ""},
		{"", 0, -1, ""},
		{"10.0.0.0/8", 0, 1 << 40, ""},
	} {
		t.Run(fmt.Sprint(test.from, " ", test.n), func(t *testing.T) {
			var from netip.Prefix
			if test.from != "" {
				from = netip.MustParsePrefix(test.from)
			}
			got, err := cluster.Addresses(from, test.port, test.n)
			if test.last == "" {
				assert.Check(t, errors.Is(err, cluster.ErrAddress), "%d addresses, %v", len(got), err)
				return
			}
			if err != nil || len(got) != test.n || fmt.Sprintf("%v:%d", got[test.n-1].IP, got[test.n-1].Port) != test.last {
				t.Errorf("%v, %v", got, err)
			}
			for i, r := range got {
				assert.Check(t, r.Session == uint32(i), "session %d of rank %d", r.Session, i)
			}
		})
	}
}
