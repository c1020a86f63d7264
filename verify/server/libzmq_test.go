package server_test

import (
	"context"
	"fmt"
	"os/exec"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/emu"
)

// TestLibzmq plays clients with the ZeroMQ that existing drivers are linked with,
// from Python.
func TestLibzmq(t *testing.T) {
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import zmq").Run(); err != nil {
		t.Skipf("%s has no module zmq (python3-zmq): %v", python, err)
	}
	s24 := start(t, "u55c_tcp", nil, options{ranks: 2, engine: emu.Options{Kernel: emu.Client}})
	s22 := startDesign(t, design2022(t, "udp_2022"), options{ranks: 2})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, python, "testdata/libzmq.py", fmt.Sprint(s24.base),
		fmt.Sprint(s22.base)).CombinedOutput()
	assert.Check(t, err == nil, "%v:\n%s", err, out)
}
