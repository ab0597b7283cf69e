package step10

// Plain reports whether a text stands in JSON as it is: printable ASCII without quotes and
// backslashes.
func Plain(text []byte) bool {
	for _, c := range text {
		if c < ' ' || c >= 0x80 || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
