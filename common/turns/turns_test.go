package turns

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// apples has a group of two subjects; the second has nothing to say, and fails on a Friday.
func apples(group json.RawMessage) ([]Subject, error) {
	if string(group) != `"apples"` {
		return nil, errors.New("no such fruit")
	}
	return []Subject{
		{Name: "Red-2", Config: map[string]string{"pkg": "fruit"}, Slice: func(r Request) (Values, error) {
			return Values{"cycle": float64(r.Cycle), "sec/op": float64(r.Nanoseconds) / 1e9}, nil
		}},
		{Name: "Green-2", Slice: func(r Request) (Values, error) {
			switch r.Cycle {
			case 5:
				return nil, errors.New("it is Friday")
			case 6:
				return Values{"rate": math.NaN()}, nil
			}
			return nil, nil
		}},
	}, nil
}

func serveAll(requests ...string) (replies []Reply, printed string, err error) {
	var out bytes.Buffer
	out.WriteString("something that a program printed\nand more")
	err = serve(strings.NewReader(strings.Join(requests, "\n")), &out, apples)
	for r := bufio.NewReader(&out); ; {
		reply, more, err2 := ReadReply(r)
		printed += more
		if err2 == io.ErrUnexpectedEOF {
			return replies, printed, err
		} else if err2 != nil {
			return nil, printed, err2
		}
		replies = append(replies, reply)
	}
}

func TestServe(t *testing.T) {
	replies, printed, err := serveAll(`{"Load":"apples"}`, `{"Subjects":[1,0,0],"Cycle":3,"Nanoseconds":2000000}`, `{"Subjects":[]}`)
	require.NoError(t, err)
	require.Len(t, replies, 3)
	assert.Equal(t, []Subject{{Name: "Red-2", Config: map[string]string{"pkg": "fruit"}}, {Name: "Green-2"}}, replies[0].Subjects)
	red := Values{"cycle": 3, "sec/op": 0.002}
	assert.Equal(t, []Values{nil, red, red}, replies[1].Slices)
	assert.Empty(t, replies[2])
	assert.Equal(t, "something that a program printed\nand more", printed)
}

func TestServeFails(t *testing.T) {
	for _, tt := range []struct {
		name, request, want string
		replied             bool
	}{
		{"no group", `{"Load":"pears"}`, "no such fruit", true},
		{"no subject", `{"Load":"apples","Subjects":[2]}`, "a slice of subject 2 is asked for; want one of 2", true},
		{"a slice", `{"Load":"apples","Subjects":[0,1],"Cycle":5}`, "it is Friday", true},
		{"no number", `{"Load":"apples","Subjects":[1],"Cycle":6}`, "NaN", false},
		{"no request", `apples`, "a request for slices", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			replies, _, err := serveAll(tt.request, `{"Load":"apples"}`)
			assert.ErrorContains(t, err, tt.want)
			if tt.replied {
				require.Len(t, replies, 1, "the program ends")
				assert.Equal(t, Reply{Error: tt.want}, replies[0])
			}
		})
	}
}
