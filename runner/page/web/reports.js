// Each report with its two moments beside each other.
import { Lanes, Values } from "./lanes.js";
import { Request } from "./memory.js";
import { el } from "./text.js";
import { Walk } from "./walk.js";

function side(s, title) {
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
    return box;
}

export function reports(run, goTo) {
    if (!run.reports.length && !run.wrong) return null;
    const wrong = run.wrong ? el("p.wrong", {}, el("b", {}, "Wrong value: "), run.wrong, " The walk opens at the instruction that wrote it.") : null;
    return el("section.panel.reports", { "aria-label": "Reports" }, el("h3", {}, "Reports"), wrong,
        run.reports.map(r => {
            const sides = [...r.sides].reverse();
            const here = r.sides.find(s => s.launch === run.walk.launch && run.walk.moments.some(m => m.n === s.count));
            return el("div.report", {}, el("p.text", {}, el("span.kind", {}, r.kind), " ", String(r.text || "").split("\n")[0]),
                r.missing ? el("p", {}, "Missing between the two: ", el("code", {}, r.missing), r.place ? `. Both access ${r.place}.` : "") : null,
                r.mend ? el("p", {}, r.mend) : null,
                el("div.sides", {}, sides.map((s, i) => side(s, sides.length > 1 ? ["earlier", "later"][i] : "there"))),
                here ? el("button", { type: "button", onclick: () => goTo(run.walk.moments.findIndex(m => m.n === here.count)) }, "Walk from there") : null);
        }));
}
