package firstbench

// Shard is the part of a table that has a client, of 1,024. It is short enough to be inlined.
func Shard(client uint64) uint64 {
	client ^= client >> 33
	client *= 0xff51afd7ed558ccd
	client ^= client >> 33
	return client % 1024
}

// CountSlow counts the durations above a limit, with a jump for each.
func CountSlow(durations []int, limit int, slow func()) (n int) {
	for _, d := range durations {
		if d > limit {
			slow()
			n++
		}
	}
	return n
}
