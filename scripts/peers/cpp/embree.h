// The interface of Embree 3 or 4, and a world of spheres in it.
#pragma once

#include <cmath>
#include <xmmintrin.h>
#include <pmmintrin.h>
#if EMBREE == 4
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

#include "peer.h"

const float tMin = 0.001f, tMax = 3.4e38f;

// ignoreDenormals is what Embree asks of each thread that calls it.
inline void ignoreDenormals() {
	_MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
	_MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON);
}

struct Camera {
	float from[3], at[3], up[3], fov, aperture, focus;
};

struct Sphere {
	float center[3], radius;
	uint32_t kind;
	float albedo[3], fuzz, index;
};

// read reads a list behind its length.
template <typename T> std::vector<T> read(FILE* file, const char* name) {
	uint32_t n;
	if (fread(&n, sizeof n, 1, file) != 1) fail("cannot read", name);
	std::vector<T> all(n);
	if (fread(all.data(), sizeof(T), n, file) != n) fail("cannot read", name);
	return all;
}

// File is one of rays, which begins with a camera and the spheres.
struct File {
	FILE* file;
	Camera camera;
	std::vector<Sphere> spheres;

	explicit File(const char* name) : file(fopen(name, "rb")) {
		if (!file || fread(&camera, sizeof camera, 1, file) != 1) fail("cannot read", name);
		spheres = read<Sphere>(file, name);
	}
};

struct World {
	RTCDevice device;
	RTCScene scene;

	// The spheres are points with a radius.
	World(const std::vector<Sphere>& spheres, const char* config) : device(rtcNewDevice(config)) {
		if (!device) fail("no device:", config);
		RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
		rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_HIGH);
		float* point = (float*)rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, 16, spheres.size());
		for (const Sphere& s : spheres) {
			for (float x : s.center) *point++ = x;
			*point++ = std::fabs(s.radius);
		}
		rtcCommitGeometry(geometry);
		scene = rtcNewScene(device);
		rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_HIGH);
		rtcAttachGeometry(scene, geometry);
		rtcCommitScene(scene);
	}

	// printRelease prints that of the library, such as 3.13.5.
	void printRelease(FILE* out) const {
		const int version = int(rtcGetDeviceProperty(device, RTC_DEVICE_PROPERTY_VERSION));
		fprintf(out, "embree: %d.%d.%d\n", version / 10000, version / 100 % 100, version % 100);
	}
};

// Lanes is a packet of rays in the form of Embree; of a single one it is the same.
template <int N> struct Lanes;
template <> struct Lanes<1> { RTCRayHit v; };
template <> struct Lanes<8> { RTCRayHit8 v; };
template <> struct Lanes<16> { RTCRayHit16 v; };

// intersect finds the closest hits. Camera rays are said to be alike, others not.
template <int N> void intersect(const World& world, Lanes<N>& rays, const int* valid, bool camera) {
#if EMBREE == 4
	RTCIntersectArguments how;
	rtcInitIntersectArguments(&how);
	how.flags = camera ? RTC_RAY_QUERY_FLAG_COHERENT : RTC_RAY_QUERY_FLAG_INCOHERENT;
	if constexpr (N == 1) rtcIntersect1(world.scene, &rays.v, &how);
	if constexpr (N == 8) rtcIntersect8(valid, world.scene, &rays.v, &how);
	if constexpr (N == 16) rtcIntersect16(valid, world.scene, &rays.v, &how);
#else
	RTCIntersectContext how;
	rtcInitIntersectContext(&how);
	how.flags = camera ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
	if constexpr (N == 1) rtcIntersect1(world.scene, &how, &rays.v);
	if constexpr (N == 8) rtcIntersect8(valid, world.scene, &how, &rays.v);
	if constexpr (N == 16) rtcIntersect16(valid, world.scene, &how, &rays.v);
#endif
}
