package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"raysteps/scripts/internal/cli"
)

// session is somebody at work on a lab, who is told part by part what it does.
type session struct {
	user
	*lab
	say   func(text string)
	known *counts // of the latest build that was counted
	work
}

// work is what takes its time, for which tests have other functions.
type work struct {
	build func(ctx context.Context) (*build, error)
	count func(ctx context.Context, b *build, known *counts) (*counts, error)
	time  func(ctx context.Context, b *build, orders int) (*timing, error)
}

// session begins one.
func (u user) session(env *cli.Env, l *lab) *session {
	return &session{user: u, lab: l, say: func(text string) { fmt.Fprintln(env.Stdout, text) }, work: work{
		build: func(ctx context.Context) (*build, error) { return u.build(ctx, l, patience) },
		count: func(ctx context.Context, b *build, known *counts) (*counts, error) {
			return b.count(ctx, env, known)
		},
		time: func(ctx context.Context, b *build, orders int) (*timing, error) {
			return b.time(ctx, env, orders)
		},
	}}
}

// evaluate builds a lab, tests its pictures and counts. It reports whether counts have
// decided, and what the lab is missing by them.
func (s *session) evaluate(ctx context.Context) (b *build, decided bool, missing string, err error) {
	s.say("Building and testing ...")
	if b, err = s.work.build(ctx); err != nil {
		return nil, false, "", err
	}
	s.say("The pictures are right.")
	if len(s.Counts) == 0 {
		return b, false, "", nil
	}
	counted, err := s.count(ctx, b, s.known)
	switch {
	case ctx.Err() != nil:
		b.close()
		return nil, false, "", ctx.Err()
	case err != nil:
		s.say(fmt.Sprintf("Not counted: %v. So time decides.", err))
		return b, false, "", nil
	}
	s.known = counted
	s.say(counted.String())
	missing = s.known.shortfall()
	return b, true, missing, s.verdict(missing)
}

// verdict says whether a lab is passed and, if it is, what it was about.
func (s *session) verdict(missing string) error {
	if missing != "" {
		s.say("Not yet: " + missing + ".")
		return nil
	}
	if _, err := s.record(s.lab, func(r *standing) { r.Passed = true }); err != nil {
		return err
	}
	s.say("Passed.\n\n" + s.after + "\n")
	return nil
}

// measure measures the speed of a build, which decides unless counts have.
func (s *session) measure(ctx context.Context, b *build, decided bool) (missing string, err error) {
	most := orders
	if decided {
		most = batch
	}
	t, err := s.time(ctx, b, most)
	switch {
	case err != nil:
		return "", err
	case decided:
		s.say(t.String())
	case !faster(t.ours):
		return "", fmt.Errorf("here ours is %s times as fast as the start, so time decides nothing", t.ours.Short())
	default:
		missing = t.shortfall()
		s.say(fmt.Sprintf("%s, asked %.3g", t, t.target()))
		err = s.verdict(missing)
	}
	if err != nil {
		return "", err
	}
	r, err := s.record(s.lab, func(r *standing) { r.Speed = max(r.Speed, t.yours.Center) })
	if err == nil && r.Passed && r.Predicted > 0 {
		speed := t.yours.Center
		s.say(fmt.Sprintf("You predicted %.3g times the start's speed, and it is %.3g: %+.0f %%.", r.Predicted, speed, 100*(r.Predicted/speed-1)))
	}
	return missing, err
}

// check says once whether a lab is passed, and how fast it is.
func (s *session) check(ctx context.Context) error {
	b, decided, missing, err := s.evaluate(ctx)
	if b != nil {
		defer b.close()
	}
	if err == nil && missing == "" {
		missing, err = s.measure(ctx, b, decided)
	}
	if err == nil && missing != "" {
		err = cli.ErrReported
	}
	return err
}

// What watch waits for: for the last of several saves, and without a save before it
// measures the speed.
const settle, rest = 200 * time.Millisecond, 8 * time.Second

// watch answers for the files as they are, and again each time that something comes from
// changes, until ctx is canceled.
func (s *session) watch(ctx context.Context, changes <-chan struct{}) {
	stop, done := func() {}, make(chan struct{})
	close(done)
	settled := time.After(0)
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-changes:
			settled = time.After(settle)
		case <-settled:
			stop()
			<-done
			done = make(chan struct{})
			var attempt context.Context
			attempt, stop = context.WithCancel(ctx)
			go func() {
				defer close(done)
				s.attempt(attempt)
			}()
		}
	}
	stop()
	<-done
}

// attempt answers for one state of the files.
func (s *session) attempt(ctx context.Context) {
	s.say("\n" + s.folder() + " at " + time.Now().Format(time.TimeOnly))
	b, decided, _, err := s.evaluate(ctx)
	if b != nil {
		defer b.close()
	}
	if err == nil {
		s.say("When the files rest, the speed is measured; Ctrl-C ends.")
		select {
		case <-ctx.Done():
		case <-time.After(rest):
			_, err = s.measure(ctx, b, decided)
		}
	}
	if err != nil && ctx.Err() == nil {
		s.say(strings.ReplaceAll(err.Error(), "; ", "\n  "))
	}
}

// changes tells of changes of the source files in a folder, until ctx is canceled.
func changes(ctx context.Context, dir string) (<-chan struct{}, error) {
	w, err := fsnotify.NewWatcher()
	if err == nil {
		err = w.Add(dir)
	}
	if err != nil { // which ends the command
		return nil, fmt.Errorf("watching %s: %w", dir, err)
	}
	changed := make(chan struct{}, 1)
	go func() {
		defer w.Close()
		for {
			select {
			case <-ctx.Done():
				return
			case <-w.Errors: // some events may be lost
			case e := <-w.Events:
				if !slices.Contains([]string{".go", ".s", ".h"}, filepath.Ext(e.Name)) || e.Op == fsnotify.Chmod {
					continue
				}
			}
			select {
			case changed <- struct{}{}:
			default: // is told already
			}
		}
	}()
	return changed, nil
}
