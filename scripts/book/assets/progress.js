"use strict";

// How far a reader has come: marks in the contents and a line at the foot of a page. And the keys
// ← and →, which turn pages.
(async () => {
	const { make, load, store } = book;
	const { root, here } = document.body.dataset;
	const turn = document.querySelector(".turn");

	document.addEventListener("keydown", e => {
		const to = { ArrowLeft: "prev", ArrowRight: "next" }[e.key];
		const plain = !(e.altKey || e.ctrlKey || e.metaKey || e.shiftKey || e.defaultPrevented);
		// Elsewhere the keys scroll, or choose.
		if (to && plain && document.activeElement.matches("body, main, main a, nav a, summary")) {
			turn?.querySelector(`[rel=${to}]`)?.click();
		}
	});

	const links = [...document.querySelectorAll("#contents a")].filter(
		a => !a.getAttribute("href").startsWith("#"),
	);
	const addresses = new Map(links.map(a => [a, a.getAttribute("href").slice(root.length)]));
	const questions = await load("predictions").catch(() => []); // without them nothing is asked

	function state(address) {
		const answers = store.answers(),
			asked = questions.filter(q => q.Address === address);
		return {
			asked: asked.length,
			guessed: asked.filter(q => q.Key in answers).length,
			read: !!store.read("read")[address],
			measured: store.measured().some(r => r.address === address),
		};
	}

	function mark(link, address) {
		const s = state(address),
			all = [];
		if (s.asked && s.guessed === s.asked) all.push(["✎", "guessed"]);
		if (s.read) all.push(["✓", "read"]);
		if (s.measured) all.push(["◷", "measured here"]);
		link.querySelector(".marks")?.remove();
		if (!all.length) return;
		const words = all.map(([, word]) => word).join(", ");
		link.append(
			make(
				"span",
				{ class: "marks", title: words },
				make("span", { "aria-hidden": "true" }, all.map(([sign]) => sign).join(" ")),
				make("span", { class: "unseen" }, ` (${words})`),
			),
		);
	}

	const foot = make("p", { class: "progress" });
	function tell() {
		for (const [link, address] of addresses) mark(link, address);
		const s = state(here);
		foot.textContent =
			(s.asked ? `✎ ${s.guessed} of ${s.asked} guessed · ` : "") +
			(s.read ? "✓ read" : "not yet read") +
			(s.measured ? " · ◷ measured here" : s.asked ? " · not measured here" : "") +
			". The keys ← and → turn pages.";
	}
	const read = () => {
		const veiled = document.querySelector("main .veiled");
		if (!veiled && !store.read("read")[here])
			store.change("read", all => {
				all[here] = true;
			});
	};
	if (turn) {
		turn.before(foot);
		new IntersectionObserver(entries => entries.some(e => e.isIntersecting) && read(), {
			threshold: 0.5,
		}).observe(turn);
	}
	document
		.getElementById("contents")
		.append(make("p", { class: "legend" }, "✎ guessed ✓ read ◷ measured here"));
	store.listen(tell);
	tell();
})();
