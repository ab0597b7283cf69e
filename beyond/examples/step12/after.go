package step12

import "bytes"

// CountLinesWide counts newlines, 32 bytes at a time where the processor has AVX2.
func CountLinesWide(log []byte) int { return bytes.Count(log, []byte{'\n'}) }
