package results

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"golang.org/x/perf/benchfmt"
)

func TestFileName(t *testing.T) {
	for want, cpu := range map[string][2]string{
		"amd-epyc-zen-5":            {"AMD EPYC", "Zen 5"},
		"intel-xeon-granite-rapids": {"Intel(R) Xeon(R) Processor", "Granite Rapids"},
		"apple-m2":                  {"Apple M2", ""},
		"machine":                   {},
	} {
		r := &benchfmt.Result{}
		SetConfig(r, "cpu", cpu[0])
		SetConfig(r, "cpu-generation", cpu[1])
		assert.Equal(t, want, fileName(r))
	}
}
