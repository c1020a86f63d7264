package run

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// functions are what scripts of jobs have in common. What is there before and
// after a copy was there in between: results and work directories go away by a
// rename.
const functions = `
# fetch <proof> <from> <to> copies a file or directory. It is 1 if that is not
# there, and 2 if it cannot be copied.
fetch() {
	local said
	[[ -e $1 && -e $2 ]] || return 1
	said=$(rm -rf -- "$3.new" && mkdir -p -- "$(dirname -- "$3")" && cp -RL -- "$2" "$3.new" &&
		chmod -R u+w -- "$3.new" 2>&1) || { [[ -e $1 ]] || return 1; echo "ERROR: $said" >&2; return 2; }
	[[ -e $1 ]] || return 1
	rm -rf -- "$3" && mv -- "$3.new" "$3" || return 2
}

# bring <result> <work directory> <output> <path> gets what another step has left:
# from the cache or, until it is there, from that step's work directory. A network
# file system may show it a little later.
bring() {
	local try status code
	for ((try = 0; try < 60; try++)); do
		fetch "$1/step.json" "$1/out/$3" "$4" && return
		status=$?
		if [[ $status = 1 && -n $2 ]] && read -r code 2>/dev/null <"$2/step.exit" && [[ $code = 0 ]]; then
			fetch "$2/step.exit" "$2/$3" "$4" && return
			status=$?
		fi
		[[ $status = 1 ]] || return 1
		sleep 1
		ls "$(dirname -- "$1")" >/dev/null 2>&1
	done
	echo "ERROR: $3 is neither in $1${2:+ nor in $2}" >&2
	return 1
}

# left <output>... checks what the commands have left.
left() {
	local f status=0
	for f; do
		if [[ ! -e $f ]]; then
			echo "ERROR: the commands have ended well and left no $f" >&2
			status=1
		elif [[ -d $f && -z $(ls -A -- "$f") ]]; then
			echo "ERROR: the commands have left $f empty" >&2
			status=1
		elif [[ -f $f && ! -s $f ]]; then
			echo "ERROR: the commands have left $f empty" >&2
			status=1
		fi
	done
	[[ $status != 0 ]] || find "$@" -type f -exec sync -- {} + 2>/dev/null
	return $status
}
`

// script is the script of the step's job: what other steps have made, then the
// commands, then the exit status, in a file of its own that appears whole.
func (u *unit) script() []byte {
	s := u.step
	var b strings.Builder
	fmt.Fprintf(&b, "#!/bin/bash\n# %s: %s\n# The commands are in %s.\n", s.ID, oneLine(s.Title), CommandsFile)
	b.WriteString("cd \"$(dirname \"${BASH_SOURCE[0]}\")\" || exit 1\nrm -f step.exit step.exit.new\nunset BASH_ENV ENV\n")
	if u.build.store.Shared() {
		b.WriteString("umask 002\n")
	}
	b.WriteString(functions)
	b.WriteString("\nwork() {\n")
	for i, n := range s.Needs {
		from := u.needs[i]
		fmt.Fprintf(&b, "\tbring %s %s %s %s || return 1\n",
			step.Quote(filepath.ToSlash(u.build.store.ResultDir(from.key.Hash))),
			step.Quote(filepath.ToSlash(from.dir)), step.Quote(n.Output), step.Quote("./"+n.Path))
	}
	fmt.Fprintf(&b, "\t\"$BASH\" %s </dev/null || return\n\tleft", CommandsFile)
	for _, o := range s.Outputs {
		b.WriteString(" " + step.Quote("./"+o))
	}
	fmt.Fprintf(&b, "\n}\n\nSECONDS=0\nwork\ncode=$?\necho $SECONDS >%s\n", secondsFile)
	b.WriteString("echo $code >step.exit.new && mv -f step.exit.new step.exit || exit 1\nexit $code\n")
	return []byte(b.String())
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
