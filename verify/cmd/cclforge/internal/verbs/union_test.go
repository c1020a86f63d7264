package verbs

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

func TestUnion(t *testing.T) {
	disk := t.TempDir()
	must(t, os.WriteFile(filepath.Join(disk, "step.log"), []byte("done"), 0o666))
	u := union{"link": os.DirFS(disk), "image": fstest.MapFS{"out/a.xclbin": {Data: []byte("a")}}, "empty": fstest.MapFS{}}
	must(t, fstest.TestFS(u, "link/step.log", "image/out/a.xclbin"))
	if _, err := u.Open("nowhere/x"); !os.IsNotExist(err) {
		t.Errorf("got %v", err)
	}
}
