"use strict";

// All predictions of the reader beside ours and what was measured, as a table, as text and as a
// file, from which book -guesses draws those of many.
(() => {
	const { make, load, store, tab } = book;
	const place = document.getElementById("predictions"),
		root = document.body.dataset.root;
	const words = { faster: "faster", same: "the same", slower: "slower" };
	const percent = v => (v < 0 ? "−" : "+") + Math.abs(v).toFixed(0) + "\u00a0%";
	const cell = (text, tag = "td", mine) => make(tag, { align: "right", class: mine && "mine" }, text);
	const said = a => (a ? [words[a.sign], a.sign === "same" ? "" : a.value].filter(Boolean).join(", ") : "");

	function summary(all, answers) {
		const far = all
			.filter(p => answers[p.Key] && p.Measured)
			.map(p => Math.abs(Math.log(parseFloat(p.Measured) / answers[p.Key].value)));
		if (!far.length) return `None of ${all.length} yet.`;
		const mean = far.reduce((a, b) => a + b, 0) / far.length;
		return `${far.length} of ${all.length} predicted; on average they are off by ${percent(100 * (Math.exp(mean) - 1)).slice(1)}.`;
	}

	// table shows what came only where the reader has said something: the rest stays veiled.
	function table(all, answers) {
		const head = ["ours", "measured", "measured over yours"].map(t => cell(t, "th"));
		const row = p => {
			const mine = answers[p.Key],
				told = mine && p.Measured,
				again = make(
					"button",
					{
						type: "button",
						class: "back",
						"aria-label": "take back: " + p.Question,
						onclick: () =>
							store.change("answers", all => {
								delete all[p.Key];
							}),
					},
					"take back",
				);
			return make(
				"tr",
				{},
				make("td", {}, make("a", { href: root + p.Address }, p.Step.replace(/:.*/, ""))),
				make("td", {}, p.Question),
				cell(said(mine), "td", true),
				cell(told ? p.Ours : ""),
				cell(told ? p.Measured : ""),
				cell(told ? percent(100 * (parseFloat(p.Measured) / mine.value - 1)) : ""),
				make("td", {}, mine ? again : ""),
			);
		};
		return make(
			"div",
			{ class: "table", tabindex: 0 },
			make(
				"table",
				{},
				make(
					"thead",
					{},
					make(
						"tr",
						{},
						make("th", {}, "chapter"),
						make("th", {}, "question"),
						cell("yours", "th", true),
						...head,
						make("th", {}, make("span", { class: "unseen" }, "take back")),
					),
				),
				make("tbody", {}, ...all.map(row)),
			),
		);
	}

	function asText(all, answers, machine) {
		const told = all.filter(p => answers[p.Key] && p.Measured);
		const speeds = r =>
			r.steps
				.map(
					(s, i) =>
						`${s.step} ${tab.rate(s.rate)} rays/s` +
						(i ? `, over ${r.steps[0].step} ${s.text}` : ""),
				)
				.join("; ");
		return (
			[
				`raysteps, ${machine}`,
				summary(all, answers).replaceAll("\u00a0", " "),
				...told.map(
					p =>
						`${p.Step}: ${p.Question} I said ${answers[p.Key].value}, the book ${p.Ours}; measured: ${p.Measured}`,
				),
				...store
					.measured()
					.map(r => `${r.page}, ${r.scene} scene, in a browser (${r.machine}): ` + speeds(r)),
			].join("\n") + "\n"
		);
	}

	// save hands a file to the browser.
	function save(answers) {
		const text = JSON.stringify({ raysteps: "guesses", answers }, null, "\t") + "\n";
		const link = make("a", {
			href: URL.createObjectURL(new Blob([text], { type: "application/json" })),
			download: "raysteps-guesses.json",
		});
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 1000);
	}

	// forget asks first.
	function forget(status) {
		const yes = make(
			"button",
			{
				type: "button",
				onclick: () => store.forget("answers", "shown", "read", "measured", "machine", "target"),
			},
			"Yes, forget all",
		);
		const no = make("button", { type: "button", onclick: () => status.replaceChildren() }, "No, keep it");
		status.replaceChildren(
			"Your predictions, what you have read and measured: it cannot be had back. ",
			yes,
			" ",
			no,
		);
		no.focus();
	}

	function machineOf() {
		const name = store.read("machine").name;
		return (typeof name === "string" && name) || tab.machine();
	}

	function show(all) {
		const answers = store.answers();
		const machine = make("input", { type: "text", value: machineOf() }),
			status = make("span", { role: "status" });
		const text = make("textarea", { readonly: true, rows: 12, "aria-label": "all of it as text" });
		const tell = () => {
			text.value = asText(all, answers, machine.value);
		};
		machine.oninput = () => tell();
		machine.onchange = () =>
			store.change("machine", m => {
				m.name = machine.value;
			});
		tell();
		const copy = async () => {
			text.select();
			try {
				await navigator.clipboard.writeText(text.value);
				status.textContent = "Copied.";
			} catch {
				status.textContent = "Selected: copy it.";
			}
		};
		const button = (name, onclick) => make("button", { type: "button", onclick }, name);
		place.replaceChildren(
			make("p", {}, summary(all, answers)),
			table(all, answers),
			make("h2", {}, "As text, and as a file"),
			make("p", { class: "controls" }, make("label", {}, "Machine ", machine)),
			text,
			make(
				"p",
				{ class: "controls" },
				button("Copy", copy),
				button("Save the guesses as a file", () => save(answers)),
				button("Forget all", () => forget(status)),
				status,
			),
		);
	}

	document.addEventListener("DOMContentLoaded", async () => {
		try {
			const all = await load("predictions");
			show(all);
			store.listen(name => name !== "machine" && show(all));
		} catch (e) {
			place.replaceChildren(make("p", { class: "error" }, e.message));
		}
	});
})();
