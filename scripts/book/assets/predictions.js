"use strict";

// Predictions: a chapter asks for numbers before it shows them. What follows its
// questions is veiled until each has an answer, or until the reader wants to see it all.
// Answers are kept in localStorage, by their keys, and nothing else is.
(() => {
	const { make, load } = book;
	const root = document.body.dataset.root, here = location.pathname.split("/").at(-1);
	const read = (name, refused = {}) => { try { return JSON.parse(localStorage.getItem(name)) || {}; } catch { return refused; } }; // a browser may refuse
	const write = (name, value) => { try { localStorage.setItem(name, JSON.stringify(value)); } catch { } };
	let kept = read("answers"), shown = read("shown");
	// Another tab may have kept some since this page was loaded.
	const keep = (key, value) => { kept = { ...read("answers", kept), [key]: value }; write("answers", kept); };
	const showAll = () => { shown = { ...read("shown", shown), [here]: true }; write("shown", shown); };

	const number = text => parseFloat(String(text).replace(/,/g, ""));
	const percent = v => (v < 0 ? "−" : "+") + Math.abs(v).toFixed(0) + " %";

	function ask() {
		const lists = [...document.querySelectorAll("#main > ul.predict")];
		if (!lists.length) return;
		const links = [...document.querySelectorAll("#contents a[href^='#']")];
		const note = make("p", { class: "veil" }, "What follows gives it away. It is veiled until each question has a number. ", make("button", { type: "button", onclick: () => { showAll(); show(); } }, "Show it all"));
		for (const list of lists) {
			const key = list.dataset.key, unit = (/[^\d.,]*$/.exec(list.querySelector("details b")?.textContent || "") || [""])[0];
			const input = make("input", { type: "number", step: "any", min: 0, required: true, "aria-label": list.querySelector("li").firstChild.textContent });
			const said = make("span", { role: "status" });
			const form = make("form", {}, make("label", {}, "Yours: ", input, unit), " ", make("button", {}, "Keep"), " ", said);
			const tell = () => { said.textContent = key in kept ? "Kept." : ""; };
			if (key in kept) input.value = kept[key];
			form.onsubmit = e => {
				e.preventDefault();
				keep(key, +input.value);
				tell();
				show();
			};
			tell();
			list.querySelector("li").append(form);
		}
		// show veils what stands behind the section of the first question without an answer.
		function show() {
			const open = shown[here] ? null : lists.find(l => !(l.dataset.key in kept));
			let section = false, veiled = false; // the section of that question, and what follows it
			note.remove();
			for (const e of [...document.getElementById("main").children]) {
				if (e.matches(".turn")) break;
				section ||= e === open;
				if (section && !veiled && e.tagName === "H2") {
					veiled = true;
					e.before(note);
				}
				e.classList.toggle("veiled", veiled);
				const link = e.id && links.find(a => a.getAttribute("href") === "#" + e.id);
				if (link) link.parentElement.classList.toggle("veiled", veiled);
			}
		}
		// A link into what is veiled shows it.
		const follow = () => {
			const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
			if (!target?.closest(".veiled")) return;
			shown[here] = true;
			show();
			target.scrollIntoView();
		};
		show();
		window.addEventListener("hashchange", follow);
		follow();
	}

	// beside adds the reader's own to a table that has ours.
	async function beside() {
		const table = [...document.querySelectorAll("#main table")].find(t => [...t.querySelectorAll("th")].map(th => th.textContent).join().includes("question,ours"));
		if (!table || !Object.keys(kept).length) return;
		const all = await load("predictions"), cell = (text, tag = "td") => make(tag, { align: "right", class: "mine" }, text);
		const at = [...table.querySelectorAll("th")].findIndex(th => th.textContent === "ours");
		table.querySelector("thead tr").children[at].before(cell("yours", "th"));
		for (const row of table.querySelectorAll("tbody tr")) {
			const p = all.find(p => p.Question === row.children[at - 1].textContent && row.querySelector("a")?.getAttribute("href").endsWith(p.Address));
			row.children[at].before(cell(p && p.Key in kept ? kept[p.Key] : ""));
		}
	}

	async function sum(place) {
		const all = await load("predictions"), measured = read("measured"), tabs = book.tab;
		const cell = (text, tag = "td", mine) => make(tag, { align: "right", class: mine && "mine" }, text);
		const told = p => p.Key in kept && p.Measured; // what is not predicted yet stays veiled
		const missed = p => kept[p.Key] > 0 ? percent(100 * (number(p.Measured) / kept[p.Key] - 1)) : "";
		const far = all.filter(p => told(p) && kept[p.Key] > 0).map(p => Math.abs(Math.log(number(p.Measured) / kept[p.Key])));
		const mean = far.reduce((a, b) => a + b, 0) / far.length;
		const summary = far.length ? `${far.length} of ${all.length} predicted; on average they are off by ${percent(100 * (Math.exp(mean) - 1)).slice(1)}.` : `None of ${all.length} yet.`;
		const rows = Object.values(measured).flatMap(scenes => Object.values(scenes));
		const machine = make("input", { type: "text", value: read("machine").name || tabs.machine() });
		const text = make("textarea", { readonly: true, rows: 12, "aria-label": "all of it as text" }), copied = make("span", { role: "status" });
		const tell = () => {
			text.value = [`raysteps, ${machine.value}`, summary,
				...all.filter(told).map(p => `${p.Step}: ${p.Question} I said ${kept[p.Key]}, the book ${p.Ours}; measured: ${p.Measured}`),
				...rows.map(r => `${r.page}, ${r.scene} scene, in a browser (${r.machine}): ` + r.steps.map((s, i) => `${s.step} ${tabs.rate(s.rate)} rays/s` + (i ? `, over ${r.steps[0].step} ${s.text}` : "")).join("; "))].join("\n") + "\n";
		};
		machine.oninput = () => { write("machine", { name: machine.value }); tell(); };
		tell();
		place.replaceChildren(
			make("p", {}, summary),
			make("div", { class: "table", tabindex: 0 }, make("table", {},
				make("thead", {}, make("tr", {}, make("th", {}, "chapter"), make("th", {}, "question"), cell("yours", "th", true), ...["ours", "measured", "measured over yours"].map(t => cell(t, "th")))),
				make("tbody", {}, ...all.map(p => make("tr", {}, make("td", {}, make("a", { href: root + p.Address }, p.Step.replace(/:.*/, ""))), make("td", {}, p.Question),
					cell(p.Key in kept ? kept[p.Key] : "", "td", true), cell(told(p) ? p.Ours : ""), cell(told(p) ? p.Measured : ""), cell(told(p) ? missed(p) : "")))))),
			make("h2", {}, "As text"), make("p", { class: "controls" }, make("label", {}, "Machine ", machine)), text,
			make("p", { class: "controls" }, make("button", { type: "button", onclick: async () => {
				text.select();
				try { await navigator.clipboard.writeText(text.value); copied.textContent = "Copied."; } catch { copied.textContent = "Selected: copy it."; }
			} }, "Copy"), copied, make("button", { type: "button", onclick: () => { kept = {}; shown = {}; ["answers", "shown", "measured", "machine"].forEach(name => localStorage.removeItem(name)); sum(place); } }, "Forget all")));
	}

	const place = document.getElementById("predictions");
	// After the other scripts, whose data the page has.
	document.addEventListener("DOMContentLoaded", () => {
		if (place) sum(place).catch(e => place.replaceChildren(make("p", { class: "error" }, e.message)));
		else beside().catch(() => { });
	});
	if (!place) ask();
})();
