package verbs

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"gotest.tools/v3/assert"
)

func TestUnion(t *testing.T) {
	disk := t.TempDir()
	must(t, os.WriteFile(filepath.Join(disk, "step.log"), []byte("done"), 0o666))
	u := union{"link": os.DirFS(disk), "image": fstest.MapFS{"out/a.xclbin": {Data: []byte("a")}}, "empty": fstest.MapFS{}}
	must(t, fstest.TestFS(u, "link/step.log", "image/out/a.xclbin"))
	_, err := u.Open("nowhere/x")
	assert.Check(t, os.IsNotExist(err), "got %v", err)
}
