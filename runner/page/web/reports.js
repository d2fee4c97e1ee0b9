// Each report with its two moments beside each other.
import { Lanes, Values } from "./lanes.js";
import { Request } from "./memory.js";
import { el } from "./text.js";
import { Walk } from "./walk.js";

function side(s, title, walkThere) {
    const box = el("article.side", { "aria-label": title }, el("h4", {}, title),
        el("p", {}, el("b", {}, `${s.who || "the program"} ${s.did || ""}`), s.count === undefined ? "" : ` · launch ${s.launch}, instruction ${s.count}, warp ${s.warp}`),
        s.source ? el("pre.line", {}, `${s.line}  ${s.source.trim()}`) : null, s.ptx ? el("p", {}, el("code", {}, s.ptx)) : null);
    if (s.walk && s.walk.moments.length) {
        const walk = new Walk(s.walk), lanes = new Lanes(), values = new Values(), request = new Request();
        const m = walk.moment(0), state = walk.state(0);
        lanes.show(walk, m);
        values.show(walk, m, state, { registers: new Set() });
        request.show(state.request, false);
        box.append(lanes.root, el("details", {}, el("summary", {}, "values and the request before"), values.root, request.root));
    }
    if (walkThere) box.append(el("button", { type: "button", onclick: walkThere }, "Walk from there"));
    return box;
}

// What went wrong first, in a sentence above the walk.
export function alarm(run) {
    const first = run.reports[0];
    if (!first && !run.wrong) return null;
    return el("p.alarm", { role: "note" }, el("span.kind", {}, first ? first.kind : "wrong"), " ", first ? firstLine(first.text) : `${run.wrong} The walk opens at the instruction that wrote it.`,
        first ? [" ", el("a", { href: `#${reportsId(run)}` }, "Both moments")] : null);
}

const firstLine = text => String(text || "").split("\n")[0];
const reportsId = run => `reports-${run.index}`;

// The place of a side's instruction in the walk; -1: it is of another warp.
export function placeInWalk(run, s) {
    const w = run.walk, at = s.walk;
    if (!at || at.launch !== w.launch || at.warp !== w.warp || String(at.block) !== String(w.block)) return -1;
    return w.moments.findIndex(m => m.n === s.count);
}

// What a link to a report ends with: `race-17-13` is the first race of line 17 with line 13.
export const anchor = r => [r.kind, ...r.sides.map(s => s.line)].filter(part => part !== undefined).join("-");

// The place in the list of the report that the fragment HASH of an address names; -1: none.
export const reportOfHash = (run, hash) => run.reports.findIndex(r => `#${anchor(r)}` === hash);

// Shows report I: opens it, and goes to its moment if the walk has that, else to the report.
export function openReport(run, part, i, goTo) {
    const at = run.reports[i].sides.length ? placeInWalk(run, run.reports[i].sides[0]) : -1;
    const details = part.querySelectorAll("details.report")[i];
    details.open = true;
    if (at >= 0) goTo(at);
    else details.scrollIntoView({ block: "start" });
}

export function reports(run, goTo) {
    if (!run.reports.length) return null;
    return el("section.panel.reports", { id: reportsId(run), "aria-label": "Reports" }, el("h3", {}, `${run.reports.length > 1 ? `${run.reports.length} reports, each` : "The report"} as two moments`),
        run.reports.map((r, i) => report(run, r, goTo, i === 0)));
}

function report(run, r, goTo, open) {
    const sides = [...r.sides].reverse();
    const walks = sides.map(s => placeInWalk(run, s));
    return el("details.report", { open }, el("summary", {}, el("span.kind", {}, r.kind), " ", firstLine(r.text)),
        r.missing ? el("p", {}, "Missing between the two: ", el("code", {}, r.missing), r.place ? `. Both access ${r.place}.` : "") : null,
        r.fix ? el("p", {}, r.fix) : null,
        el("div.sides", {}, sides.map((s, i) => side(s, sides.length > 1 ? ["earlier", "later"][i] : "there", walks[i] >= 0 ? () => goTo(walks[i]) : null))));
}
