"use strict";

// Predictions: a chapter asks, its sign first and then its size, before it shows what came. What
// follows its questions is veiled until each has an answer, or until the reader wants to see it all.
(() => {
	const { make, load, store } = book;
	const here = document.body.dataset.here,
		main = document.getElementById("main");
	const lists = [...document.querySelectorAll("#main > ul.predict")];
	const words = { faster: "faster", same: "the same", slower: "slower" };

	// parse reads a number with a point or a comma, or says why not. Its sign has to be that
	// which was chosen: of a time less is faster.
	function parse(text, sign, slower) {
		const said = text.trim().replace(/\s*[x×]$/, "");
		if (!/^(\d+([.,]\d*)?|[.,]\d+)$/.test(said))
			return { error: `“${text.trim()}” is no number. Write it like 1.5 or 1,5; 20 % more is 1.2.` };
		const value = parseFloat(said.replace(",", ".")),
			above = (sign === "slower") === slower;
		if (!(value > 0 && value < 1e4))
			return { error: `${said} is out of range. Write a number above 0 and below 10,000.` };
		if (above ? value <= 1 : value >= 1)
			return {
				error: `${value} would not be ${words[sign]} here: that is ${above ? "above" : "below"} 1.`,
			};
		return { value };
	}
	const example = (sign, slower) =>
		(sign === "slower") === slower ? "above 1, such as 1.2" : "below 1, such as 0.8";

	// parts are the elements of the form of a question, in its place.
	function parts(list) {
		const item = list.querySelector("li"),
			folded = list.querySelector("details");
		const input = make("input", { type: "text", inputmode: "decimal", autocomplete: "off", size: 6 });
		const hint = make("span", {}),
			said = make("p", { class: "said", role: "status" });
		const came = make("p", { class: "came" });
		const buttons = Object.entries(words).map(([sign, word]) =>
			make("button", { type: "button", "aria-pressed": "false", "data-sign": sign }, word),
		);
		const signs = make("span", {
			class: "signs",
			role: "group",
			"aria-label": "Faster, the same, or slower?",
		});
		signs.append(...buttons);
		const back = make("button", { type: "button", class: "back" }, "Take it back");
		const size = make(
			"span",
			{ class: "size" },
			make("label", {}, "How much? ", input, " ", hint),
			" ",
			make("button", { type: "submit" }, "Keep"),
		);
		const form = make("form", { "aria-label": item.firstChild.textContent.trim() }, signs, size, back);
		item.insertBefore(form, folded);
		form.after(said);
		folded.before(came);
		return { folded, input, hint, said, came, buttons, back, size, form };
	}

	// Question is one of the page, with its form.
	class Question {
		constructor(list) {
			Object.assign(this, parts(list), {
				key: list.dataset.key,
				slower: list.dataset.slower === "yes",
			});
			this.buttons.forEach(b => b.addEventListener("click", () => this.press(b.dataset.sign)));
			this.form.addEventListener("submit", e => this.submit(e));
			this.back.addEventListener("click", () => this.takeBack());
			this.choose(null);
			this.tell();
		}

		kept() {
			return store.answers()[this.key];
		}

		say(text, wrong) {
			this.said.textContent = text;
			this.said.classList.toggle("wrong", !!wrong);
			this.input.setAttribute("aria-invalid", !!wrong);
		}

		choose(sign) {
			this.sign = sign;
			this.buttons.forEach(b => b.setAttribute("aria-pressed", b.dataset.sign === sign));
			this.size.hidden = !sign || sign === "same";
			if (sign) this.hint.textContent = example(sign, this.slower);
		}

		keep(value) {
			const ok = store.change("answers", all => {
				all[this.key] = { sign: this.sign, value };
			});
			this.tell();
			if (!ok)
				this.say(
					this.said.textContent + " This browser keeps nothing: it lasts as long as this page.",
				);
		}

		// tell shows what is kept.
		async tell() {
			const kept = this.kept(),
				number = kept?.sign === "same" ? "" : kept?.value;
			this.folded.hidden = this.came.hidden = this.back.hidden = !kept;
			if (!kept) return this.say("");
			this.choose(kept.sign);
			this.input.value = number;
			this.say(`Kept: ${[words[kept.sign], number].filter(Boolean).join(", ")}.`);
			const p = (await load("predictions").catch(() => [])).find(p => p.Key === this.key);
			const whose = this.folded.querySelector("summary").textContent;
			this.came.textContent = p ? `${whose}: ${p.Ours}. Measured: ${p.Measured}.` : "";
		}

		press(sign) {
			this.choose(sign);
			if (sign === "same") return this.keep(1);
			const kept = this.kept();
			if (kept && kept.sign !== sign) this.input.value = "";
			this.say(kept ? "Kept is still the last answer, until you keep another." : "");
			this.input.focus();
		}

		submit(e) {
			e.preventDefault();
			const read = parse(this.input.value, this.sign, this.slower),
				kept = this.kept();
			if (!read.error) return this.keep(read.value);
			this.say("Not kept: " + read.error + (kept ? ` The last one, ${kept.value}, stays.` : ""), true);
			this.input.focus();
		}

		takeBack() {
			store.change("answers", all => {
				delete all[this.key];
			});
			this.choose(null);
			this.input.value = "";
			this.say("Taken back.");
			this.buttons[0].focus();
		}
	}

	const note = make(
		"p",
		{ class: "veil" },
		"What follows gives it away. It is veiled until each question has an answer. ",
		make(
			"button",
			{
				type: "button",
				onclick: () => {
					store.change("shown", all => {
						all[here] = true;
					});
				},
			},
			"Show it all",
		),
	);

	// veil hides what stands behind the section of the first question without an answer.
	function veil() {
		const answers = store.answers(),
			open = store.read("shown")[here] ? null : lists.find(l => !(l.dataset.key in answers));
		const links = [...document.querySelectorAll("#contents a[href^='#']")];
		let section = false,
			veiled = false; // the section of that question, and what follows it
		note.remove();
		for (const e of [...main.children]) {
			if (e.matches(".turn, .progress")) break;
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

	// A link into what is veiled shows it, on this visit.
	function follow() {
		const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
		if (!target?.closest(".veiled")) return;
		store.change("shown", all => {
			all[here] = true;
		});
		target.scrollIntoView();
	}

	if (lists.length) {
		const all = lists.map(l => new Question(l)),
			last = () => JSON.stringify(all.map(w => store.answers()[w.key]));
		let known = last();
		store.listen(() => {
			veil();
			if (last() === known) return; // this page's, or another tab's
			known = last();
			all.forEach(w => w.tell());
		});
		veil();
		window.addEventListener("hashchange", follow);
		follow();
	}

	// beside adds the reader's own to the tables that have ours.
	async function beside() {
		const heads = t => [...t.querySelectorAll("thead :is(th, td)")].map(th => th.textContent);
		const tables = [...document.querySelectorAll("#main table")].filter(t =>
			heads(t).join().includes("question,ours"),
		);
		const answers = store.answers();
		if (!tables.length || !Object.keys(answers).length) return;
		const all = await load("predictions"),
			cell = (text, tag = "td") => make(tag, { align: "right", class: "mine" }, text);
		const at = heads(tables[0]).indexOf("ours");
		for (const table of tables)
			table.querySelector("thead tr").children[at].before(cell("yours", "th"));
		for (const row of tables.flatMap(t => [...t.querySelectorAll("tbody tr")])) {
			const chapter = row.querySelector("a")?.getAttribute("href") || "";
			const question = row.children[at - 1].textContent.replaceAll("\u00a0", " ");
			const p = all.find(p => p.Question === question && chapter.endsWith(p.Address));
			row.children[at].before(cell(p && answers[p.Key] ? answers[p.Key].value : ""));
		}
	}
	beside().catch(() => {}); // the table is complete without it
})();
