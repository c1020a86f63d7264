package ranks_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// TestMetricsOfServedRanks: calls of clients are served, with what the engines have sent.
func TestMetricsOfServedRanks(t *testing.T) {
	base, flag := port(t, 2)
	p := start(t, "emulate", "u55c_tcp", "-n=2", flag, "--metrics=:0")
	sum(t, engines(t, "u55c_tcp", p.Endpoints(), called(base, 2)))
	r, err := http.Get(p.Ready[0].Metrics)
	assert.NilError(t, err)
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	assert.NilError(t, err)
	for rank := range 2 {
		for _, line := range []string{ // one sum of 3000 elements of 4 bytes
			`up{rank="%d"} 1`, `calls_total{rank="%d",operation="allreduce"} 1`, `calls_open{rank="%d"} 0`,
			`call_bytes_total{rank="%d",operation="allreduce"} 12000`, `packets_dropped_total{rank="%d",reason="stale"} 0`,
			`rx_buffers{rank="%d",state="used"} 0`, `answers_total{rank="%d"} 7`, // 6 configure
		} {
			line = fmt.Sprintf("\ncclforge_"+line+"\n", rank)
			assert.Check(t, strings.Contains(string(text), line), "%q in\n%s", line, text)
		}
		sent := fmt.Sprintf("cclforge_network_bytes_total{rank=\"%d\",direction=\"sent\"} ", rank)
		_, bytes, _ := strings.Cut(string(text), sent)
		n := 0.0
		_, err := fmt.Sscan(bytes, &n)
		assert.Check(t, err == nil && n >= 6000, "rank %d has sent %v bytes: %v", rank, n, err)
	}
}
