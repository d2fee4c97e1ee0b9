// The warp as 32 lanes, and the values that each of them has.
import { el, lanesOf, plural, ranges, replace } from "./text.js";
import { valueOf } from "./walk.js";

export const STATES = {
    active: ["▶", "at this instruction"],
    guarded: ["○", "here, but the predicate is false"],
    diverged: ["↯", "at another instruction"],
    rejoins: ["⋈", "waiting at the reconvergence point"],
    syncs: ["⇄", "waiting for other lanes of the warp"],
    barrier: ["▮", "waiting at a barrier of the block"],
    exited: ["✓", "gone: the kernel has ended for them"],
    absent: ["·", "not there: the block is smaller"],
};
const sign = state => (STATES[state] || ["?", state])[0];

export function sentence(groups) {
    return groups.map(([mask, state, , line]) => {
        const lanes = lanesOf(mask);
        const words = (STATES[state] || ["", state])[1];
        return `${lanes.length === 32 ? "all 32 lanes" : `lane${lanes.length === 1 ? "" : "s"} ${ranges(lanes)}`}: ${words}${line && state !== "active" && state !== "exited" ? ` (line ${line})` : ""}`;
    }).join("; ");
}

export class Lanes {
    constructor() {
        this.cells = Array.from({ length: 32 }, (_, lane) => el("div.lane", { "data-lane": lane }, el("b", {}), el("span", {}, String(lane))));
        this.picture = el("div.lanes", { role: "img" }, this.cells);
        this.legend = el("p.says");
        this.root = el("section.panel", { "aria-label": "Lanes" }, el("h3", {}, "Lanes of the warp"), this.picture, this.legend);
    }

    show(walk, moment) {
        walk.lanes(moment).forEach((place, lane) => {
            const state = place ? place[0] : "absent", cell = this.cells[lane];
            cell.className = `lane is-${STATES[state] ? state : "unknown"}`;
            cell.title = `lane ${lane}, ${(STATES[state] || ["", state])[1]}${place && place[2] ? `, line ${place[2]}` : ""}`;
            cell.firstChild.textContent = sign(state);
        });
        const says = sentence(moment.g || []);
        this.picture.setAttribute("aria-label", says);
        this.legend.textContent = says;
    }
}

export class Values {
    constructor() {
        this.all = false;
        this.toggle = el("button", { type: "button", "aria-pressed": "false", onclick: () => this.switch() }, "All registers");
        this.box = el("div.scroll", { tabindex: "0", role: "region", "aria-label": "Values of registers by lane" });
        this.root = el("section.panel.values-panel", { "aria-label": "Values" }, el("header", {}, el("h3", {}, "Values by lane"), this.toggle), this.box);
    }

    switch() {
        this.all = !this.all;
        this.toggle.setAttribute("aria-pressed", String(this.all));
        if (this.last) this.show(...this.last);
    }

    show(walk, moment, state, changed) {
        this.last = [walk, moment, state, changed];
        const ptx = walk.ptx(moment), names = new Set(ptx.match(/%\w+/g) || []);
        const rows = [];
        walk.data.registers.forEach((r, place) => {
            if (r.function !== moment.f || !state.values.has(place)) return;
            if (this.all || names.has(r.name) || changed.registers.has(place)) rows.push([r, place]);
        });
        const lanes = Array.from({ length: 32 }, (_, i) => i);
        const head = el("tr", {}, el("th.name", { scope: "col" }, "register"), lanes.map(l => el("th", { scope: "col" }, String(l))));
        replace(this.box, el("table.values", {}, el("caption", {}, ptx || "no instruction"), el("thead", {}, head),
            el("tbody", {}, rows.map(([r, place]) => this.row(r, state.values.get(place), changed.registers.has(place))))),
            rows.length ? null : el("p.empty", {}, `This instruction names no register. ${plural(walk.data.registers.length, "register")} in all.`));
    }

    row(r, values, isNew) {
        const same = !Array.isArray(values);
        const cells = same ? [el("td.same", { colspan: "32" }, `${valueOf(values, 0)} in every lane`)] : values.map(v => el("td", {}, v === null ? "" : v));
        return el(`tr${isNew ? ".new" : ""}`, {}, el("th.name", { scope: "row", title: r.type }, r.name, " ", el("small", {}, r.type)), cells);
    }
}
