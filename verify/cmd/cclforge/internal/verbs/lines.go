package verbs

import (
	"time"

	"github.com/cclforge/cclforge/gen/vitis/report"
)

// header is what lines for scripts begin with, like those of package progress, which
// come before them.
type header struct {
	Schema int       `json:"schema"`
	Time   time.Time `json:"time"`
	Event  string    `json:"event"`
}

func now(event string) header { return header{report.JSONSchema, time.Now().UTC(), event} }

// diagnosis says why a step has failed.
type diagnosis struct {
	header
	Step  string   `json:"step"`
	Error string   `json:"error"`
	Lines []string `json:"lines,omitempty"` // of its log
	Cause string   `json:"cause,omitempty"`
	Hint  string   `json:"hint,omitempty"`
	Log   string   `json:"log,omitempty"`
	Again string   `json:"again,omitempty"` // a command
}

// made is what a build of a platform has made.
type made struct {
	header
	Platform string   `json:"platform"`
	Files    []string `json:"files"`
	Report   string   `json:"report"` // JSON
	Page     string   `json:"page"`
	Misses   []string `json:"misses,omitempty"` // of timing
}
