package toolchain

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const printed = `# raysteps/beyond/a
raysteps/beyond/a.f STEXT size=10 args=0x8 locals=0x0
	0x0000 00000 (a/a.go:3)	TEXT	raysteps/beyond/a.f(SB), ABIInternal, $0-8
	0x0000 00000 (a/a.go:3)	FUNCDATA	$0, gclocals·x(SB)
	0x0000 00000 (a/a.go:4)	ADDQ	$1, AX
	0x0004 00004 (a/a.go:5)	RET
	0x0000 48 83 c0 01 c3
raysteps/beyond/a.(*T).g STEXT nosplit size=10
	0x0000 00000 (a/a.go:7)	TEXT	raysteps/beyond/a.(*T).g(SB), NOSPLIT
	0x0000 00000 (a/a.go:8)	XCHGL	AX, AX
	0x0001 00001 (a/a.go:9)	JEQ	17
	0x0003 00003 (a/a.go:9)	PCDATA	$1, $0
	0x0003 00003 (a/a.go:10)	VSUBPS	Z0, Z7, Z7
`

func TestParseEmitted(t *testing.T) {
	code, err := parseEmitted(printed, "beyond/a", "f")
	require.NoError(t, err)
	assert.Equal(t, []string{"ADDQ\t$1, AX", "RET"}, code)
	code, err = parseEmitted(printed, "beyond/a", "(*T).g")
	require.NoError(t, err)
	assert.Equal(t, []string{"XCHGL\tAX, AX", "JEQ\t17", "VSUBPS\tZ0, Z7, Z7"}, code)
	_, err = parseEmitted(printed, "beyond/a", "g")
	assert.EqualError(t, err, "package beyond/a: the compiler prints no function g; want one such as (*World).Hit")
}
