// Renders a scene by a step of the article's program, whose file is STEP, and takes the
// time by our clock: of the picture, with what it does inside, its conversion to 8 bits.
// The memory of the picture is written before. Usage: article SCENE
#include <cstring>

#include <unistd.h>

#include "peer.h"

// Their common header is included once, so this number of samples holds for all steps.
#include COMMON
#undef NUM_SAMPLES_PER_PIXEL
#define NUM_SAMPLES_PER_PIXEL SAMPLES

#define main article_main
#include STEP
#undef main

int main(int argc, char** argv) {
	if (argc != 2) fail("usage:", "article SCENE");
	FILE* out = fdopen(dup(1), "w");
	if (!out || !freopen("/dev/null", "w", stdout)) fail("cannot write", "the output");
	const char* name = argv[1];
	auto scene = !strcmp(name, "small") ? create_small_scene() : !strcmp(name, "medium") ? create_medium_scene() : !strcmp(name, "large") ? create_large_scene() : nullptr;
	if (!scene) fail("no such scene:", name);
	std::vector<Pix> film(SCREEN_W * SCREEN_H);
	memset((void*)film.data(), 1, film.size() * sizeof(Pix));
	Clock clock;
	const RESULT result = benchmark(scene, film.data(), false, name);
	const double seconds = clock.seconds();
	std::vector<uint8_t> picture;
	for (const Pix& p : film) picture.insert(picture.end(), {p.r, p.g, p.b});
	reportPicture(out, name, double(result.num_rays), seconds, picture);
	fclose(out);
}
