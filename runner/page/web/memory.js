// Shared memory as 32 banks, and the last request as lanes by sectors or banks.
import { el, plural, replace, svg } from "./text.js";

const CELL = 14, LEFT = 56, TOP = 16, THIN = 10;

// Rows of the picture of a request: each sector or bank with the lanes that access it. Of a bank, lanes at different
// words are served one after the other: `order` counts them.
export function rowsOfRequest(q) {
    const shared = q.space === "shared", rows = new Map();
    (q.places || []).forEach((place, lane) => {
        if (!place) return;
        const [at, word] = place;
        if (!rows.has(at)) rows.set(at, { at, lanes: [], words: [] });
        const row = rows.get(at);
        if (shared && !row.words.includes(word)) row.words.push(word);
        row.lanes.push([lane, shared ? row.words.indexOf(word) : 0]);
    });
    return [...rows.values()].sort((a, b) => a.at - b.at);
}

export function sentenceOfRequest(q) {
    const lanes = (q.places || []).filter(Boolean).length;
    const verb = { read: "read", write: "wrote", update: "updated" }[q.effect] || q.effect;
    const what = q.space === "shared" ? `${plural(q.passes ?? 0, "pass")}`.replace("passs", "passes") : q.sectors === undefined ? "" : plural(q.sectors, "sector");
    const rest = q.ideal !== undefined && what ? `, ${q.ideal} would do` : "";
    return `${plural(lanes, "lane")} ${verb} ${plural(q.bytes, "byte")} each of ${q.memory ? `${q.memory} (${q.space} memory)` : `${q.space} memory`}${what ? ` in ${what}` : ""}${q.ideal === (q.space === "shared" ? q.passes : q.sectors) ? ": no better way" : rest}`;
}

export class Request {
    constructor() {
        this.says = el("p.says");
        this.box = el("div.scroll", { tabindex: "0", role: "region", "aria-label": "Picture of the last request" });
        this.root = el("section.panel", { "aria-label": "Last request" }, el("h3", {}, "Last request"), this.says, this.box);
    }

    show(q, isNew) {
        if (q === this.shown) return this.root.classList.toggle("new", isNew);
        this.shown = q;
        this.root.classList.toggle("new", isNew);
        if (!q) {
            this.says.textContent = "The warp has accessed no memory yet.";
            return replace(this.box);
        }
        this.says.replaceChildren(el("code", {}, q.ptx || ""), " ", sentenceOfRequest(q));
        const rows = rowsOfRequest(q), unit = q.space === "shared" ? "bank" : "sector";
        const cell = rows.length > 8 ? THIN : CELL, height = TOP + rows.length * cell + 4;
        const picture = svg("svg", { viewBox: `0 0 ${LEFT + 32 * CELL + 4} ${height}`, class: "request", role: "img", "aria-label": this.aloud(rows, unit) });
        for (let lane = 0; lane < 32; lane += 4) picture.append(svg("text", { x: LEFT + lane * CELL + CELL / 2, y: 11, class: "axis mid" }, String(lane)));
        rows.forEach((row, i) => {
            const y = TOP + i * cell;
            picture.append(svg("text", { x: LEFT - 6, y: y + cell - 2, class: "axis end" }, `${unit} ${row.at}`));
            picture.append(svg("rect", { x: LEFT, y, width: 32 * CELL, height: cell - 1, class: i % 2 ? "band" : "band odd" }));
            for (const [lane, order] of row.lanes)
                picture.append(svg("rect", { x: LEFT + lane * CELL + 1, y: y + 1, width: CELL - 2, height: cell - 3, rx: 2, "data-lane": lane, class: `hit order${Math.min(order, 4)}` },
                    svg("title", {}, `lane ${lane}: ${unit} ${row.at}${q.offsets ? `, byte ${q.offsets[lane]} of ${q.memory}` : ""}`)));
        });
        replace(this.box, picture);
    }

    aloud(rows, unit) {
        return rows.map(r => `${unit} ${r.at}: ${plural(r.lanes.length, "lane")}${r.words.length > 1 ? `, ${r.words.length} words one after the other` : ""}`).join("; ");
    }
}

export class Shared {
    constructor() {
        this.cells = new Map();
        this.note = el("p.says");
        this.box = el("div.scroll", { tabindex: "0", role: "region", "aria-label": "Shared memory, 32 banks" });
        this.root = el("section.panel.shared-panel", { "aria-label": "Shared memory" }, el("h3", {}, "Shared memory"), this.note, this.box);
    }

    build(walk, offsets) {
        const banks = Array.from({ length: 32 }, (_, i) => i);
        this.cells.clear();
        const variables = (walk.data.shared && walk.data.shared.variables) || [];
        const rows = offsets.map(offset => {
            const cells = banks.map(() => el("td", {}));
            this.cells.set(offset, cells);
            const names = variables.filter(v => v.offset >= offset && v.offset < offset + 128).map(v => v.name).join(" ");
            return el("tr", {}, el("th.name", { scope: "row" }, `${names ? `${names} ` : ""}${offset}`), cells);
        });
        replace(this.box, el("table.values.banks", {}, el("thead", {}, el("tr", {}, el("th.name", { scope: "col" }, "byte"), banks.map(b => el("th", { scope: "col" }, String(b))))), el("tbody", {}, rows)));
    }

    show(walk, state, changed) {
        const offsets = [...state.rows.keys()].sort((a, b) => a - b);
        this.root.hidden = !offsets.length;
        if (offsets.length !== this.cells.size) this.build(walk, offsets);
        for (const cell of this.lit || []) cell.classList.remove("hit", "new");
        this.lit = [];
        for (const offset of offsets) this.fill(offset, state.rows.get(offset), changed.rows.has(offset));
        const q = state.request;
        for (const place of q && q.space === "shared" ? q.places : [])
            if (place && this.cells.has(place[1] * 128)) this.light(this.cells.get(place[1] * 128)[place[0]], "hit");
        const s = walk.data.shared;
        this.note.textContent = s ? `${plural(s.bytes, "byte")}, a column is a bank, values as ${s.type}. Outlined: the last request.` : "";
    }

    fill(offset, values, isNew) {
        this.cells.get(offset).forEach((cell, bank) => {
            const v = Array.isArray(values) ? values[bank] : values, text = v === null || v === undefined ? "" : String(v);
            if (cell.textContent === text) return;
            cell.textContent = text;
            cell.title = text;
            if (isNew) this.light(cell, "new");
        });
    }

    light(cell, name) {
        cell.classList.add(name);
        this.lit.push(cell);
    }
}
