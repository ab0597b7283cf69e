package common_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/common"
)

func TestValidate(t *testing.T) {
	tests := []struct {
		name   string
		change func(*common.Settings)
		want   string // the whole error, or empty
	}{
		{"least", func(s *common.Settings) {
			*s = common.Settings{Width: 1, Height: 1, Samples: 1, Bounces: 1, Workers: 1}
		}, ""},
		{"default", func(s *common.Settings) { *s = common.Default() }, ""},
		{"width zero", func(s *common.Settings) { s.Width = 0 }, "width is 0; want 1 to 65535"},
		{"width at its limit", func(s *common.Settings) { s.Width, s.Height = 65535, 1 }, ""},
		{"width above its limit", func(s *common.Settings) { s.Width, s.Height = 65536, 1 }, "width is 65536; want 1 to 65535"},
		{"height at its limit", func(s *common.Settings) { s.Width, s.Height = 1, 65535 }, ""},
		{"height above its limit", func(s *common.Settings) { s.Width, s.Height = 1, 65536 }, "height is 65536; want 1 to 65535"},
		{"samples above their limit", func(s *common.Settings) { s.Samples = 1<<20 + 1 }, "samples is 1048577; want 1 to 1048576"},
		{"bounces above their limit", func(s *common.Settings) { s.Bounces = 1001 }, "bounces is 1001; want 1 to 1000"},
		{"workers above their limit", func(s *common.Settings) { s.Workers = 4097 }, "workers is 4097; want 1 to 4096"},

		{"pixels at their limit", func(s *common.Settings) { s.Width, s.Height = 8192, 8192 }, ""},
		{"pixels above their limit", func(s *common.Settings) { s.Width, s.Height = 8192, 8193 },
			"size is 8192x8193, 67117056 pixels; want at most 67108864"},
		// The product of these does not fit in 31 bits.
		{"both sides at their limits", func(s *common.Settings) { s.Width, s.Height = 65535, 65535 },
			"size is 65535x65535, 4294836225 pixels; want at most 67108864"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := common.Quick()
			tt.change(&s)
			err := s.Validate()
			if tt.want == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, tt.want)
			}
		})
	}
}
