package logs

import (
	"regexp"
	"strings"
)

type subject int

const (
	ordinary subject = iota
	consequence
	realError
)

// message matches lines that begin a message of their own.
var message = regexp.MustCompile(
	`^(?:INFO|WARNING|CRITICAL WARNING|ERROR|FATAL|STATUS|TIMESTAMP)\b|^={3}|^\*{3}|^-{5}|^Time \(s\)|^make(\[\d+\])?:|^Exception|^Phase \d`)

// code is the code of a message of the vendor's tools: "[VPL 60-773]".
var code = regexp.MustCompile(`\[([A-Za-z_+]+ ?[A-Za-z]*[ -]?\d*-\d+)\]`)

// consequences are the codes of messages that tell that something else has failed.
// Sources: the logs in the issues that causes name; all of these follow a message
// with the cause there.
var consequences = map[string]bool{
	"v++ 60-300":        true, // failed to build a kernel, see its log
	"v++ 60-398":        true, // a tool has failed
	"v++ 60-399":        true, // a tool has failed, see its log
	"v++ 60-587":        true, // failed to add a platform
	"v++ 60-592":        true, // failed to finish compilation
	"v++ 60-599":        true, // kernel compilation failed to complete
	"v++ 60-626":        true, // kernel link failed to complete
	"v++ 60-661":        true, // the run has failed
	"v++ 60-702":        true, // failed to finish packaging
	"v++ 60-703":        true, // failed to finish linking
	"v++ 60-773":        true, // caught Tcl error
	"VPL 60-399":        true,
	"VPL 60-704":        true, // integration error
	"VPL 60-773":        true,
	"VPL 60-806":        true, // failed to finish platform linker
	"VPL 60-1328":       true, // the step of vpl has failed
	"VPL 101-3":         true, // sourcing a script has failed
	"SYSTEM_LINK 82-36": true, // cfgen failed
	"SYSTEM_LINK 82-62": true, // error generating a design file
	"SYSTEM_LINK 82-79": true, // unable to create the connectivity graph
	"SYSTEM_LINK 82-96": true, // error applying explicit connections
	"CFGEN 83-2298":     true, // exiting due to a previous error
	"Common 17-39":      true, // failed due to earlier errors
	"VPL 17-39":         true,
	"Common 17-70":      true, // failures in other runs
	"Place 30-99":       true, // placer failed with error
	"VPL 30-99":         true,
	"HLS 200-70":        true, // pre-synthesis failed
	"HLS 200-1715":      true, // encountered a problem
	"IMPL 213-28":       true, // failed to generate IP
	"Vivado 12-8222":    true, // failed runs
	"Vivado 12-13638":   true, // failed runs, of later versions
	"BD 41-1273":        true, // error running a Tcl procedure, with the cause behind it
}

var (
	// vague matches texts that only say that something has failed.
	vague = regexp.MustCompile(
		`(?i)failed due to earlier errors|due to previous errors?|placer failed with error|see (?:the )?log (?:file )?for (?:details|more)|look at the run log file|returned error code|placer could not place all instances|^make(\[\d+\])?: \*\*\*|ninja: build stopped`)
	// plainError matches errors of other tools.
	plainError = regexp.MustCompile(
		`^(?:\S+: )?(?:fatal|error|FATAL|Error|Fatal)(?: \w+)?: |: (?:fatal )?error: |^CMake Error|: command not found$|: Permission denied$|: No such file or directory$|^terminate called|^\s*what\(\):|Segmentation fault|^Traceback \(most recent|undefined reference to|slurmstepd: error`)
)

func subjectOf(line string) subject {
	line = strings.TrimLeft(line, " \t")
	vendor := strings.HasPrefix(line, "ERROR:") || strings.HasPrefix(line, "FATAL") || strings.HasPrefix(line, "ERROR [")
	switch {
	case vendor && isConsequence(line):
		return consequence
	case vendor:
		return realError
	case strings.HasPrefix(line, "command '") && strings.Contains(line, "returned error code"),
		strings.HasPrefix(line, "make") && strings.Contains(line, " *** "):
		return consequence
	case strings.HasPrefix(line, "INFO:"), strings.HasPrefix(line, "WARNING:"),
		strings.HasPrefix(line, "CRITICAL WARNING:"):
		return ordinary
	case suspicious(line) && plainError.MatchString(line):
		if vague.MatchString(line) {
			return consequence
		}
		return realError
	default:
		return ordinary
	}
}

// suspicious sorts out most lines before a pattern looks at them.
func suspicious(line string) bool {
	for _, mark := range []string{"rror", "atal", "ERROR", "FATAL", "not found", "denied", "No such", "terminate",
		"what()", "fault", "Traceback", "undefined"} {
		if strings.Contains(line, mark) {
			return true
		}
	}
	return false
}

func isConsequence(line string) bool {
	if m := code.FindStringSubmatch(line); m != nil && consequences[m[1]] {
		return true
	}
	return vague.MatchString(line)
}
