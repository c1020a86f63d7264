package command_test

import (
	"errors"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/targets/internal/command"
)

// said is what mage prints.
var said = map[string]string{
	"-l": "Targets of ours.\n\nTargets:\n  build:all    takes all.\n  demo*        runs.\n  emulate      serves.\n  " +
		"fmt          brings.\n" +
		"  generate     writes.\n  own          is a user's.\n  platforms    lists.\n  soak         runs.\n\n* default " +
		"target\n",
	"-h build:all": "All takes all.\n\nUsage:\n\n\tmage build:all [<flags>]\n\nFlags:\n\n\t-only=<string>   platforms: " +
		"'u5*' (all)\n\t-jobs=<int>\n\n",
	"-h demo": "Demo runs.\n\nUsage:\n\n\tmage demo [<flags>]\n\nFlags:\n\n\t-platform=<string>  platform, as a name " +
		"(u55c_tcp)\n" +
		"\t-n=<int>            number of ranks (4)\n\t-part=<string>      of all; \"\" for none\n\nAliases: d, show\n\n",
	"-h emulate": "Emulate serves.  For example: go tool mage emulate u55c_tcp -n=2\n\nUsage:\n\n\tmage emulate " +
		"<platform> [<flags>]\n\nFlags:\n\n" +
		"\t-n=<int>                 number of ranks (4)\n\t-health=<time.Duration>  interval: 5s\n\t-json=<bool>          " +
		"   print JSON\n\t-scale=<float64>\n\n",
	"-h fmt": "Fmt brings.\n\nUsage:\n\n\tmage fmt [-check=<bool>]\n\nFlags:\n\n\t-check=<bool>  only list\n\n",
	"-h generate": "Generate writes.\n\nUsage:\n\n\tmage generate [<flags>]\n\nFlags:\n\n\t-only=<string>  platforms: " +
		"'u5*,u280_*' (all)\n" +
		"\t-vars=<string>  variables\n\t-godir=<string>\n\n",
	"-h own":       "Usage:\n\n\tmage own <text> <number>\n\n",
	"-h platforms": "Platforms lists.\n\nUsage:\n\n\tmage platforms\n\n",
	"-h soak":      "Soak runs.\n\nUsage:\n\n\tmage soak [-duration=<time.Duration>]\n\n",
}

func ask(args ...string) (string, error) {
	if text, ok := said[strings.ToLower(strings.Join(args, " "))]; ok {
		return text, nil
	}
	return "", command.ErrUnknown
}

func TestCheck(t *testing.T) {
	for _, test := range []struct{ line, problem, write string }{
		{"", "", ""},
		{"generate", "", ""},
		{"GENERATE -Only=u5* -vars=", "-vars= has no value", ""},
		{"generate -only=a=b platforms emulate u50 -json -n=-1 -health=1m fmt -check=false", "", ""},
		{"d SHOW -part=", "", ""},
		{"own -x -5", "", ""},
		// Arguments.
		{"generate u50 u55", "generate takes no argument", "generate -only=u50,u55"},
		{"generate -vars={} u50 -only=u55 platforms", "generate takes no argument",
			"generate -vars='{}' -only=u55,u50 platforms"},
		{"demo u50", "demo takes no argument", "demo -platform=u50"},
		{"demo u50 u55", "demo takes no argument", ""},
		{"soak 5m", "soak takes no argument", "soak -duration=5m"},
		{"platforms x", "platforms takes no argument", ""},
		{"emulate u50 u55", "emulate takes only <platform>", ""},
		{"emulate", "emulate needs <platform>", "emulate u55c_tcp"},
		{"emulate -n=3", "emulate needs <platform>", "emulate u55c_tcp -n=3"},
		{"emulate -n=3 u50", "emulate takes <platform> before its options", "emulate u50 -n=3"},
		{"own a", "own needs <number>", ""},
		// Targets.
		{"emulat u50 n=3", `"emulat"; did you mean "emulate"?`, "emulate u50 -n=3"},
		{"fmt -check generat platforms", `"generat"; did you mean "generate"?`, "fmt -check generate platforms"},
		{"fmt all -x=1", `"all"; did you mean "build:all"?`, ""},
		{"build:al", `did you mean "build:all"?`, "build:all"},
		{"zzz generate", `no target is called "zzz"`, ""},
		// Options.
		{"generate -ony=u55", `no option "-ony"; did you mean -only?`, "generate -only=u55"},
		{"generate -zzz=1", `no option "-zzz"; it has -only, -vars, -godir`, ""},
		{"platforms -x", `no option "-x"; it has none`, ""},
		{"generate --only=u55", "one dash: -only", "generate -only=u55"},
		{"generate --only u55", "one dash: -only", "generate -only=u55"},
		{"generate only=u55", "begin with a dash: -only", "generate -only=u55"},
		{"fmt check", "begin with a dash: -check", "fmt -check"},
		{"generate -only", "-only needs a value", "generate -only='u5*,u280_*'"},
		{"generate -only=", "-only= has no value", "generate -only='u5*,u280_*'"},
		{"generate -only platforms", "-only needs a value", "generate -only='u5*,u280_*' platforms"},
		{"generate -godir", "-godir needs a value", ""},
		{"emulate u50 -n 3", "-n needs a value: -n=<int>, number of ranks (4)", "emulate u50 -n=3"},
		{"emulate -n 3", "-n needs a value", "emulate 3 -n=4"},
		{"emulate -n 3 u50", "-n needs a value", "emulate u50 -n=3"},
		{"emulate u50 -n=two", `-n takes a whole number, not "two"`, "emulate u50 -n=4"},
		{"emulate u50 -health=5", `-health takes a duration such as 90s or 1h30m, not "5", interval: 5s`,
			"emulate u50 -health=5s"},
		{"emulate u50 -json=maybe -scale=x", "-json takes true or false", "emulate u50 -json=true -scale=0.5"},
		{"generate -ony=a'b --vars=\x1b", "did you mean -only?", ""},
		{"generate -ony=a'b", "did you mean -only?", `generate -only='a'\''b'`},
	} {
		help, err := command.Check(strings.Fields(test.line), ask)
		text, ends := "", ""
		if err != nil {
			text = err.Error()
		}
		if test.write != "" {
			ends = "\nNothing was run. Write: go tool mage " + test.write
		} else if strings.Contains(text, "Write:") {
			ends = "\nNothing was run. Help:"
		}
		if help != "" || (err == nil) != (test.problem == "") || !strings.Contains(text, test.problem) ||
			!strings.HasSuffix(text, ends) {
			t.Errorf("%s: %q, %v, want %s%s", test.line, help, err, test.problem, ends)
		}
		assert.Check(t, !strings.ContainsAny(text, "\x1b"), "%s: a control character as it is in %q", test.line, text)
	}
}

func TestHelp(t *testing.T) {
	for _, line := range []string{
		"generate -h", "generate --help", "generate -HELP", "platforms generate -only=x -h", "generate -x -h",
		"generate -h zzz",
	} {
		help, err := command.Check(strings.Fields(line), ask)
		assert.Check(t, help == said["-h generate"] && err == nil, "%s: %q, %v", line, help, err)
	}
	for _, line := range []string{"emulate -h", "emulate u50 -n=3 --help"} {
		help, err := command.Check(strings.Fields(line), ask)
		assert.Check(t, help == said["-h emulate"] && err == nil, "%s: %q, %v", line, help, err)
	}
	help, err := command.Check([]string{"own", "-h"}, ask)
	assert.Check(t, help == said["-h own"] && err == nil, "%q, %v", help, err)
}

// TestSilence: mage cannot be asked, and reads the words itself.
func TestSilence(t *testing.T) {
	silent := func(args ...string) (string, error) { return "", errors.New("no program") }
	mute := func(args ...string) (string, error) {
		if args[0] == "-l" {
			return "", errors.New("no program")
		}
		return ask(args...)
	}
	for _, asked := range []command.Ask{silent, mute} {
		help, err := command.Check([]string{"zzz"}, asked)
		assert.Check(t, help == "" && err == nil, "%q, %v", help, err)
	}
}
