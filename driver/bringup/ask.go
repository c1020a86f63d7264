package bringup

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	// MaxAsk is the largest size of a question, with its subject, and of an answer, in bytes.
	MaxAsk = maxPayload - letterHead

	answerLimit = 5 * time.Second // of the time for an answer
	letterHead  = 8
)

// letter is a question to another rank, or its answer. The rank is the other one, for whoever has the letter: the hub
// replaces it. The number is the asker's.
type letter struct {
	rank   int
	number uint32
	text   []byte
}

func (l letter) encode() []byte {
	payload := make([]byte, letterHead, letterHead+len(l.text))
	binary.BigEndian.PutUint32(payload, uint32(l.rank))
	binary.BigEndian.PutUint32(payload[4:], l.number)
	return append(payload, l.text...)
}

func decodeLetter(payload []byte, size int) (letter, error) {
	if len(payload) < letterHead || binary.BigEndian.Uint32(payload) >= uint32(size) {
		return letter{}, fmt.Errorf("%w: a letter of %d bytes", errProtocol, len(payload))
	}
	rank, number := binary.BigEndian.Uint32(payload), binary.BigEndian.Uint32(payload[4:])
	return letter{int(rank), number, payload[letterHead:]}, nil
}

// Answers gives the answer to a question. Its context ends after some seconds, and with the world.
type Answers func(ctx context.Context, question []byte) ([]byte, error)

// Answer says what answers the questions of ranks about a subject from now on, nil for nothing. It is called for one
// question at a time, whatever else this rank does. Equal questions that wait get one answer.
func (w *World) Answer(about string, a Answers) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answers[about] = a
}

type answer struct {
	text []byte
	err  error
}

// Ask asks a rank a question about a subject, and waits for the answer, which other ranks do not hold up. The error is
// ErrOption for a question that cannot be, or before all ranks are ready. It is an *Error of kind ErrAnswer if the
// rank has no answer, and of kind ErrLeft with the rank that has left: the one that is asked, or rank 0, through which
// all questions go.
func (w *World) Ask(ctx context.Context, rank int, about string, question []byte) ([]byte, error) {
	text := append([]byte(about+"\x00"), question...)
	switch {
	case rank < 0 || rank >= w.o.Size:
		return nil, fmt.Errorf("%w: a question to rank %d of %d", ErrOption, rank, w.o.Size)
	case len(text) > MaxAsk || strings.Contains(about, "\x00"):
		return nil, fmt.Errorf(
			"%w: a question about %.40q of %d bytes; at most %d", ErrOption, about, len(text), MaxAsk)
	}
	ctx, cancel := context.WithTimeout(ctx, w.o.Timeout)
	defer cancel()
	number, reply, err := w.ask(rank, text)
	if err != nil {
		return nil, err
	}
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.open, number)
	}()
	select {
	case a := <-reply:
		return a.text, a.err
	case <-ctx.Done():
		return nil, fmt.Errorf("ask rank %d: %w", rank, context.Cause(ctx))
	case <-w.life.Done():
	case <-w.ended:
	}
	select { // what came before that counts
	case a := <-reply:
		return a.text, a.err
	default:
		return nil, w.mute()
	}
}

// ask sends a question.
func (w *World) ask(rank int, text []byte) (number uint32, reply chan answer, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.running("a question"); err != nil && (w.closed || w.step != StepRun) {
		return 0, nil, err // other ranks can be asked about one that has left
	}
	w.asked++
	reply = make(chan answer, 1)
	w.open[w.asked] = reply
	w.link.put(message{kind: frameAsk, payload: letter{rank, w.asked, text}.encode()})
	return w.asked, reply, nil
}

// mute is why nothing more comes from other ranks.
func (w *World) mute() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.closed:
		return w.running("a question")
	case w.err != nil && w.err.Rank == 0:
		return w.err
	}
	return &Error{ErrLeft, StepRun, 0, w.meet, "it has left: it has closed its world"}
}

// answered takes the answer to a question, if anybody still waits for it.
func (w *World) answered(kind byte, payload []byte) error {
	l, err := decodeLetter(payload, w.o.Size)
	if err != nil {
		return err
	}
	a := answer{text: l.text}
	if kind == frameNoAnswer {
		e, err := decodeError(l.text)
		if err != nil {
			return fmt.Errorf("%w: %w", errProtocol, err)
		}
		a = answer{err: e}
	}
	if reply := w.open[l.number]; reply != nil {
		delete(w.open, l.number)
		reply <- a
	}
	return nil
}

// question takes one of another rank.
func (w *World) question(payload []byte) error {
	q, err := decodeLetter(payload, w.o.Size)
	if err != nil {
		return err
	}
	w.questions = append(w.questions, q)
	if !w.answering {
		w.answering = true
		go w.answerAll()
	}
	return nil
}

func (w *World) answerAll() {
	for {
		w.mu.Lock()
		if len(w.questions) == 0 {
			w.answering = false
			w.mu.Unlock()
			return
		}
		text := w.questions[0].text
		var alike []letter
		w.questions = slices.DeleteFunc(w.questions, func(q letter) bool {
			same := bytes.Equal(q.text, text)
			if same {
				alike = append(alike, q)
			}
			return same
		})
		about, question, _ := bytes.Cut(text, []byte{0})
		a := w.answers[string(about)]
		w.mu.Unlock()
		kind, text := w.answer(a, string(about), question)
		for _, q := range alike {
			q.text = text
			w.link.put(message{kind: kind, payload: q.encode()})
		}
	}
}

// answer is that of this rank to a question, as it is sent.
func (w *World) answer(a Answers, about string, question []byte) (kind byte, text []byte) {
	err := fmt.Errorf("it answers no questions about %.40q", about)
	if a != nil {
		ctx, cancel := context.WithTimeout(w.life, answerLimit)
		defer cancel()
		text, err = a(ctx, question)
	}
	if err == nil && len(text) > MaxAsk {
		err = fmt.Errorf("its answer has %d bytes; at most are %d", len(text), MaxAsk)
	}
	if err == nil {
		return frameAnswer, text
	}
	return frameNoAnswer, (&Error{ErrAnswer, StepRun, w.o.Rank, "", err.Error()}).encode()
}

// inquiry is a question that a rank has not answered yet.
type inquiry struct {
	asker  *peer
	number uint32
}

// pass hands a question or an answer on to the rank that it is for.
func (h *hub) pass(from *peer, kind byte, payload []byte) error {
	l, err := decodeLetter(payload, h.size)
	if err != nil {
		return err
	}
	to := h.peers[l.rank]
	l.rank = from.rank
	switch {
	case kind != frameAsk:
		q := inquiry{to, l.number}
		if _, is := from.asked[q]; !is {
			return fmt.Errorf("%w: an answer to no question", errProtocol)
		}
		delete(from.asked, q)
	case to.gone:
		h.unanswered(to, inquiry{from, l.number})
		return nil
	default:
		to.asked[inquiry{from, l.number}] = struct{}{}
	}
	if !to.gone {
		to.link.put(message{kind: kind, payload: l.encode()})
	}
	return nil
}

// unanswered says that a rank is gone that was asked.
func (h *hub) unanswered(gone *peer, q inquiry) {
	if q.asker.gone {
		return
	}
	l := letter{gone.rank, q.number, (&Error{ErrLeft, StepRun, gone.rank, gone.address, gone.why}).encode()}
	q.asker.link.put(message{kind: frameNoAnswer, payload: l.encode()})
}

// depart notes that a rank is gone, and why.
func (h *hub) depart(p *peer, why string) {
	if !p.gone {
		close(p.left)
	}
	p.gone, p.why = true, why
	for q := range p.asked {
		h.unanswered(p, q)
	}
	p.asked = nil
}
