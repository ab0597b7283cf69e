// Finds by Embree what the rays of a file hit first, which scripts/peers describes: one
// by one, and in packets of eight and sixteen, in the order of the file and sorted by
// depth. What it finds is compared with what the file says. Usage: rays FILE SCENE
#include <algorithm>
#include <string>

#include "embree.h"

struct Ray {
	float origin[3], direction[3];
	uint32_t depth; // scatterings before it
	int32_t sphere; // that it hits first, by our tree, or -1
	float distance;
};

struct Hit {
	int32_t sphere;
	float distance;
};

template <int N> void search(const World& world, const std::vector<Ray>& rays, std::vector<Hit>& hits) {
	for (size_t i = 0; i < rays.size(); i += N) {
		alignas(64) Lanes<N> lanes;
		alignas(64) int valid[N];
		auto& ray = lanes.v.ray;
		auto& hit = lanes.v.hit;
		if constexpr (N == 1) {
			const Ray& r = rays[i];
			ray.org_x = r.origin[0]; ray.org_y = r.origin[1]; ray.org_z = r.origin[2];
			ray.dir_x = r.direction[0]; ray.dir_y = r.direction[1]; ray.dir_z = r.direction[2];
			ray.tnear = tMin; ray.tfar = tMax; ray.time = 0; ray.mask = -1; ray.flags = 0;
			hit.geomID = hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
		} else {
			for (int j = 0; j < N; j++) {
				valid[j] = i + j < rays.size() ? -1 : 0;
				const Ray& r = rays[std::min(i + j, rays.size() - 1)];
				ray.org_x[j] = r.origin[0]; ray.org_y[j] = r.origin[1]; ray.org_z[j] = r.origin[2];
				ray.dir_x[j] = r.direction[0]; ray.dir_y[j] = r.direction[1]; ray.dir_z[j] = r.direction[2];
				ray.tnear[j] = tMin; ray.tfar[j] = tMax; ray.time[j] = 0; ray.mask[j] = -1; ray.flags[j] = 0;
				hit.geomID[j] = hit.instID[0][j] = RTC_INVALID_GEOMETRY_ID;
			}
		}
		intersect<N>(world, lanes, valid, rays[i].depth == 0);
		if constexpr (N == 1) {
			hits[i] = {hit.geomID == RTC_INVALID_GEOMETRY_ID ? -1 : int32_t(hit.primID), ray.tfar};
		} else {
			for (int j = 0; j < N && i + j < rays.size(); j++)
				hits[i + j] = {hit.geomID[j] == RTC_INVALID_GEOMETRY_ID ? -1 : int32_t(hit.primID[j]), ray.tfar[j]};
		}
	}
}

// others counts rays that hit another sphere at another distance.
static int others(const std::vector<Ray>& rays, const std::vector<Hit>& hits) {
	int n = 0;
	for (size_t i = 0; i < rays.size(); i++)
		n += hits[i].sphere != rays[i].sphere && !(std::fabs(hits[i].distance - rays[i].distance) <= 1e-3f * rays[i].distance);
	return n;
}

template <int N> void measure(const World& world, const std::vector<Ray>& rays, RTCDeviceProperty native, const std::string& name) {
	std::vector<Hit> hits(rays.size());
	search<N>(world, rays, hits);
	double least = 1e300;
	const int passes = 3;
	for (int k = 0; k < passes; k++) {
		Clock clock;
		search<N>(world, rays, hits);
		least = std::min(least, clock.seconds());
	}
	printf("pkg: peer/rtcIntersect%d/embree\nkernel: %s\n\n", N, N == 1 || rtcGetDeviceProperty(world.device, native) ? "native" : "ray by ray");
	printf("BenchmarkRays/%s %d %.3f ns/ray %.0f rays/s %d others/op\n\n", name.c_str(), passes, least * 1e9 / rays.size(), rays.size() / least, others(rays, hits));
}

int main(int argc, char** argv) {
	if (argc != 3) fail("usage:", "rays FILE SCENE");
	const File file(argv[1]);
	auto rays = read<Ray>(file.file, argv[1]);
	ignoreDenormals();
	const World world(file.spheres, "threads=1");
	world.printRelease(stdout);
	for (std::string order : {"traced", "sorted"}) {
		if (order == "sorted")
			std::stable_sort(rays.begin(), rays.end(), [](const Ray& a, const Ray& b) { return a.depth < b.depth; });
		const std::string name = std::string("scene=") + argv[2] + "/spheres=" + std::to_string(file.spheres.size()) + "/order=" + order;
		measure<1>(world, rays, RTC_DEVICE_PROPERTY_VERSION, name);
		measure<8>(world, rays, RTC_DEVICE_PROPERTY_NATIVE_RAY8_SUPPORTED, name);
		measure<16>(world, rays, RTC_DEVICE_PROPERTY_NATIVE_RAY16_SUPPORTED, name);
	}
}
