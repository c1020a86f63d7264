package kernels

import (
	"context"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/layout"
)

// Registers of the session handler, as Vitis HLS lays them out, and its operations.
const (
	handlerIP        = 0x10
	handlerPort      = 0x18
	handlerSessionIn = 0x20
	handlerSession   = 0x28
	handlerReturn    = 0x30
	handlerOperation = 0x38

	openPort       = 1
	openConnection = 2
	closeSession   = 3
)

// Handler is a session handler.
type Handler struct {
	*control
	opener accl.SessionOpener
	limit  time.Duration
	asked  []Asked
	hangs  chan struct{}
}

var _ layout.Registers = (*Handler)(nil)

// Asked is a request to a session handler.
type Asked struct {
	Operation, IP uint32
	Port          uint16
	Session       uint32
}

// NewHandler makes a session handler in front of a stack, which may be an engine that opens
// sessions. It waits up to the limit for the stack. Sessions can be closed if the stack has
// a method CloseConnection, as TCP does.
func NewHandler(stack accl.SessionOpener, limit time.Duration) *Handler {
	h := &Handler{opener: stack, limit: limit}
	h.control = newControl("session handler",
		[]uint32{handlerIP, handlerPort, handlerSessionIn, handlerOperation}, []uint32{handlerSession, handlerReturn})
	h.control.run = h.operate
	return h
}

// Hang makes the next operations wait until end is called.
func (h *Handler) Hang() (end func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	hangs := make(chan struct{})
	h.hangs = hangs
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.hangs == hangs {
			h.hangs = nil
			close(hangs)
		}
	}
}

// Asked returns the requests so far, in order.
func (h *Handler) Asked() []Asked {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]Asked(nil), h.asked...)
}

func (h *Handler) operate(argument func(uint32) uint32) map[uint32]uint32 {
	a := Asked{argument(handlerOperation), argument(handlerIP), uint16(argument(handlerPort)), argument(handlerSessionIn)}
	h.mu.Lock()
	h.asked = append(h.asked, a)
	hangs := h.hangs
	h.mu.Unlock()
	if hangs != nil {
		<-hangs
	}
	ctx, cancel := context.WithTimeout(context.Background(), h.limit)
	defer cancel()
	results := map[uint32]uint32{handlerReturn: 0}
	switch a.Operation {
	case openPort:
		if h.opener.OpenPort(ctx, a.Port) == nil {
			results[handlerReturn] = 1
		}
	case openConnection:
		if session, err := h.opener.OpenConnection(ctx, a.IP, a.Port); err == nil {
			results[handlerReturn], results[handlerSession] = 1, session // which otherwise stays
		}
	case closeSession:
		if c, can := h.opener.(interface{ CloseConnection(session uint32) }); can {
			c.CloseConnection(a.Session)
			results[handlerReturn] = 1
		}
	}
	return results
}
