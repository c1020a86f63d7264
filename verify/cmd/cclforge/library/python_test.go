package library

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/bringup/launch"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
	"github.com/cclforge/cclforge/verify/server/host"
	"github.com/cclforge/cclforge/verify/world"
)

// python is a Python that has numpy.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), name, "-c", "import numpy").Run() == nil {
			return name
		}
	}
	t.Skip("numpy is missing: apt-get install python3-numpy")
	return ""
}

// TestPython: the tests of the Python packages, with what the verb says to set.
func TestPython(t *testing.T) {
	name, l := python(t), newCLib(t)
	sets, errs, code := ranktest.Run(t, os.Args[0], "python", "--out="+filepath.Dir(l.dir), "--platform=u280_2022",
		"u280_2022")
	assert.Assert(t, code == 0, "%s", errs)
	assert.Check(t, errs == "", "the library is there, and was built: %s", errs)
	here, err := launch.Here(t.Context(), 3)
	assert.NilError(t, err)
	at, err := host.FreePorts(3 * host.PortsPerRank)
	assert.NilError(t, err)
	d, err := world.Design("u280_2022", "")
	assert.NilError(t, err)
	h, err := host.Start(t.Context(), d, host.Options{World: here, Serve: true, Endpoints: sim.Endpoints{Port: at}})
	assert.NilError(t, err)
	defer h.Close()
	// The shell reads what is printed.
	c := exec.CommandContext(t.Context(), "sh", "-c", sets+`exec "$@"`, "sh", name, "-m", "unittest", "discover", "-v",
		"-s", "../../../../driver/python/tests")
	c.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", fmt.Sprint("CCLFORGE_TEST_SERVER=", at))
	said, err := c.CombinedOutput()
	assert.NilError(t, err, "%s", said)
	t.Logf("%s", said)
}

func TestPythonOfNoWorld(t *testing.T) {
	_, errs, code := ranktest.Run(t, os.Args[0], "python", "--out="+t.TempDir(), "u280_202")
	assert.Check(t, code != 0 && strings.Contains(errs, "python u280_202: load the platform u280_202"), "%d: %s", code,
		errs)
}
