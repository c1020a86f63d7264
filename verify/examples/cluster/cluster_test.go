package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/bringup/launch"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
	"github.com/cclforge/cclforge/verify/server/host"
	"github.com/cclforge/cclforge/verify/world"
)

func TestMain(m *testing.M) { ranktest.Main(m, main) }

const ranks = 4

// engines serves four of them, and says where.
func engines(t *testing.T) (port int) {
	t.Helper()
	here, err := launch.Here(t.Context(), ranks)
	assert.NilError(t, err)
	d, err := world.Design("u55c_tcp", "")
	assert.NilError(t, err)
	if port, err = host.FreePorts(ranks * host.PortsPerRank); err != nil {
		t.Fatal(err)
	}
	h, err := host.Start(t.Context(), d, host.Options{World: here, Serve: true, Endpoints: sim.Endpoints{Port: port}})
	assert.NilError(t, err)
	t.Cleanup(func() { h.Close() })
	return port
}

// mpirun starts processes: what stands between the colons of its command line.
func mpirun(t *testing.T, parts ...[]string) (stdout, stderr string, code int) {
	t.Helper()
	command := ranktest.Mpirun(t)
	for i, p := range parts {
		if i > 0 {
			command = append(command, ":")
		}
		command = append(command, p...)
	}
	return ranktest.Run(t, command...)
}

// flags are those of the program: where the engines are, and a free place to meet.
func flags(t *testing.T, port int, more ...string) []string {
	t.Helper()
	return append([]string{os.Args[0], fmt.Sprint("-port=", port), fmt.Sprint("-meet=", ranktest.Free(t))}, more...)
}

func TestCluster(t *testing.T) {
	port := engines(t)
	for range 2 { // the engines are there for the next one
		out, errs, code := mpirun(t, append([]string{"-np", strconv.Itoa(ranks)}, flags(t, port)...))
		assert.Check(t, code == 0 && out == "4 ranks have added up their numbers\n",
			"exit code %d\n%s%s", code, out, errs)
	}
}

// Rank 3 is another program, which does not come.
func TestARankIsMissing(t *testing.T) {
	program := flags(t, engines(t), "-timeout=2s")
	out, errs, code := mpirun(t, append([]string{"-np", strconv.Itoa(ranks - 1)}, program...),
		[]string{"-np", "1", "true"})
	if code == 0 || strings.Contains(out, "added up") || !strings.Contains(errs, "rank 3 of 4 has not come") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}
