package network

import (
	"context"
	"sync"
	"time"
)

// mac is a 100G MAC with registers.
type mac struct {
	*block
	looks *looks
}

// looks are reads of the receiver's state, which clear its sticky bits: the reads of
// others are kept for await.
type looks struct {
	mu      sync.Mutex
	waiting bool
	seen    []uint32 // by others
}

var macNeeds = []string{
	"conf_tx.enable", "conf_tx.send_lfi", "conf_tx.send_rfi", "conf_tx.send_idle", "conf_rx.enable",
	"gt_loopback.loopback",
	"stat_tx_status.local_fault", "stat_rx_status.status", "stat_rx_status.aligned", "stat_rx_status.local_fault",
	"stat_rx_status.remote_fault",
	"stat_pm_tick.tick", "rsfec_config_enable.rx", "rsfec_config_enable.tx",
	"rsfec_config_ind_corr.correction", "rsfec_config_ind_corr.indication", "rsfec_config_ind_corr.ieee", "reset_reg.rx",
	"reset_reg.tx",
}

const (
	linkPause = 10 * time.Millisecond // between two looks at a link
	steady    = 4                     // looks in a row at a link that is up
)

// bringUp turns the MAC on and waits until its link is up and stays so.
func (m mac) bringUp(ctx context.Context, fec FEC) error {
	if err := m.set(ctx, "gt_loopback", m.mask("gt_loopback", "loopback"), 0); err != nil {
		return err
	}
	if err := m.correct(ctx, fec); err != nil {
		return err
	}
	if err := m.set(ctx, "conf_rx", m.mask("conf_rx", "enable"), m.mask("conf_rx", "enable")); err != nil {
		return err
	}
	aligned := m.mask("stat_rx_status", "status", "aligned")
	if err := m.await(ctx, 1, func(rx uint32) bool { return rx&aligned == aligned }); err != nil {
		return err
	}
	// The kernel does so, too, at about the same time.
	faults := m.mask("conf_tx", "send_lfi", "send_rfi", "send_idle")
	if err := m.set(ctx, "conf_tx", m.mask("conf_tx", "enable")|faults, m.mask("conf_tx", "enable")); err != nil {
		return err
	}
	return m.await(ctx, steady, m.good)
}

// good reports whether packets go both ways.
func (m mac) good(rx uint32) bool {
	up := m.mask("stat_rx_status", "status", "aligned")
	return rx&(up|m.mask("stat_rx_status", "local_fault", "remote_fault")) == up
}

// set sets bits of a register to a value.
func (m mac) set(ctx context.Context, name string, bits, value uint32) error {
	old, err := m.word(ctx, name)
	if err != nil || old&bits == value {
		return err
	}
	if err := m.put(ctx, name, 0, uint64(old&^bits|value)); err != nil {
		return err
	}
	got, err := m.word(ctx, name)
	if err != nil || got&bits == value {
		return err
	}
	return failure(ErrHardware, m.instance, nil, "%s is 0x%X after 0x%X was written", name, got, old&^bits|value)
}

// correct turns RS-FEC on, with all its features, or off. The core takes the setting over
// when it is reset.
func (m mac) correct(ctx context.Context, fec FEC) error {
	if fec == KeepFEC {
		return nil
	}
	changed := false
	for _, r := range []struct {
		name string
		all  uint32
	}{
		{"rsfec_config_enable", m.mask("rsfec_config_enable", "rx", "tx")},
		{"rsfec_config_ind_corr", m.mask("rsfec_config_ind_corr", "correction", "indication", "ieee")},
	} {
		old, err := m.word(ctx, r.name)
		if err != nil {
			return err
		}
		want := r.all
		if fec == WithoutFEC {
			want = 0
		}
		if old&r.all == want {
			continue
		}
		changed = true
		err = m.set(ctx, r.name, r.all, want)
		if e, is := err.(*Error); is && e.Kind == ErrHardware {
			e.Reason += ": the MAC was built without RS-FEC"
		}
		if err != nil {
			return err
		}
	}
	if !changed {
		return nil
	}
	for _, v := range []uint32{m.mask("reset_reg", "rx", "tx"), 0} {
		if err := m.put(ctx, "reset_reg", 0, uint64(v)); err != nil {
			return err
		}
	}
	return nil
}

// receiver reads the state of the receiver for callers other than await.
func (m mac) receiver(ctx context.Context) (uint32, error) {
	m.looks.mu.Lock()
	defer m.looks.mu.Unlock()
	rx, err := m.word(ctx, "stat_rx_status")
	if err == nil && m.looks.waiting {
		m.looks.seen = append(m.looks.seen, rx)
	}
	return rx, err
}

// status is the state of the receiver. Its bits are sticky until they are read, so the
// first of two reads shows the past, and only the second the present.
func (m mac) status(ctx context.Context) (uint32, error) {
	if _, err := m.receiver(ctx); err != nil {
		return 0, err
	}
	return m.receiver(ctx)
}

// look reads the state of the receiver for await: the state now, and all states since the
// last look.
func (m mac) look(ctx context.Context) (now uint32, since []uint32, err error) {
	m.looks.mu.Lock()
	defer m.looks.mu.Unlock()
	now, err = m.word(ctx, "stat_rx_status")
	since, m.looks.seen = m.looks.seen, nil
	return now, append(since, now), err
}

func (m mac) waits(waiting bool) {
	m.looks.mu.Lock()
	defer m.looks.mu.Unlock()
	m.looks.waiting, m.looks.seen = waiting, nil
}

// await waits until the state of the receiver is good in a number of looks in a row, and
// in all reads in between.
func (m mac) await(ctx context.Context, looks int, good func(rx uint32) bool) error {
	m.waits(true)
	defer m.waits(false)
	begin := time.Now()
	var last uint32
	for seen := 0; ; {
		now, since, err := m.look(ctx)
		if seen == 0 && err == nil { // that was of the past
			now, since, err = m.look(ctx)
		}
		if err != nil && ended(ctx, err) {
			return m.linkError(ctx, begin, last)
		}
		if err != nil {
			return err
		}
		last = now
		seen++
		for _, rx := range since {
			if !good(rx) {
				last, seen = rx, 0
			}
		}
		if seen >= looks {
			return nil
		}
		if err := sleep(ctx, linkPause); err != nil {
			return m.linkError(ctx, begin, last)
		}
	}
}

func (m mac) linkError(ctx context.Context, begin time.Time, rx uint32) error {
	after, cause := limit(ctx, begin)
	hint := ""
	if rx&m.mask("stat_rx_status", "aligned") == 0 {
		hint = "; is there a cable, and does the other side have 100GBASE-R without auto-negotiation, and the same RS-FEC?"
	}
	return failure(ErrLink, m.instance, cause, "the link is not up %s: the receiver says %s%s", after,
		m.names("stat_rx_status", rx), hint)
}
