package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/count"
)

// session is somebody at work on a lab, who is told part by part what it does.
type session struct {
	user
	*lab
	env   *cli.Env
	say   func(text string)
	known *counts // of the latest build that was counted
}

// look builds a lab, tests its pictures and counts. It reports whether counts have
// decided, and what the lab is missing by them.
func (s *session) look(ctx context.Context) (b *build, decided bool, missing string, err error) {
	s.say("Building, which takes a while the first time ...")
	if b, err = s.build(ctx, s.lab, patience); err != nil {
		return nil, false, "", err
	}
	s.say("The pictures are right.")
	if len(s.Counts) == 0 {
		return b, false, "", nil
	}
	if err := count.Available(); err != nil {
		s.say(fmt.Sprintf("Not counted: %v. So time decides.", err))
		return b, false, "", nil
	}
	if s.known, err = b.count(ctx, s.env, s.known); err != nil {
		b.close()
		return nil, false, "", err
	}
	s.say(s.known.String())
	missing = s.known.missing()
	return b, true, missing, s.verdict(missing)
}

// verdict says whether a lab is passed and, if it is, what it was about.
func (s *session) verdict(missing string) error {
	if missing != "" {
		s.say("Not yet: " + missing + ".")
		return nil
	}
	_, err := s.record(s.lab, func(r *reached) { r.Passed = true })
	s.say("Passed.\n\n" + s.after + "\n")
	return err
}

// time measures the speed of a build, which decides unless counts have.
func (s *session) time(ctx context.Context, b *build, decided bool) (missing string, err error) {
	most := orders
	if decided {
		most = batch
	}
	t, err := b.time(ctx, s.env, most)
	switch {
	case err != nil:
		return "", err
	case decided:
		s.say(t.String())
	case t.ours.Lo <= 1:
		return "", fmt.Errorf("here ours is %s times as fast as the start, so time decides nothing", t.ours)
	default:
		missing = t.missing()
		s.say(fmt.Sprintf("%s, asked %.3g", t, t.asked()))
		err = s.verdict(missing)
	}
	if err != nil {
		return "", err
	}
	r, err := s.record(s.lab, func(r *reached) { r.Speed = max(r.Speed, t.yours.Center) })
	if err == nil && r.Passed && r.Predicted > 0 {
		speed := t.yours.Center
		s.say(fmt.Sprintf("You predicted %.3g times the start's speed, and it is %.3g: %+.0f %%.", r.Predicted, speed, 100*(r.Predicted/speed-1)))
	}
	return missing, err
}

// check says once whether a lab is passed, and how fast it is.
func (s *session) check(ctx context.Context) error {
	b, decided, missing, err := s.look(ctx)
	if b != nil {
		defer b.close()
	}
	if err == nil && missing == "" {
		missing, err = s.time(ctx, b, decided)
	}
	if err == nil && missing != "" {
		err = cli.ErrReported
	}
	return err
}

// What watch waits for: between two looks, and without a save before it measures the speed.
const poll, rest = 200 * time.Millisecond, 8 * time.Second

// watch answers each time that a file of a lab changes, until ctx is canceled. A line
// from enter has the speed measured at once.
func (s *session) watch(ctx context.Context, enter <-chan struct{}) {
	stop, done := func() {}, make(chan struct{})
	close(done)
	var seen, answered string
	for ctx.Err() == nil {
		now := signature(filepath.Join(s.dir, s.name))
		if now == seen && now != answered { // at rest since the last look
			stop()
			<-done
			answered, done = now, make(chan struct{})
			var attempt context.Context
			attempt, stop = context.WithCancel(ctx)
			go func() {
				defer close(done)
				s.attempt(attempt, enter)
			}()
		}
		seen = now
		select {
		case <-ctx.Done():
		case <-time.After(poll):
		}
	}
	stop()
	<-done
}

// attempt answers for one state of the files.
func (s *session) attempt(ctx context.Context, enter <-chan struct{}) {
	s.say("\n" + s.folder() + " at " + time.Now().Format(time.TimeOnly))
	b, decided, _, err := s.look(ctx)
	if b != nil {
		defer b.close()
	}
	for atRest := time.After(rest); err == nil; atRest = nil {
		s.say("Enter measures the speed; Ctrl-C ends.")
		select {
		case <-ctx.Done():
			return
		case <-enter:
		case <-atRest:
		}
		_, err = s.time(ctx, b, decided)
	}
	if ctx.Err() == nil {
		s.say(strings.ReplaceAll(err.Error(), "; ", "\n  "))
	}
}

// signature changes with the source files of a folder.
func signature(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "gone"
	}
	var b strings.Builder
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		if info, err := e.Info(); err == nil && (ext == ".go" || ext == ".s" || ext == ".h") {
			fmt.Fprintln(&b, e.Name(), info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}
