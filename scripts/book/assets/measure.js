"use strict";

// "Measure it here": steps take turns in this tab for ten seconds, and a row of the reader's own
// stands in the chapter's table, in a color of its own and with a name that says so.
(async () => {
	const { make, tab, store } = book;
	const places = [...document.querySelectorAll(".measure")].filter(p =>
		p.previousElementSibling?.querySelector("table"),
	);
	if (!places.length) return;
	const info = await book.load("tab").catch(() => null);
	if (!info) return;

	// row puts what was measured into the columns of the table, by their headings.
	function row(place, kept) {
		const table = place.previousElementSibling.querySelector("table");
		table.querySelector(`tr.mine[data-scene="${kept.scene}"]`)?.remove();
		const find = title => kept.steps.find(s => info.Steps[s.step] === title);
		const cells = [...table.querySelector("thead tr").cells].slice(1).map(th => {
			const text = th.textContent.replaceAll("\u00a0", " ");
			const speed = find(text.replace(/, rays\/s.*/, "")),
				[of, over] = text.split(" over ").map(find);
			if (speed && text.includes("rays/s")) return tab.rate(speed.rate);
			return of && over === kept.steps[0] ? of.text : "";
		});
		table
			.querySelector("tbody")
			.append(
				make(
					"tr",
					{ class: "mine", "data-scene": kept.scene },
					make("td", {}, `${kept.scene}, your browser`),
					...cells.map(c => make("td", { align: "right" }, c)),
				),
			);
	}

	const explain = (steps, takes) =>
		"Your browser: one program, so no link orders; WebAssembly, compiled by Go and again by the browser" +
		(!steps.some(s => /step1[01]/.test(s))
			? "."
			: takes === "simd128"
				? "; SIMD128 instead of the kernel."
				: "; no SIMD, so the kernel is plain Go.");

	// take measures, and shows and keeps what came.
	async function take(place, steps, scene, progress, status) {
		status.textContent = "Loading the steps: 1 MB.";
		const { takes } = await tab.prepare();
		const measured = [];
		status.textContent = "Ten seconds: the steps take turns. Leave this tab in front.";
		await tab.run({ do: "measure", scene, steps, seconds: 10 }, null, m => {
			if (m.kind === "measured") measured.push(m);
			else progress.value = m.share;
		});
		const kept = {
			scene,
			page: document.title.replace(/ · .*/, ""),
			address: document.body.dataset.here,
			steps: measured,
			machine: tab.machine(),
			takes,
		};
		row(place, kept);
		const ok = store.change("measured", all => {
			all[steps.join(",")] = { ...all[steps.join(",")], [scene]: kept };
		});
		status.textContent =
			explain(steps, takes) + (ok ? "" : " This browser keeps nothing: it lasts as long as this page.");
	}

	function offer(place, steps) {
		if (steps.some(s => !info.Steps[s])) {
			place.replaceChildren(
				make(
					"small",
					{},
					"Not measured in a browser: WebAssembly has no fused multiplication and addition, " +
						"and what imitates it would take most of the time.",
				),
			);
			return;
		}
		const scene = make(
			"select",
			{ "aria-label": "scene" },
			...["small", "medium", "large"].map(s => make("option", { selected: s === "large" }, s)),
		);
		const button = make("button", { type: "button" }, "Measure it here"),
			status = make("span", { role: "status" });
		const progress = make("progress", { max: 1, value: 0, hidden: true, "aria-label": "measured" });
		place.replaceChildren(button, " ", scene, " ", progress, " ", status);
		for (const kept of store.measured().filter(m => m.key === steps.join(","))) {
			row(place, kept);
			status.textContent = explain(steps, kept.takes);
		}
		button.onclick = async () => {
			button.disabled = scene.disabled = true;
			progress.hidden = false;
			try {
				await take(place, steps, scene.value, progress, status);
			} catch (e) {
				status.textContent = e.message[0].toUpperCase() + e.message.slice(1);
			}
			progress.hidden = true;
			button.disabled = scene.disabled = false;
		};
	}
	for (const place of places) offer(place, place.dataset.steps.split(" "));
})();
