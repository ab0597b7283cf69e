// Renders a frame of Toy Path Tracer without a window, and takes its time by our clock.
// It leaves colors as numbers, so nothing is converted. Usage: toy SCENE, which is a name
// for what it prints: the scene is its own.
#include "Config.h"
#include "Test.h"
#include "peer.h"

int main(int argc, char** argv) {
	if (argc != 2) fail("usage:", "toy SCENE");
	std::vector<float> film(size_t(kBackbufferWidth) * kBackbufferHeight * 4, 1.0f);
	int rays = 0;
	InitializeTest();
	UpdateTest(0, 0, kBackbufferWidth, kBackbufferHeight, 0);
	Clock clock;
	DrawTest(0, 0, kBackbufferWidth, kBackbufferHeight, film.data(), rays, 0);
	const double seconds = clock.seconds();
	ShutdownTest();
	reportPicture(stdout, argv[1], rays, seconds, {});
}
