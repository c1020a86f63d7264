package verbs

import (
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

func TestTheSlowestPackagesAreListed(t *testing.T) {
	var passed, printed strings.Builder
	p := &packages{to: &passed}
	var said strings.Builder
	for n := range 12 {
		fmt.Fprintf(&said, "ok  \tgithub.com/cclforge/cclforge/a%d\t%d.5%02ds\n", n, n%7, n)
	}
	said.WriteString("ok  \tgithub.com/cclforge/cclforge/cached\t(cached)\n--- FAIL: TestOf (90.00s)\nFAIL\n" +
		"FAIL\tgithub.com/cclforge/cclforge/broken\t33.100s\n?   \tgithub.com/cclforge/cclforge/none\t[no test files]\n" +
		"FAIL\tgithub.com/cclforge/cclforge/unbuilt [build failed]\nok  " +
		"\tgithub.com/cclforge/cclforge/cover\t40.001s\tcoverage: 1.0% of statements\n")
	for text := said.String(); text != ""; {
		n := min(len(text), 17) // in pieces, as a pipe has them
		_, err := p.Write([]byte(text[:n]))
		assert.NilError(t, err)
		text = text[n:]
	}
	p.print(&printed)
	want := "the slowest packages:\n    40.0 s  cover\n    33.1 s  broken\n     6.5 s  a6\n     5.5 s  a5\n     4.5 s  " +
		"a11\n" +
		"     4.5 s  a4\n     3.5 s  a10\n     3.5 s  a3\n     2.5 s  a9\n     2.5 s  a2\n"
	assert.Check(t, passed.String() == said.String() && printed.String() == want,
		"passed on %q, and said\n%s", passed.String(), printed.String())
	printed.Reset()
	if new(packages).print(&printed); printed.Len() > 0 {
		t.Errorf("said of nothing: %q", printed.String())
	}
}
