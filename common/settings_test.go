package common_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/common"
)

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		settings common.Settings
		want     string // the whole error, or empty
	}{
		{common.Settings{Width: 1, Height: 1, Samples: 1, Bounces: 1, Workers: 1}, ""},
		{common.Default(), ""},
		{common.Settings{Width: 65535, Height: 1, Samples: 1 << 20, Bounces: 1000, Workers: 4096}, ""},
		{common.Settings{Width: 1, Height: 65535, Samples: 1, Bounces: 1, Workers: 1}, ""},
		{common.Settings{Width: 8192, Height: 8192, Samples: 1, Bounces: 1, Workers: 1}, ""},
		{common.Settings{Width: 0, Height: 1, Samples: 1, Bounces: 1, Workers: 1}, "width is 0; want 1 to 65535"},
		{common.Settings{Width: 65536, Height: 1, Samples: 1, Bounces: 1, Workers: 1}, "width is 65536; want 1 to 65535"},
		{common.Settings{Width: 1, Height: 65536, Samples: 1, Bounces: 1, Workers: 1}, "height is 65536; want 1 to 65535"},
		{common.Settings{Width: 1, Height: 1, Samples: 1<<20 + 1, Bounces: 1, Workers: 1}, "samples is 1048577; want 1 to 1048576"},
		{common.Settings{Width: 1, Height: 1, Samples: 1, Bounces: 1001, Workers: 1}, "bounces is 1001; want 1 to 1000"},
		{common.Settings{Width: 1, Height: 1, Samples: 1, Bounces: 1, Workers: 4097}, "workers is 4097; want 1 to 4096"},
		{common.Settings{Width: 8192, Height: 8193, Samples: 1, Bounces: 1, Workers: 1}, "size is 8192x8193, 67117056 pixels; want at most 67108864"},
		// The product of these does not fit in 31 bits.
		{common.Settings{Width: 65535, Height: 65535, Samples: 1, Bounces: 1, Workers: 1}, "size is 65535x65535, 4294836225 pixels; want at most 67108864"},
	} {
		if err := tt.settings.Validate(); tt.want == "" {
			assert.NoError(t, err)
		} else {
			assert.EqualError(t, err, tt.want)
		}
	}
}
