package report

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// Every is the time between lines about the same work.
const Every = 10 * time.Second

type key struct{}

// With returns a context that passes lines about its work to log, which several goroutines
// may call at once.
func With(ctx context.Context, log func(format string, args ...any)) context.Context {
	return context.WithValue(ctx, key{}, log)
}

// Say writes a line, if the context has a log.
func Say(ctx context.Context, format string, args ...any) {
	if log, ok := ctx.Value(key{}).(func(string, ...any)); ok {
		log(format, args...)
	}
}

// Watch writes a line now, and one with the time that has passed every 10 s until stop is
// called. What is a phrase like "compiling the kernel sum". No line is written once stop
// has returned.
func Watch(ctx context.Context, what string) (stop func()) {
	began := time.Now()
	Say(ctx, "%s", what)
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(Every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				Say(ctx, "%s: %v", what, time.Since(began).Round(time.Second))
			case <-end:
				return
			}
		}
	}()
	return sync.OnceFunc(func() { close(end); <-ended })
}

// Lines writes lines to w, one at a time.
func Lines(w io.Writer) func(format string, args ...any) {
	var lock sync.Mutex
	return func(format string, args ...any) {
		lock.Lock()
		defer lock.Unlock()
		fmt.Fprintf(w, format+"\n", args...)
	}
}
