"use strict";

// Predictions: a chapter asks how many times as fast its step is before it says so, and
// a page sums up. They are kept in localStorage, by the
// step: {predicted, over}, where 0 stands for a chapter that was read without one.
(() => {
	const { make, load } = book;
	const root = document.body.dataset.root;
	let kept = {};
	try {
		kept = JSON.parse(localStorage.getItem("predictions")) || {};
	} catch { /* a browser may refuse, and then they last as long as the page */ }
	const keep = () => { try { localStorage.setItem("predictions", JSON.stringify(kept)); } catch { } };

	// center is that of a ratio such as "1.20 (1.19 to 1.21)" or "~ (0.98 to 1.03)".
	const center = text => {
		const [first, lo, hi] = text.replace("~", "").match(/[\d.]+/g).map(Number);
		return text.startsWith("~") ? Math.sqrt(first * lo) : first;
	};
	const percent = v => (v < 0 ? "−" : "+") + Math.abs(v).toFixed(0) + " %";
	const miss = (predicted, text) => percent(100 * (predicted / center(text) - 1));

	const title = step => step.replace(/^step0?/, "step ");

	// A chapter is veiled from what follows its predictions on, until the reader has made one or
	// wants none. A link into what is veiled shows it. On paper all is there.
	function ask() {
		const { step, before } = document.body.dataset;
		const main = document.getElementById("main");
		const first = main.querySelector("#predict ~ h2");
		if (!before || !first) return;
		const hidden = [];
		for (let e = first; e && !e.matches(".turn"); e = e.nextElementSibling) hidden.push(e);
		const box = make("form", { class: "predict" });
		const input = make("input", { type: "number", min: 0.1, max: 100, step: "any", required: true, placeholder: "1.0" });
		let open = false;
		const show = async () => {
			const answered = step in kept;
			for (const e of hidden) e.classList.toggle("veiled", !answered && !open);
			if (!answered) {
				if (open) box.replaceChildren();
				else box.replaceChildren(make("label", {}, `Your prediction for the large scene: ${title(step)} is `, input, ` times as fast as ${title(before)}. `),
					make("button", {}, "Keep it and read on"), make("button", { type: "button", onclick: () => answer(0) }, "Read on without"));
				return;
			}
			box.replaceChildren();
			const { predicted } = kept[step], summary = make("a", { href: root + "predictions.html" }, "all predictions");
			if (!predicted) return;
			const measured = (await load("race")).Scenes.large.Ratios[`${before},${step}`];
			box.replaceChildren(`You predicted ${predicted} times, and it is ${measured ? `${measured}: ${miss(predicted, measured)}` : "not measured"} (`, summary, ").");
		};
		const answer = value => {
			kept[step] = { predicted: value, over: before };
			keep();
			show();
		};
		box.onsubmit = e => {
			e.preventDefault();
			answer(+input.value);
		};
		const follow = () => {
			const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
			if (!target?.closest(".veiled")) return;
			open = true;
			show();
			target.scrollIntoView();
		};
		first.before(box);
		show();
		window.addEventListener("hashchange", follow);
		follow();
	}

	async function sum(place) {
		const { Steps, Scenes, Credit } = await load("race");
		const cell = (text, tag = "td") => make(tag, { align: "right" }, text);
		const ratio = s => Scenes.large.Ratios[(kept[s.Name]?.over || s.Before) + "," + s.Name];
		const rows = Steps.filter(s => s.Before).map(s => {
			const measured = ratio(s), predicted = kept[s.Name]?.predicted;
			return make("tr", {}, make("td", {}, make("a", { href: `${root}docs/${s.Name}.html` }, `${s.Title}: ${s.Label}`)),
				cell(predicted || ""), cell(s.Name in kept ? measured || "not measured" : ""), cell(measured && predicted ? miss(predicted, measured) : ""));
		});
		const far = Steps.filter(s => kept[s.Name]?.predicted && ratio(s)).map(s => Math.abs(Math.log(kept[s.Name].predicted / center(ratio(s)))));
		const mean = far.reduce((a, b) => a + b, 0) / far.length;
		place.replaceChildren(
			make("p", {}, far.length ? `${far.length} of ${rows.length} predicted; on average they are off by ${percent(100 * (Math.exp(mean) - 1)).slice(1)}.` : "None yet."),
			make("div", { class: "table" }, make("table", {},
				make("thead", {}, make("tr", {}, make("th", {}, "step"), ...["predicted, times the one before", "measured", "off by"].map(t => cell(t, "th")))),
				make("tbody", {}, ...rows))),
			make("p", { class: "note" }, Credit), make("button", { onclick: () => { kept = {}; keep(); sum(place); } }, "Forget all"));
	}

	const place = document.getElementById("predictions");
	if (place) sum(place).catch(e => place.replaceChildren(make("p", { class: "error" }, e.message)));
	else ask();
})();
