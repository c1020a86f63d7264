package metrics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/network"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/world"
)

// get requests something from a server.
func get(t *testing.T, method, url string) (*http.Response, string) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	assert.NilError(t, err)
	r, err := http.DefaultClient.Do(q)
	assert.NilError(t, err)
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	assert.NilError(t, err)
	return r, string(body)
}

// Lines as prometheus.io/docs/instrumenting/exposition_formats has them, with the names that Prometheus recommends.
var (
	comment = regexp.MustCompile(`^# (HELP|TYPE) (cclforge_[a-z_]+) (.+)$`)
	value   = regexp.MustCompile(`^(cclforge_[a-z_]+)(\{(?:[a-z]+="[A-Za-z0-9_]+",?)+\}) ([0-9.e+-]+)$`)
)

// parse checks a text and returns its values, by name and labels.
func parse(t *testing.T, text string) map[string]float64 {
	t.Helper()
	values, seen, metric, kind := map[string]float64{}, map[string]bool{}, "", ""
	assert.Assert(t, strings.HasSuffix(text, "\n"), "%q", text)
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if m := comment.FindStringSubmatch(line); m != nil {
			switch m[1] {
			case "HELP":
				assert.Check(t, !seen[m[2]], "%s is not together", m[2])
				metric, kind, seen[m[2]] = m[2], "", true
			case "TYPE":
				kind = m[3]
				assert.Check(t, m[2] == metric && strings.HasSuffix(metric, "_total") == (kind == "counter"), line)
			}
			continue
		}
		m := value.FindStringSubmatch(line)
		assert.Assert(t, m != nil && m[1] == metric && kind != "", "%q", line)
		v, err := strconv.ParseFloat(m[3], 64)
		assert.NilError(t, err)
		_, twice := values[m[1]+m[2]]
		assert.Check(t, !twice && v >= 0, line)
		values[m[1]+m[2]] = v
	}
	if tool, err := exec.LookPath("promtool"); err == nil {
		c := exec.CommandContext(t.Context(), tool, "check", "metrics")
		c.Stdin = strings.NewReader(text)
		out, err := c.CombinedOutput()
		assert.Check(t, err == nil && len(out) == 0, "%v: %s", err, out)
	}
	return values
}

// links are states of a card's link, one after the other; the last one cannot be read.
type links []network.Link

func (l *links) State(context.Context) (network.Status, error) {
	if len(*l) == 0 {
		return network.Status{}, errors.New("the card is gone")
	}
	defer func() { *l = (*l)[1:] }()
	return network.Status{Link: &(*l)[0]}, nil
}

// TestLink: the link of a card is shown as it is, and not while it cannot be read; its engine is up all the same.
func TestLink(t *testing.T) {
	d := designtest.Load(t, "u55c_udp", nil)
	p := driverview.Of(d)
	w, err := world.New(t.Context(), d, 2, world.Options{})
	assert.NilError(t, err)
	defer w.Close()
	m := New()
	_, err = accl.OpenAll(t.Context(), w.Devices(), &p, w.Ranks(), m.Observe())
	assert.NilError(t, err)
	m.Link(1, &links{{Up: true}, {}})
	for _, want := range []map[string]float64{{`cclforge_link_up{rank="1"}`: 1}, {`cclforge_link_up{rank="1"}`: 0}, {}} {
		all, got := parse(t, string(m.text(t.Context()))), map[string]float64{}
		for name, v := range all {
			if strings.HasPrefix(name, "cclforge_link") {
				got[name] = v
			}
		}
		assert.DeepEqual(t, got, want)
		assert.Equal(t, all[`cclforge_up{rank="1"}`], 1.0)
	}
}

// TestWorld compares what is served with what the test has done.
func TestWorld(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	d := designtest.Load(t, "u55c_tcp", nil)
	p := driverview.Of(d)
	w, err := world.New(ctx, d, 2, world.Options{})
	assert.NilError(t, err)
	defer w.Close()
	m := New()
	s, err := m.Serve(":0", 3)
	assert.NilError(t, err)
	defer s.Close()
	assert.Check(t, strings.HasPrefix(s.URL, "http://127.0.0.1:"))
	scrape := func() map[string]float64 {
		r, text := get(t, http.MethodGet, s.URL)
		assert.Check(t, is.Equal(r.Header.Get("Content-Type"), "text/plain; version=0.0.4; charset=utf-8"))
		return parse(t, text)
	}
	engines, err := accl.OpenAll(ctx, w.Devices(), &p, w.Ranks(), m.Observe())
	assert.NilError(t, err)
	all := func(f func(e *accl.Engine, rank int) error) (errs [2]error) {
		var group sync.WaitGroup
		for rank, e := range engines {
			group.Go(func() { errs[rank] = f(e, rank) })
		}
		group.Wait()
		return errs
	}

	const calls, n = 3, 700
	const answers = `cclforge_answers_total{rank="1"}`
	before, dev := scrape()[answers], w.Devices()[1]
	ticket, err := dev.Start(ctx, 1, accl.Call{Scenario: 255}) // a nop of a kernel
	assert.NilError(t, err)
	_, err = dev.Wait(ctx, ticket)
	assert.Check(t, err == nil && before > 0 && scrape()[answers] == before+1, "%v, %v before", err, before)
	var fields [2]*accl.Buffer[float64]
	errs := all(func(e *accl.Engine, rank int) (err error) {
		if fields[rank], err = accl.Alloc[float64](ctx, e, n); err != nil {
			return err
		}
		half, err := accl.Alloc[float32](ctx, e, n)
		for range calls {
			if _, err := e.AllReduce(ctx, half, half, n, accl.Sum); err != nil {
				return err
			}
		}
		return err
	})
	assert.NilError(t, errors.Join(errs[:]...))
	request, err := engines[1].Recv(ctx, fields[1], n, 0, accl.Async())
	assert.NilError(t, err)
	during := scrape() // while rank 1 waits
	_, err = engines[0].Send(ctx, fields[0], n, 1)
	assert.NilError(t, err)
	assert.NilError(t, request.Wait(ctx))
	errs = all(func(e *accl.Engine, rank int) error { // ranks disagree
		_, err := e.AllReduce(ctx, fields[rank], fields[rank], 10*(rank+1), accl.Sum)
		return err
	})
	after := scrape()
	for rank := range engines {
		at := func(name, label string) string { return fmt.Sprintf(`cclforge_%s{rank="%d"%s}`, name, rank, label) }
		const reduced = `,operation="allreduce"`
		for name, want := range map[string]float64{
			at("up", ""): 1, at("halted", ""): 0, at("calls_open", ""): float64(rank),
			at("calls_total", reduced): calls, at("call_bytes_total", reduced): calls * n * 4,
		} {
			assert.Check(t, is.Equal(during[name], want), name)
		}
		moved := fmt.Sprintf(`,operation=%q`, []string{"send", "recv"}[rank])
		assert.Check(t, is.Equal(after[at("call_bytes_total", moved)], float64(n*8)))
		assert.Check(t, is.Equal(after[at("calls_total", reduced)], float64(calls+1)))
		assert.Check(t, is.Equal(after[at("calls_open", "")], 0.0))
		took := after[at("call_seconds_total", reduced)]
		assert.Check(t, took > 0 && took < time.Minute.Seconds(), took)
		assert.Check(t, after[at("packets_total", `,direction="sent"`)] > during[at("packets_total", `,direction="sent"`)])
		assert.Check(t, is.Equal(after[at("rx_buffers", `,state="free"`)]+after[at("rx_buffers", `,state="used"`)],
			float64(p.RxBuffers.Count)))
		var failed *accl.CallError
		assert.Assert(t, errors.As(errs[rank], &failed), "%v", errs[rank])
		counted := 0
		for name := range after {
			if strings.HasPrefix(name, at("errors_total", "")[:len(at("errors_total", ""))-1]) {
				counted++
			}
		}
		assert.Check(t, is.Equal(counted, len(failed.Bits)))
		for _, bit := range failed.Bits {
			assert.Check(t, is.Equal(after[at("errors_total", fmt.Sprintf(",error=%q", bit.Name))], 1.0))
		}
	}
	assert.NilError(t, engines[0].Close(ctx))
	closed := scrape()
	_, there := closed[`cclforge_up{rank="0"}`]
	assert.Check(t, !there && closed[`cclforge_up{rank="1"}`] == 1, "%v", closed)
}

// TestGone has an engine that does not answer: requests end, and it is read once at a time.
func TestGone(t *testing.T) {
	p := driverview.Of(designtest.Load(t, "u55c_tcp", nil))
	m, stuck := New(), make(chan struct{})
	m.limit = 20 * time.Millisecond
	began := make(chan struct{}, 10)
	m.Add(7, &p, nil, func(context.Context) (map[Sample]float64, error) {
		began <- struct{}{}
		<-stuck
		return map[Sample]float64{{"halted", ""}: 0}, nil
	})
	for range 3 {
		assert.Check(t, is.DeepEqual(parse(t, string(m.text(t.Context()))), map[string]float64{
			`cclforge_up{rank="7"}`: 0, `cclforge_calls_open{rank="7"}`: 0}))
	}
	assert.Check(t, is.Len(began, 1))
	m.limit = time.Minute
	close(stuck)
	assert.Check(t, is.Equal(parse(t, string(m.text(t.Context())))[`cclforge_up{rank="7"}`], 1.0))
}

// TestBounds: nothing but the metrics is served, to a few at a time, and where it was told.
func TestBounds(t *testing.T) {
	m := New()
	s, err := m.Serve("127.0.0.1:0", 0)
	assert.NilError(t, err)
	defer s.Close()
	for _, c := range []struct {
		method, path string
		status, busy int
	}{
		{http.MethodGet, "", http.StatusOK, 0}, {http.MethodPost, "", http.StatusMethodNotAllowed, 0},
		{http.MethodGet, "/other", http.StatusNotFound, 0}, {http.MethodGet, "", http.StatusServiceUnavailable, cap(m.slots)},
	} {
		for range c.busy {
			m.slots <- struct{}{}
		}
		r, _ := get(t, c.method, s.URL+c.path)
		assert.Check(t, is.Equal(r.StatusCode, c.status), "%+v", c)
	}
	taken := strings.TrimSuffix(strings.TrimPrefix(s.URL, "http://"), "/metrics")
	for _, address := range []string{"", "127.0.0.1", ":x", ":65536", taken} {
		_, err := New().Serve(address, 0)
		assert.ErrorContains(t, err, "serve metrics", "%q", address)
	}
}
