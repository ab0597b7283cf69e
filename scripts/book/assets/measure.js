"use strict";

// "Measure it here": steps take turns in this tab for ten seconds, and a row of the
// reader's own stands in the chapter's table, in a color of its own.
(async () => {
	const { make, tab } = book;
	const places = [...document.querySelectorAll(".measure")].filter(p => p.previousElementSibling?.querySelector("table"));
	if (!places.length) return;
	const read = () => { try { return JSON.parse(localStorage.getItem("measured")) || {}; } catch { return {}; } };
	const info = await book.load("tab").catch(() => null);
	if (!info) return;
	for (const place of places) offer(place, place.dataset.steps.split(" "));

	// row puts what was measured into the columns of the table, by their headings.
	function row(place, kept) {
		const table = place.previousElementSibling.querySelector("table");
		table.querySelector(`tr.mine[data-scene="${kept.scene}"]`)?.remove();
		const find = title => kept.steps.find(s => info.Steps[s.step] === title);
		const cells = [...table.querySelectorAll("thead th")].slice(1).map(th => {
			const text = th.textContent, speed = find(text.replace(/, rays\/s.*/, "")), [of, over] = text.split(" over ").map(find);
			if (speed && text.includes("rays/s")) return tab.rate(speed.rate);
			return of && over === kept.steps[0] ? of.text : "";
		});
		table.querySelector("tbody").append(make("tr", { class: "mine", "data-scene": kept.scene }, make("td", {}, `${kept.scene}, your browser`), ...cells.map(c => make("td", { align: "right" }, c))));
	}

	function offer(place, steps) {
		const missing = steps.filter(s => !info.Steps[s]);
		if (missing.length) {
			place.replaceChildren(make("small", {}, "Not measured in a browser: WebAssembly has no fused multiplication and addition, and what imitates it would take most of the time."));
			return;
		}
		const key = steps.join(","), scene = make("select", { "aria-label": "scene" }, ...["small", "medium", "large"].map(s => make("option", { selected: s === "large" }, s)));
		const button = make("button", { type: "button" }, "Measure it here"), progress = make("progress", { max: 1, value: 0, hidden: true, "aria-label": "measured" }), status = make("span", { role: "status" });
		place.replaceChildren(button, " ", scene, " ", progress, " ", status);
		const all = read()[key] || {};
		const explain = takes => `Your browser: one program, so no link orders; WebAssembly, compiled by Go and again by the browser${steps.some(s => /step1[01]/.test(s)) ? takes === "simd128" ? "; SIMD128 in place of the kernel" : "; no SIMD, so the kernel is plain Go" : ""}.`;
		for (const name of Object.keys(all)) {
			row(place, all[name]);
			status.textContent = explain(all[name].takes);
		}
		button.onclick = async () => {
			button.disabled = scene.disabled = true;
			progress.hidden = false;
			status.textContent = "Loading the steps.";
			try {
				const { takes } = await tab.prepare();
				const measured = [];
				status.textContent = "Ten seconds: the steps take turns. Leave this tab in front.";
				await tab.run({ do: "measure", scene: scene.value, steps, seconds: 10 }, null, m => {
					if (m.kind === "measured") measured.push(m);
					else progress.value = m.share;
				});
				const kept = { scene: scene.value, page: document.title.replace(/ · .*/, ""), steps: measured, machine: tab.machine(), takes };
				row(place, kept);
				const store = read();
				(store[key] ??= {})[scene.value] = kept;
				try { localStorage.setItem("measured", JSON.stringify(store)); } catch { } // a browser may refuse
				status.textContent = explain(takes);
			} catch (e) {
				status.textContent = e.message;
			}
			progress.hidden = true;
			button.disabled = scene.disabled = false;
		};
	}
})();
