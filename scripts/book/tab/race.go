package tab

import (
	"time"

	"raysteps/common"
	"raysteps/common/film"
)

const (
	slice    = 10 * time.Millisecond // of a turn, at least; a row or a tile is finished
	perFrame = 50 * time.Millisecond // between frames, at least
)

// lane is a step in a race. It renders in a goroutine, which waits for its turn
// whenever Progress says that a row or a tile is done.
type lane struct {
	tracer   common.Tracer
	film     *film.Film
	tiles    bool // in place of rows from the top
	turn     chan struct{}
	ended    chan bool     // at the end of a turn: whether the picture is done
	began    time.Duration // of its turn
	clock    time.Duration // that goes in its turns only
	pixels   int           // done
	sent     int           // rows that the last frame had
	rays     int64
	finished bool
}

// Frame is what has changed of a lane since its last frame. The rows of a step that
// renders tiles are all of them.
type Frame struct {
	Lane, Row int
	Share     float64 // of the pixels
	Seconds   float64
	Pixels    []byte   // of whole rows: red, green, blue and 255
	Done      *Picture // at the end
}

// Race lets steps render one picture side by side. They take turns: whose clock is
// behind goes next, so all are level at any time, as on a machine for each. It sends
// frames while it goes on, and returns when all are done. The clock says how long it has
// been running.
func Race(scene, size string, steps []string, clock func() time.Duration, send func(Frame)) error {
	s, err := settings(size)
	if err != nil {
		return err
	}
	tracers, err := newTracers(scene, steps)
	if err != nil {
		return err
	}
	var lanes []*lane
	for i, tracer := range tracers {
		l := &lane{tracer: tracer, film: film.New(s.Width, s.Height), tiles: steps[i] == "tree", turn: make(chan struct{}), ended: make(chan bool)}
		l.start(s, clock)
		lanes = append(lanes, l)
	}
	for last := clock(); ; {
		next := -1
		for i, l := range lanes {
			if !l.finished && (next < 0 || l.clock < lanes[next].clock) {
				next = i
			}
		}
		if next < 0 {
			return nil
		}
		l := lanes[next]
		l.began = clock()
		l.turn <- struct{}{}
		l.finished = <-l.ended
		l.clock += clock() - l.began
		if l.finished {
			f := l.frame(next)
			f.Done = pictureOf(l.film, l.rays)
			send(f)
		} else if now := clock(); now-last >= perFrame {
			for i, l := range lanes {
				if !l.finished {
					send(l.frame(i))
				}
			}
			last = now
		}
	}
}

// start begins the render, which waits for its first turn.
func (l *lane) start(s common.Settings, clock func() time.Duration) {
	l.film.Progress = func(pixels int) {
		l.pixels += pixels
		if clock()-l.began >= slice {
			l.ended <- false
			<-l.turn
		}
	}
	go func() {
		<-l.turn
		l.rays = l.tracer.Render(l.film, s)
		l.ended <- true
	}()
}

func (l *lane) frame(number int) Frame {
	width, height := l.film.Width, l.film.Height
	share := float64(l.pixels) / float64(width*height)
	f := Frame{Lane: number, Row: l.sent, Share: share, Seconds: l.clock.Seconds()}
	to := l.pixels / width
	if l.tiles {
		f.Row, to = 0, height
	}
	var row []byte
	for y := f.Row; y < to; y++ {
		row = l.film.AppendRow(row[:0], height-1-y)
		for i := 0; i < len(row); i += 3 {
			f.Pixels = append(f.Pixels, row[i], row[i+1], row[i+2], 255)
		}
	}
	l.sent = to
	return f
}
