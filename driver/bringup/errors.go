package bringup

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Kinds of Error, for errors.Is, and ErrOption.
var (
	ErrOption     = errors.New("option of the bring-up")               // wrong Options or environment; not an *Error
	ErrListen     = errors.New("rank 0 cannot listen")                 // at Options.Meet
	ErrMissing    = errors.New("ranks are missing")                    // when the time is over
	ErrSecret     = errors.New("the secret or the job differs")        // from that of rank 0
	ErrVersion    = errors.New("the version of the protocol differs")  // from that of rank 0
	ErrDuplicate  = errors.New("a rank is there twice")                //
	ErrSize       = errors.New("the number of ranks differs")          // from that of rank 0
	ErrDiffers    = errors.New("engines do not fit together")          // in platform, network stack or addresses
	ErrNotReady   = errors.New("a rank has not configured its engine") // it reported an error, or nothing in time
	ErrLeft       = errors.New("a rank has left")                      // died, closed too soon, or is silent
	ErrClosed     = errors.New("the world is closed")                  // by this rank
	ErrAnswer     = errors.New("a rank has no answer")                 // to a question
	errUnexpected = errors.New("bring-up failed")
)

// kinds are the numbers of kinds in messages: never reorder.
var kinds = []error{errUnexpected, ErrListen, ErrMissing, ErrSecret, ErrVersion, ErrDuplicate, ErrSize, ErrDiffers,
	ErrNotReady, ErrLeft, ErrClosed, ErrAnswer}

// Step is a part of the bring-up.
type Step string

// Steps, in order.
const (
	StepMeet      Step = "meet"      // listen, or connect to rank 0
	StepProve     Step = "prove"     // prove the secret to each other
	StepJoin      Step = "join"      // send the Member, and wait for those of all others
	StepConfigure Step = "configure" // configure the engine with the addresses of all
	StepReady     Step = "ready"     // report the result, and wait for those of all others
	StepRun       Step = "run"       // all are ready
)

var steps = []Step{StepMeet, StepProve, StepJoin, StepConfigure, StepReady, StepRun}

// Error is why a world has not come up, or has lost a rank.
type Error struct {
	Kind    error // one of the Err values
	Step    Step
	Rank    int    // the rank to look at, the first of several; -1 for none
	Address string // of the rank as rank 0 sees it, "" if unknown
	Reason  string
}

func (e *Error) Error() string {
	text := "bring-up, step " + string(e.Step) + ": "
	if e.Rank >= 0 {
		text += fmt.Sprintf("rank %d", e.Rank)
		if e.Address != "" {
			text += " at " + e.Address
		}
		text += ": "
	}
	return text + e.Reason
}

// Unwrap returns Kind.
func (e *Error) Unwrap() error { return e.Kind }

type errorText struct {
	Kind    int
	Step    Step
	Rank    int
	Address string
	Reason  string
}

func (e *Error) encode() []byte {
	text, err := json.Marshal(errorText{slices.Index(kinds, e.Kind), e.Step, e.Rank, e.Address, clean(e.Reason)})
	if err != nil {
		return nil // cannot be: it is numbers and strings
	}
	return text
}

func decodeError(text []byte) (*Error, error) {
	var t errorText
	if err := unmarshal(text, &t); err != nil {
		return nil, err
	}
	if t.Kind < 0 || t.Kind >= len(kinds) || !slices.Contains(steps, t.Step) || t.Rank < -1 || t.Rank >= MaxSize {
		return nil, fmt.Errorf("an error of kind %d at rank %d does not exist", t.Kind, t.Rank)
	}
	return &Error{kinds[t.Kind], t.Step, t.Rank, clean(t.Address), clean(t.Reason)}, nil
}

// maxText bounds texts that other ranks send, in bytes.
const maxText = 4096

// clean makes a text of another rank fit for a line of a log.
func clean(text string) string {
	if len(text) > maxText {
		text = text[:maxText] + "…"
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?")))
}

// list is "rank 1", "ranks 1 and 3" or "ranks 1, 3 and 4", of which it names ten.
func list(ranks []int) string {
	if len(ranks) == 1 {
		return fmt.Sprintf("rank %d", ranks[0])
	}
	const most = 10
	text := "ranks "
	for i, r := range ranks {
		switch {
		case i == most:
			return fmt.Sprintf("%s and %d more", text, len(ranks)-most)
		case i == 0:
		case i == len(ranks)-1:
			text += " and "
		default:
			text += ", "
		}
		text += fmt.Sprint(r)
	}
	return text
}
