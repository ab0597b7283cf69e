// After one visit the book can be read without a network: what a reader has seen, and the
// pages, whether seen or not. With a network it is always the newest. The first line, which
// the command writes, says what the pages are.
const prefix = "raysteps " + registration.scope + " ",
	name = prefix + version;

addEventListener("install", e => e.waitUntil(keep().then(() => skipWaiting())));

async function keep() {
	const cache = await caches.open(name);
	for (const page of ["./", ...pages]) await cache.add(new Request(page, { cache: "no-cache" }));
}

addEventListener("activate", e => e.waitUntil(forget().then(() => clients.claim())));

// forget leaves other sites of the same server alone.
async function forget() {
	const old = (await caches.keys()).filter(key => key.startsWith(prefix) && key !== name);
	await Promise.all(old.map(key => caches.delete(key)));
}

addEventListener("fetch", e => {
	const mine = e.request.method === "GET" && e.request.url.startsWith(registration.scope);
	if (mine) e.respondWith(answer(e.request));
});

async function answer(request) {
	const cache = await caches.open(name);
	try {
		const fresh = await fetch(request);
		if (fresh.status === 200) await cache.put(request, fresh.clone()).catch(() => {}); // there may be no room
		return fresh;
	} catch {
		const text = "There is no network, and this page was not kept: source is, once it was seen.";
		return (await cache.match(request)) || new Response(text, { status: 503 });
	}
}
