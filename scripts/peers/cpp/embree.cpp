// A path tracer over Embree that draws the numbers, follows the paths and divides the
// picture as beyond/tree does, on all threads; the search is rtcIntersect1. Its picture
// is converted to 8 bits inside the clock. Usage: embree WIDTH HEIGHT SAMPLES FILE SCENE,
// where the file is one of rays, which begins with the scene.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "embree.h"

struct Vec {
	float x, y, z;
};

static Vec vec(const float* a) { return {a[0], a[1], a[2]}; }

static Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
static Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
static Vec operator*(Vec a, Vec b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
static Vec operator*(float s, Vec a) { return {s * a.x, s * a.y, s * a.z}; }
static float dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static Vec cross(Vec a, Vec b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
static Vec unit(Vec a) { return 1 / std::sqrt(dot(a, a)) * a; }
static Vec reflect(Vec a, Vec n) { return a - 2 * dot(a, n) * n; }

static uint32_t xorshift(uint32_t x) {
	x ^= x << 13;
	x ^= x >> 17;
	return x ^ x << 15;
}

static uint64_t mix(uint64_t n) {
	uint64_t z = (n + 1) * 0x9E3779B97F4A7C15;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
	z = (z ^ z >> 27) * 0x94D049BB133111EB;
	return z ^ z >> 31;
}

static float symmetric(uint32_t x) { return float(x & 0xFFFFFF) / (1 << 23) - 1; }

// Random has the generators of a tile: one of numbers, and three of the coordinates of
// points, which are drawn 64 at a time.
class Random {
	static const int ahead = 64;
	uint32_t s, state[3];
	Vec points[ahead];
	int next = ahead;
	uint64_t inside = 0; // a bit for each point that is in the ball and not taken

	void draw() {
		next = 0;
		inside = 0;
		for (int i = 0; i < ahead; i++) {
			for (uint32_t& x : state) x = xorshift(x);
			points[i] = {symmetric(state[0]), symmetric(state[1]), symmetric(state[2])};
			inside |= uint64_t(dot(points[i], points[i]) < 1) << i;
		}
	}

public:
	explicit Random(uint64_t tile) {
		const uint64_t a = mix(2 * tile), b = mix(2 * tile + 1);
		s = std::max(1u, uint32_t(a));
		state[0] = std::max(1u, uint32_t(a >> 32));
		state[1] = std::max(1u, uint32_t(b));
		state[2] = std::max(1u, uint32_t(b >> 32));
	}

	float number() {
		s = xorshift(s);
		return float(s & 0xFFFFFF) / (1 << 24);
	}

	// pair returns two numbers from 0 to 1 in x and y.
	Vec pair() {
		if (next == ahead) draw();
		inside &= ~(1ull << next);
		const Vec p = points[next++];
		return {(p.x + 1) / 2, (p.y + 1) / 2, 0};
	}

	Vec inBall() {
		while (inside == 0) draw();
		const int i = __builtin_ctzll(inside);
		inside &= inside - 1;
		next = i + 1;
		return points[i];
	}

	Vec inDisk() {
		for (;;) {
			Vec p{0, 0, 0};
			s = xorshift(s);
			p.x = symmetric(s);
			s = xorshift(s);
			p.y = symmetric(s);
			if (dot(p, p) < 1) return p;
		}
	}
};

enum Kind { lambertian, metal, dielectric };

// scatter gives the direction in which a ray goes on, or nothing is left of it.
static bool scatter(const Sphere& s, Vec d, Vec n, Random& random, Vec& out) {
	if (s.kind == lambertian) {
		out = unit(n + random.inBall());
		return true;
	}
	if (s.kind == metal) {
		out = unit(reflect(d, n) + std::min(s.fuzz, 1.0f) * random.inBall());
		return dot(out, n) > 0;
	}
	const float dn = dot(d, n);
	const bool leaves = dn > 0;
	const Vec outward = leaves ? -1 * n : n;
	const float ratio = leaves ? s.index : 1 / s.index, cosine = leaves ? s.index * dn : -dn;
	const float dt = dot(d, outward), discriminant = 1 - ratio * ratio * (1 - dt * dt), draw = random.number();
	const float root = (1 - s.index) / (1 + s.index), r0 = root * root, y = 1 - cosine, y2 = y * y;
	if (discriminant > 0 && !(draw < r0 + (1 - r0) * (y2 * y2 * y)))
		out = unit(ratio * (d - dt * outward) - std::sqrt(discriminant) * outward);
	else
		out = unit(reflect(d, n));
	return true;
}

struct Tracer {
	const World& world;
	const std::vector<Sphere>& spheres;
	long rays = 0;

	Vec color(Vec o, Vec d, Random& random) {
		Vec left{1, 1, 1}; // the share of light that comes through
		for (int depth = 0;; depth++) {
			rays++;
			Lanes<1> lanes;
			RTCRay& ray = lanes.v.ray;
			ray.org_x = o.x; ray.org_y = o.y; ray.org_z = o.z;
			ray.dir_x = d.x; ray.dir_y = d.y; ray.dir_z = d.z;
			ray.tnear = tMin; ray.tfar = tMax; ray.time = 0; ray.mask = -1; ray.flags = 0;
			lanes.v.hit.geomID = lanes.v.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
			intersect<1>(world, lanes, nullptr, depth == 0);
			if (lanes.v.hit.geomID == RTC_INVALID_GEOMETRY_ID) {
				const float t = 0.5f * (d.y + 1);
				return left * ((1 - t) * Vec{1, 1, 1} + t * Vec{0.5f, 0.7f, 1});
			}
			const Sphere& s = spheres[lanes.v.hit.primID];
			o = o + ray.tfar * d;
			if (depth >= 50 || !scatter(s, d, 1 / s.radius * (o - vec(s.center)), random, d)) return {0, 0, 0};
			if (s.kind != dielectric) left = left * vec(s.albedo);
		}
	}
};

int main(int argc, char** argv) {
	if (argc != 6) fail("usage:", "embree WIDTH HEIGHT SAMPLES FILE SCENE");
	const int width = atoi(argv[1]), height = atoi(argv[2]), samples = atoi(argv[3]), side = 32;
	const File file(argv[4]);
	const std::vector<Sphere>& spheres = file.spheres;
	const Camera& c = file.camera;
	const Vec from = vec(c.from), at = vec(c.at), up = vec(c.up);
	const float aperture = c.aperture, focus = c.focus;
	const World world(spheres, nullptr);
	world.printRelease(stdout);

	const float half = std::tan(c.fov * float(M_PI) / 360), wide = half * width / height;
	const Vec w = unit(from - at), u = unit(cross(up, w)), v = cross(w, u);
	const Vec corner = from - focus * (wide * u + half * v + w), across = 2 * wide * focus * u, upward = 2 * half * focus * v;
	const int columns = (width + side - 1) / side, tiles = columns * ((height + side - 1) / side);
	std::vector<uint8_t> film(size_t(3) * width * height, 1);
	std::atomic<int> taken{0};
	std::atomic<long> rays{0};
	auto work = [&] {
		ignoreDenormals();
		Tracer tracer{world, spheres};
		for (int tile; (tile = taken++) < tiles;) {
			Random random(tile);
			const int left = tile % columns * side, low = tile / columns * side;
			for (int y = std::min(height, low + side) - 1; y >= low; y--)
				for (int x = left; x < std::min(width, left + side); x++) {
					Vec sum{0, 0, 0};
					for (int i = 0; i < samples; i++) {
						const Vec pair = random.pair(), lens = aperture / 2 * random.inDisk(), offset = lens.x * u + lens.y * v;
						const Vec to = corner + (x + pair.x) / width * across + (y + pair.y) / height * upward;
						sum = sum + tracer.color(from + offset, unit(to - from - offset), random);
					}
					uint8_t* pixel = &film[(size_t(y) * width + x) * 3];
					for (float x : {sum.x, sum.y, sum.z}) *pixel++ = uint8_t(std::min(255.0f, std::sqrt(x / samples) * 255.99f));
				}
		}
		rays += tracer.rays;
	};
	Clock clock;
	std::vector<std::thread> others;
	for (unsigned i = 1; i < std::thread::hardware_concurrency(); i++) others.emplace_back(work);
	work();
	for (std::thread& t : others) t.join();
	const double seconds = clock.seconds();
	reportPicture(stdout, argv[5], double(rays), seconds, film);
}
