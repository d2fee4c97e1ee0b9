// What a run is: its kernels, what binds them, counters with their meaning, launches, and what the page leaves out.
import { el, percent, short } from "./text.js";

const KERNEL_COLUMNS = [["launches", "launches", short], ["modelled_ms", "ms, modelled", short], ["requests", "requests", short], ["sectors_per_request", "sectors per request", short],
    ["bank_conflicts", "bank conflicts", short], ["divergent_branches", "divergent branches", short], ["instructions", "instructions", short], ["lanes_per_instruction", "lanes per instruction", short]];

export function kernels(run) {
    return el("section.panel", { "aria-label": "Kernels" }, el("h3", {}, "Kernels"),
        el("div.scroll", { tabindex: "0", role: "region", "aria-label": "Table of kernels" }, el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "kernel"), KERNEL_COLUMNS.map(([, t]) => el("th", { scope: "col" }, t)), el("th", { scope: "col" }, "what binds"))),
            el("tbody", {}, run.kernels.map(k => el("tr", {}, el("th", { scope: "row" }, k.name), KERNEL_COLUMNS.map(([key, , format]) => el("td", {}, format(k[key]))), el("td", {}, bound(run, k.name))))))),
        run.why.length ? el("ul.why", {}, run.why.map(w => el("li", {}, w))) : null);
}

const bound = (run, kernel) => (run.code[kernel] && run.code[kernel].limit) || "";

// Of two runs, each figure of each kernel before and after.
export function comparison(runs) {
    if (runs.length < 2) return null;
    const [before, after] = runs, names = [...new Set(runs.flatMap(r => r.kernels.map(k => k.name)))];
    const rows = names.flatMap(name => {
        const a = before.kernels.find(k => k.name === name), b = after.kernels.find(k => k.name === name);
        return KERNEL_COLUMNS.map(([key, title], i) => el("tr", {}, i ? null : el("th", { scope: "rowgroup", rowspan: String(KERNEL_COLUMNS.length) }, name), el("th", { scope: "row" }, title),
            el("td", {}, a ? short(a[key]) : "–"), el("td", {}, b ? short(b[key]) : "–"), el("td", {}, a && b && a[key] > 0 && b[key] > 0 ? percent(b[key] / a[key]) : "")));
    });
    return el("section.panel.comparison", { "aria-label": "Before and after" }, el("h3", {}, "Before and after"),
        el("div.scroll", { tabindex: "0", role: "region", "aria-label": "Both runs" }, el("table", {}, el("thead", {}, el("tr", {}, ["kernel", "", before.name, after.name, "after of before"].map(t => el("th", { scope: "col" }, t)))), el("tbody", {}, rows))));
}

export function counters(run) {
    if (!run.counters) return null;
    return el("section.panel", { "aria-label": "Counters" }, el("h3", {}, `Counters of launch ${run.counters.launch}`),
        el("details", {}, el("summary", {}, `${run.counters.rows.length} counters that are not 0`), el("table.counters", {}, el("thead", {}, el("tr", {}, ["counter", "value", "what it counts"].map(t => el("th", { scope: "col" }, t)))),
            el("tbody", {}, run.counters.rows.map(c => el("tr", {}, el("th", { scope: "row" }, c.name), el("td", {}, short(c.value)), el("td.words", {}, c.meaning || "")))))));
}

export function launches(run) {
    return el("section.panel", { "aria-label": "Launches" }, el("h3", {}, "Launches"),
        el("details", {}, el("summary", {}, `${run.launches.length} launches`), el("table", {}, el("thead", {}, el("tr", {}, ["launch", "kernel", "blocks", "threads", "µs, modelled", "instructions"].map(t => el("th", { scope: "col" }, t)))),
            el("tbody", {}, run.launches.slice(0, 300).map(l => el(`tr${l.launch === run.walk.launch ? ".now" : ""}`, {}, [String(l.launch), l.kernel, l.grid, l.block, short(l.us), short(l.instructions)].map(c => el("td", {}, c))))))));
}

export function omitted(run) {
    return el("section.panel.omitted", { "aria-label": "Not on this page" }, el("h3", {}, "Not on this page"), el("ul", {}, run.omitted.map(o => el("li", {}, o))),
        run.checks_only ? el("p.says", {}, "Of a lab its checks were run, with sizes smaller than those that it measures.") : null);
}
