"use strict";

// Predictions: a chapter asks how many times as fast its step is before it shows the
// table of the two steps, and a page sums up. They are kept in localStorage, by the
// step: {predicted, over}, where 0 stands for a table that was shown without one.
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

	// name is a step's, by the way in which directives write it.
	const name = step => /^\d+$/.test(step) ? "step" + step.padStart(2, "0") : step;
	const title = step => step.replace(/^step0?/, "step ");

	function ask() {
		const page = location.pathname.match(/(\w+)\.html$/)?.[1];
		const main = document.getElementById("main"), comments = document.createTreeWalker(main, NodeFilter.SHOW_COMMENT);
		for (let c = comments.nextNode(); c; c = comments.nextNode()) {
			const steps = c.data.match(/^ raysteps:table (?:.* )?steps=(\w+),(\w+) .*over/);
			if (!steps || name(steps[2]) !== page) continue;
			const table = c.nextElementSibling;
			const row = [...table?.querySelectorAll("tbody tr") ?? []].find(r => r.cells[0].textContent.trim() === "large");
			if (!row) return;
			// What gives it away: the table with its caption, and what is of the time at
			// the head of the chapter.
			const hidden = [table];
			if (table.nextElementSibling?.firstElementChild?.tagName === "EM") hidden.push(table.nextElementSibling);
			const rows = main.querySelector("h1 ~ .table").querySelectorAll("tbody tr");
			hidden.push(...[...rows].filter(r => /^(time|instructions a cycle|share)/.test(r.cells[0].textContent.trim())));
			form(page, name(steps[1]), row.cells[row.cells.length - 1].textContent.trim(), table, hidden);
			return;
		}
	}

	function form(step, over, measured, table, hidden) {
		const input = make("input", { type: "number", min: 0.1, max: 100, step: "any", required: true, placeholder: "1.0" });
		const box = make("form", { class: "predict" });
		const show = () => {
			const answered = step in kept;
			for (const e of hidden) e.classList.toggle("veiled", !answered);
			if (!answered) {
				box.replaceChildren(make("label", {}, `Your prediction for the large scene: ${title(step)} is `, input, ` times as fast as ${title(over)}. `),
					make("button", {}, "Keep it and show"), make("button", { type: "button", onclick: () => answer(0) }, "Only show"));
				return;
			}
			const summary = make("a", { href: root + "predictions.html" }, "all predictions");
			const { predicted } = kept[step];
			if (predicted) box.replaceChildren(`You predicted ${predicted} times, and it is ${measured}: ${miss(predicted, measured)} (`, summary, ").");
			else box.replaceChildren();
		};
		const answer = value => {
			kept[step] = { predicted: value, over };
			keep();
			show();
		};
		box.onsubmit = e => {
			e.preventDefault();
			answer(+input.value);
		};
		table.before(box);
		show();
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
