package metrics

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Env names the environment variable by which programs are told where to serve metrics.
const Env = "CCLFORGE_METRICS"

// ServeHTTP answers a request, of which a few are answered at the same time.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case m.slots <- struct{}{}:
		defer func() { <-m.slots }()
	default:
		http.Error(w, "too many requests at a time", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(m.text(r.Context())) // the client may be gone
}

// Server serves metrics.
type Server struct {
	URL  string
	http *http.Server
}

// Serve serves GET /metrics at host:port; ":port" is at the loopback address. Port 0 is any free one, to others is
// added which process of its host this is, from 0 up.
func (m *Metrics) Serve(address string, process int) (*Server, error) {
	host, text, err := net.SplitHostPort(address)
	port, wrong := strconv.ParseUint(text, 10, 16)
	if err != nil || wrong != nil {
		return nil, fmt.Errorf("serve metrics at %q: expected is host:port or :port, with a port up to 65535", address)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if port != 0 {
		port += uint64(process)
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.FormatUint(port, 10)))
	if err != nil {
		return nil, fmt.Errorf("serve metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m)
	s := &Server{URL: fmt.Sprintf("http://%v/metrics", l.Addr()), http: &http.Server{
		Handler: mux, ReadTimeout: 2 * time.Second, WriteTimeout: m.limit + 5*time.Second, MaxHeaderBytes: 8 << 10,
		ErrorLog: log.New(io.Discard, "", 0),
	}}
	s.http.SetKeepAlivesEnabled(false)
	go func() { _ = s.http.Serve(l) }() // until Close
	return s, nil
}

// Close ends the server, also if requests are under way.
func (s *Server) Close() error { return s.http.Close() }
