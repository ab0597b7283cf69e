package accesslog

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"
)

// Generate makes a log of so many lines, some 170 bytes each, always the same for a seed: about
// twenty requests a second from 500 clients, the busiest of which are much busier, with
// durations of half a millisecond to seconds, and 1 in 20 an error.
func Generate(seed uint64, lines int) []byte {
	random := rand.New(rand.NewPCG(seed, 1))
	clients := rand.NewZipf(random, 1.3, 8, 499)
	now := time.Date(2026, time.November, 28, 18, 0, 0, 0, time.UTC)
	log := make([]byte, 0, 180*lines)
	for range lines {
		now = now.Add(time.Duration(random.ExpFloat64() * float64(time.Second/20)))
		client := clients.Uint64()
		status := pick(random, "200", "200", "200", "200", "200", "200", "200", "304", "304", "404")
		if random.IntN(20) == 0 {
			status = pick(random, "500", "502", "503", "400", "429")
		}
		method, path := request(random)
		seconds := min(math.Exp(random.NormFloat64()*1.2-4), 30)
		log = fmt.Appendf(log, "10.%d.%d.%d - - [%s] \"%s %s HTTP/1.1\" %s %d \"%s\" \"%s\" %.6f\n",
			client%4, client/4%250, 1+client/250, now.Format(TimeLayout), method, path, status,
			int(math.Exp(random.NormFloat64()+8)), referer(random),
			agents[client%uint64(len(agents))], seconds)
	}
	return log
}

// Lines splits a log.
func Lines(log []byte) []string {
	return strings.Split(strings.TrimSuffix(string(log), "\n"), "\n")
}

// Entries reads a log that Generate made.
func Entries(log []byte) []Entry {
	var all []Entry
	for _, line := range Lines(log) {
		e, err := Parse(line)
		if err != nil {
			panic(err) // a fault of this package
		}
		all = append(all, *e)
	}
	return all
}

func pick(random *rand.Rand, from ...string) string { return from[random.IntN(len(from))] }

func request(random *rand.Rand) (method, path string) {
	switch n := random.IntN(100); {
	case n < 30:
		return pick(random, "GET", "GET", "GET", "POST"), fmt.Sprintf("/api/orders/%d", random.IntN(3000))
	case n < 40:
		return pick(random, "GET", "PUT"), fmt.Sprintf("/api/carts/%d", random.IntN(1000))
	case n < 55:
		return "GET", fmt.Sprintf("/api/users/%d?fields=name,mail", random.IntN(500))
	case n < 70:
		return "GET", "/api/search?q=" + pick(random, "shoes", "red+shoes", "rain+coat", "caf%C3%A9", "tent")
	case n < 90:
		return "GET", "/static/" + pick(random, "app.js", "app.css", "logo.svg", "font.woff2")
	case n < 95:
		return "GET", "/health"
	}
	return "GET", pick(random, "/", "/about", "/jobs", "/contact")
}

func referer(random *rand.Rand) string {
	return pick(random, "-", "-", "https://shop.example/", "https://shop.example/search?q=shoes")
}

var agents = []string{
	"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36",
	"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148",
	"curl/8.5.0", "Go-http-client/2.0", "shop-app/3.14 (Android 16)",
}
