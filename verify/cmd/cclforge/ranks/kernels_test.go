package ranks

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/hls"
)

var relay = map[string]string{
	"relays.hcl": `
platform "relays" {
  board = "u55c"
  cclo { kernel_stream = "relay" }
  poe "tcp" {}
}
`,
	"kernels/relay.hcl": `
kernel "relay" {
  like     = "user_kernel"
  calls    = false
  source   = "hls"
  instance = "relay_${cclo.index}"
  hls {
    files = ["relay.hpp"]
    calls = "relay"
  }
}
`,
	"kernels/relay.hpp": `
#include "cclo_hls.hpp"
inline void relay(cclo::Data &data) { data.push(data.pull()); }
`,
}

// Of kernels that run beside the engines, health says what they wait for.
func TestHealthOfKernels(t *testing.T) {
	if err := hls.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for name, text := range relay {
		name = filepath.Join("platforms", filepath.FromSlash(name))
		assert.NilError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		assert.NilError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	const line = "; kernel relay_0 waits to read beat 1 of data_from_cclo (0 read) (data_to_cclo 0, data_from_cclo 0)\n"
	for _, asJSON := range []bool{false, true} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var out, stderr written
		arguments := []string{"emulate", "relays", "-n=1", "--health=20ms", fmt.Sprintf("--port=%d", ports(t, 1))}
		if asJSON {
			arguments = append(arguments, "--json")
		}
		ended := make(chan int)
		go func() { ended <- call(ctx, arguments, nothing, &out, &stderr) }()
		for !found(out.String(), line) {
			select {
			case <-ctx.Done():
				t.Fatalf("%s\n%s", out.String(), stderr.String())
			case <-time.After(10 * time.Millisecond):
			}
		}
		cancel()
		// The first time, the kernel is built, which is told.
		code, told := <-ended, strings.Contains(stderr.String(), "cclforge: building the kernel relay\n")
		assert.Check(t, code == 0 && told != asJSON, "%d: %s", code, stderr.String())
		assert.Check(t, !strings.Contains(out.String(), "from tcp://"), "clients are told that they can be the kernel")
	}
}

// found looks for a line for people, or for what is the same in an object.
func found(output, line string) bool {
	for text := range strings.Lines(output) {
		var event struct {
			Kernels []struct {
				Instance, Doing string
				Streams         []struct {
					Name  string
					Beats int
				}
			}
		}
		if strings.HasSuffix(text, line) {
			return true
		}
		if json.Unmarshal([]byte(text), &event) == nil && len(event.Kernels) == 1 {
			k := event.Kernels[0]
			return k.Instance == "relay_0" && k.Doing == "waits to read beat 1 of data_from_cclo (0 read)" &&
				len(k.Streams) == 2 && k.Streams[1].Name == "data_from_cclo"
		}
	}
	return false
}
