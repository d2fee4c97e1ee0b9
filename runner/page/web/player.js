// The walk through the warp's instructions: buttons, slider, keys, and the panels that show a moment.
import { Code } from "./code.js";
import { Lanes, Values, sentence } from "./lanes.js";
import { Request, Shared } from "./memory.js";
import { el } from "./text.js";
import { Walk } from "./walk.js";

const MOVES = [
    ["barrier", -1, "|◀", "barrier back", "["],
    ["line", -1, "◀◀", "line back", "p"],
    ["insn", -1, "◀", "instruction back", "←"],
    ["insn", 1, "▶", "instruction on", "→"],
    ["line", 1, "▶▶", "line on", "n"],
    ["barrier", 1, "▶|", "barrier on", "]"],
];
const KEYS = { ArrowLeft: ["insn", -1], ArrowRight: ["insn", 1], b: ["insn", -1], s: ["insn", 1], n: ["line", 1], p: ["line", -1], "[": ["barrier", -1], "]": ["barrier", 1] };

export class Player {
    constructor(run) {
        this.walk = new Walk(run.walk);
        this.code = new Code(run, (path, line) => this.toLine(path, line));
        this.lanes = new Lanes();
        this.values = new Values();
        this.request = new Request();
        this.shared = new Shared();
        this.where = el("p.where", { "aria-live": "polite" });
        this.slider = el("input", { type: "range", min: "0", max: String(Math.max(this.walk.length - 1, 0)), step: "1", "aria-label": "Moment of the walk", oninput: () => this.go(Number(this.slider.value)) });
        const buttons = MOVES.map(([kind, by, sign, title, key]) => el("button", { type: "button", title: `${title} (${key})`, "aria-label": title, onclick: () => this.move(kind, by) }, sign));
        const focus = el("button", { type: "button", title: "to where the page opened (f)", onclick: () => this.go(run.walk.focus) }, "★");
        this.bar = el("div.bar", {}, el("div.buttons", {}, buttons, focus), this.slider, this.where);
        this.root = el("div.player", {}, this.bar, el("div.columns", {}, this.code.root,
            el("div.column", {}, this.lanes.root, this.request.root)), this.values.root, this.shared.root);
        this.kernel = run.walk.kernel;
    }

    move(kind, by) { this.go(this.walk.next(kind, by)); }

    key(event) {
        if (event.key === "f") return this.go(this.walk.data.focus), true;
        if (event.key === "Home") return this.go(0), true;
        if (event.key === "End") return this.go(this.walk.length - 1), true;
        const move = KEYS[event.key];
        if (move) this.move(...move);
        return !!move;
    }

    // The next moment at a line, after this one or else from the beginning.
    toLine(path, line) {
        const w = this.walk;
        for (let k = 1; k <= w.length; k++) {
            const i = (w.at + k) % w.length, m = w.moment(i);
            if (m.l === line && w.path(m) === path) return this.go(i);
        }
        return undefined;
    }

    go(i) {
        const w = this.walk;
        if (!w.length) return;
        w.go(i);
        const m = w.moment(), state = w.state(), changed = w.changes();
        this.slider.value = String(w.at);
        const words = `Instruction ${w.at + 1} of ${w.length}, line ${m.l}${m.b ? ", a barrier" : ""}`;
        this.slider.setAttribute("aria-valuetext", `${words}; ${sentence(m.g || [])}`);
        this.where.replaceChildren(el("b", {}, words), " ", el("code", {}, w.ptx(m)), el("small", {}, ` number ${m.n} of the launch`));
        const others = new Set((m.g || []).filter(g => g[1] !== "active" && g[3]).map(g => g[3]));
        others.delete(m.l);
        this.code.mark(w.path(m), m.l, others, this.kernel);
        this.lanes.show(w, m);
        this.values.show(w, m, state, changed);
        this.request.show(state.request, changed.request);
        this.shared.show(w, state, changed);
    }
}
