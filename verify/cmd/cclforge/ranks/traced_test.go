package ranks_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"
)

// TestTraceOfServedRanks: what a program has done is in the files when the server has ended: of all
// ranks, also if they are in two processes on sockets, each of which names its files.
func TestTraceOfServedRanks(t *testing.T) {
	for name, split := range map[string][]string{"one": {"0-1"}, "two": {"0", "1"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "new")
			base, flag := port(t, 2)
			var all []*process
			for _, ranks := range split {
				all = append(all, start(t, "emulate", "u55c_tcp", "-n=2", "--ranks="+ranks, flag, "--trace="+dir))
			}
			sum(t, engines(t, "u55c_tcp", all[0].Endpoints(), called(base, 2)))
			for i, p := range all {
				assert.NilError(t, p.Signal(syscall.SIGTERM))
				code, err := p.Wait(killing)
				assert.Assert(t, err == nil && code == 0, "%d %v: %s", code, err, p.Output())
				suffix := map[string]string{"0-1": "", "0": "-rank0", "1": "-rank1"}[split[i]]
				for file, begin := range map[string]string{
					"timeline" + suffix + ".html": "<!DOCTYPE html>", "timeline" + suffix + ".pftrace": "\n",
					"timeline" + suffix + ".jsonl": `{"kind":"timeline"`, "packets" + suffix + ".pcapng": "\n\r\r\n",
					"summary" + suffix + ".txt": "", "ccl.lua": "--",
				} {
					content, err := os.ReadFile(filepath.Join(dir, file))
					assert.Assert(t, err == nil && bytes.HasPrefix(content, []byte(begin)), "%s: %v", file, err)
					switch filepath.Ext(file) {
					case ".jsonl":
						calls := strings.Count(string(content), `"name":"call_taken","text":"`)
						assert.Check(t, calls > 0 && strings.Contains(string(content), `"name":"allreduce"`), "%s", content)
						host := `"name":"allreduce of 3000 elements, sum, operand 0 at 0x`
						assert.Check(t, strings.Contains(string(content), host), "%s", content)
						assert.Check(t, strings.Contains(string(content), "operation allreduce. Called was allreduce of 3000 "),
							"%s", content)
						both := strings.Contains(string(content), `"kind":"packet"`)
						assert.Check(t, both == (len(split) == 1), "packets are known of ranks of one process")
					case ".pcapng":
						assert.Check(t, len(content) > 12000, "%d bytes; 3000 elements were summed", len(content))
					case ".txt":
						assert.Check(t, strings.Contains(string(content), "allreduce"), "%s", content)
					}
				}
			}
		})
	}
}
