// What the programs beside ours have in common: the clock, the scenes, and how they
// print what they measured, in the Go benchmark format.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

class Clock {
	std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();

public:
	double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }
};

inline void fail(const char* what, const char* name) {
	fprintf(stderr, "%s %s\n", what, name);
	exit(1);
}

// reportPicture prints what a picture took, with a hash of its bytes (FNV-1a): red,
// green and blue of each pixel, from the lowest row up.
inline void reportPicture(FILE* out, const char* scene, double rays, double seconds, const std::vector<uint8_t>& picture) {
	uint64_t hash = 14695981039346656037u;
	for (uint8_t byte : picture) hash = (hash ^ byte) * 1099511628211u;
	fprintf(out, "picture: %016llx\n\nBenchmarkPicture/scene=%s 1 %.0f ns/op %.0f rays/op %.0f rays/s\n", (unsigned long long)hash, scene, seconds * 1e9, rays, rays / seconds);
}
