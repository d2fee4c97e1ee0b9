// The moments of a warp. Each is stored as what differs from the moment before; states are rebuilt from the nearest
// checkpoint, so that any moment is reached in few steps.
import { lanesOf } from "./text.js";

const CHECKPOINT = 64;

export class Walk {
    constructor(data) {
        this.data = data;
        this.moments = data.moments || [];
        this.checkpoints = [];
        this.at = Math.min(Math.max(data.focus || 0, 0), Math.max(this.moments.length - 1, 0));
    }

    get length() { return this.moments.length; }
    moment(i = this.at) { return this.moments[i]; }

    // Registers by place, rows of shared memory by offset, and the last request, before instruction I.
    state(i = this.at) {
        let from = Math.floor(i / CHECKPOINT);
        while (from > 0 && !this.checkpoints[from]) from--;
        let s = from > 0 ? copy(this.checkpoints[from]) : { values: new Map(), rows: new Map(), request: null };
        for (let k = from > 0 ? from * CHECKPOINT + 1 : 0; k <= i; k++) {
            apply(s, this.moments[k]);
            if (k % CHECKPOINT === 0) this.checkpoints[k / CHECKPOINT] = copy(s);
        }
        return s;
    }

    // What changed with the moment I, against the one before.
    changes(i = this.at) {
        const m = (i > 0 && this.moments[i]) || {}; // the first moment stores all that there is
        return { registers: new Set((m.r || []).map(c => c[0])), rows: new Set((m.s || []).map(c => c[0])), request: !!m.q };
    }

    go(i) {
        this.at = Math.min(Math.max(i, 0), this.length - 1);
        return this.at;
    }

    // The next moment from FROM in DIRECTION (1, -1) by instruction, line or barrier.
    next(kind, direction, from = this.at) {
        const inside = i => i >= 0 && i < this.length;
        let i = from + direction;
        if (kind === "line") {
            const here = this.moments[from];
            while (inside(i) && this.moments[i].l === here.l && this.moments[i].p === here.p) i += direction;
            // Backwards: to the first instruction of that line.
            if (direction < 0)
                while (inside(i - 1) && this.moments[i - 1].l === this.moments[i]?.l && this.moments[i - 1].p === this.moments[i]?.p) i--;
        } else if (kind === "barrier") {
            while (inside(i) && !this.moments[i].b) i += direction;
        }
        return Math.min(Math.max(i, 0), this.length - 1);
    }

    path(m = this.moment()) { return m && m.p !== undefined ? this.data.paths[m.p] : null; }
    ptx(m = this.moment()) {
        const f = m && this.data.functions[m.f];
        const insn = f && f.insns.find(row => row[0] === m.pc);
        return insn ? insn[2] : "";
    }

    // Each lane's state, and the place where it is: [state, pc, line] by lane.
    lanes(m = this.moment()) {
        const out = new Array(32).fill(null);
        for (const [mask, state, pc, line] of (m && m.g) || [])
            for (const lane of lanesOf(mask)) out[lane] = [state, pc, line];
        return out;
    }
}

function copy(s) {
    return { values: new Map(s.values), rows: new Map(s.rows), request: s.request };
}

function apply(s, m) {
    for (const [place, values] of m.r || []) s.values.set(place, values);
    for (const [offset, values] of m.s || []) s.rows.set(offset, values);
    if (m.q) s.request = m.q;
}

// The value of a lane where one value stands for all.
export const valueOf = (values, lane) => (Array.isArray(values) ? values[lane] : values);
