package common_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/common"
)

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		width, height, samples, bounces, workers int
		want                                     string // the whole error, or empty
	}{
		{1, 1, 1, 1, 1, ""},
		{8192, 8192, 1, 1, 1, ""},
		{65535, 1, 1 << 20, 1000, 4096, ""},
		{0, 1, 1, 1, 1, "width is 0; want 1 to 65535"},
		{1, 65536, 1, 1, 1, "height is 65536; want 1 to 65535"},
		{1, 1, 1<<20 + 1, 1, 1, "samples is 1048577; want 1 to 1048576"},
		{1, 1, 1, 1001, 1, "bounces is 1001; want 1 to 1000"},
		{1, 1, 1, 1, 4097, "workers is 4097; want 1 to 4096"},
		{8192, 8193, 1, 1, 1, "size is 8192x8193, 67117056 pixels; want at most 67108864"},
		// The product of these does not fit in 31 bits.
		{65535, 65535, 1, 1, 1, "size is 65535x65535, 4294836225 pixels; want at most 67108864"},
	} {
		s := common.Settings{
			Width: tt.width, Height: tt.height, Samples: tt.samples, Bounces: tt.bounces, Workers: tt.workers,
		}
		if err := s.Validate(); err != nil || tt.want != "" {
			assert.EqualError(t, err, tt.want)
		}
	}
}
