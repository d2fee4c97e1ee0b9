// check.mjs schema FILE...     the data of pages: docs/FORMATS.md
// check.mjs units              functions of runner/page/web that need no browser
// check.mjs same FILE STEP     registers at the page's focus are those that `step --json` gives in STEP
// check.mjs html FILE          a page keeps its data apart from its code
// Prints a line for each fault; the end is 1 if there is one.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { isDeepStrictEqual as same } from "node:util";
import { rowsOfRequest, sentenceOfRequest } from "../../runner/page/web/memory.js";
import { anchor, placeInWalk, reportOfHash } from "../../runner/page/web/reports.js";
import { lanesOf, percent, ranges, short, visible } from "../../runner/page/web/text.js";
import { Walk } from "../../runner/page/web/walk.js";

let faults = 0;
function check(good, what) {
    if (good) return;
    faults++;
    console.log(what);
}

// --- the schema: a type's name, [type] for a list, an object for its fields; ? for what may be missing or null ---
const place = { launch: "number", kernel: "string", block: ["number"], warp: "number", focus: "number", functions: [{ name: "string", insns: [["any"]] }],
    registers: [{ function: "number", name: "string", type: "string" }], paths: ["string"], "shared?": { bytes: "number", type: "string", variables: [{ name: "string", offset: "number", bytes: "number" }] },
    moments: [{ n: "number", f: "number", pc: "number", "p?": "number", l: "number", g: [["any"]], "b?": "boolean", "r?": [["any"]], "s?": [["any"]], "q?": { count: "number", space: "string", effect: "string", bytes: "number", lanes: "string", "memory?": "string", "offsets?": ["any"], places: ["any"] } }] };
const run = {
    name: "string", checks_only: "boolean", omitted: ["string"], launches: [{ launch: "number", kernel: "string", grid: "string", block: "string", "us?": "number", instructions: "number" }],
    kernels: [{ name: "string", launches: "number", "modelled_ms?": "number" }], counters: { launch: "number", rows: [{ name: "string", value: "number", meaning: "string" }] },
    margin: [{ kernel: "string", "path?": "string", line: "number", executed: "number", lanes: "number" }], sources: [{ path: "string", file: "string", lines: ["string"] }],
    timeline: [{ stream: "string", kind: "string", "name?": "string", start_us: "number", end_us: "number" }], heat: [{ kernel: "string", memory: "string", "name?": "string", says: "string", pieces: [["number"]] }],
    why: ["string"], "roofline?": { memory_gbs: "number", most_gflops: "number", ridge: "number", roof: [["number"]], points: [{ kernel: "string", flops_per_byte: "number", gflops: "number", share: "number" }] }, "wrong?": "string", reports: [{ number: "number", kind: "string", text: "string", sides: [{ "walk?": place }] }], walk: { ...place, grid: ["number"], block_dim: ["number"], block_index: "number", why: "string" },
};
const page = { format: "string", version: "string", modelled_device: "string", runs: [run] };

function conforms(value, type, path) {
    if (type === "any") return;
    if (Array.isArray(type)) {
        check(Array.isArray(value), `${path} is no list`);
        (Array.isArray(value) ? value : []).forEach((v, i) => conforms(v, type[0], `${path}[${i}]`));
    } else if (typeof type === "object") {
        check(value && typeof value === "object", `${path} is no object`);
        for (const [key, t] of Object.entries(type)) {
            const name = key.replace("?", ""), v = (value || {})[name];
            if (!(key.endsWith("?") && (v === undefined || v === null))) conforms(v, t, `${path}.${name}`);
        }
    } else {
        check(typeof value === type, `${path} is ${typeof value}, not ${type}`);
    }
}

// A walk goes to its end and back, and says the same as when it is rebuilt from its begin.
function walks(data, path) {
    const w = new Walk(data), middle = w.at, before = w.state(middle);
    check(w.length > 0 && middle >= 0 && middle < w.length, `${path}: the focus is outside the walk`);
    for (let i = 0; i < w.length; i++) check(w.lanes(w.moment(i)).every(l => l), `${path}: moment ${i} does not say where each lane is`);
    for (let i = 1; i < w.length; i++) check(w.moment(i).n > w.moment(i - 1).n, `${path}: moment ${i} is not after the one before`);
    w.state(w.length - 1);
    check(same(w.state(middle), before), `${path}: the walk back does not come to the same values`);
    check(same(new Walk(data).state(middle), before), `${path}: a new walk does not come to the same values`);
    const plain = { values: new Map(), rows: new Map() };
    for (let i = 0; i <= middle; i++) {
        for (const [p, v] of w.moment(i).r || []) plain.values.set(p, v);
        for (const [o, v] of w.moment(i).s || []) plain.rows.set(o, v);
    }
    check(same(plain.values, before.values) && same(plain.rows, before.rows), `${path}: the changes up to the focus are not its values`);
}

function schema(files) {
    for (const file of files) {
        const text = readFileSync(file, "utf8"), data = JSON.parse(text);
        check(data.format === "warpbook-page 1", `${file}: the format is ${data.format}`);
        check(text.length < 5 << 20, `${file} has ${text.length} bytes`);
        conforms(data, page, file);
        for (const r of data.runs) {
            walks(r.walk, `${file} ${r.name}`);
            for (const s of r.reports.flatMap(x => x.sides)) if (s.walk) walks(s.walk, `${file}, a report's side`);
            check(r.margin.some(m => m.line === r.walk.moments[r.walk.focus].l), `${file}: the margin lacks the line of the focus`);
        }
    }
}

// --- against the stepper ---
function sameAsStep(file, step) {
    const { runs: [{ walk }] } = JSON.parse(readFileSync(file, "utf8")), w = new Walk(walk);
    const answers = readFileSync(step, "utf8").split("\n").filter(Boolean).map(l => JSON.parse(l));
    const registers = answers.find(a => a.answer === "registers").registers, where = answers.filter(a => a.answer === "where").pop();
    const state = w.state();
    check(where.count === w.moment().n && where.line === w.moment().l, `the stepper is at ${where.count}, the page at ${w.moment().n}`);
    check(registers.length > 3, "the stepper names no registers");
    for (const r of registers) {
        const at = walk.registers.findIndex(x => x.name === r.name && x.function === w.moment().f), v = state.values.get(at);
        check(r.values.every((x, lane) => (Array.isArray(v) ? v[lane] : v) === x), `${r.name} is not as the stepper says`);
    }
    const shared = answers.find(a => a.answer === "shared");
    for (const row of shared ? shared.rows : []) {
        const v = state.rows.get(row.offset);
        check(row.values.every((x, i) => (Array.isArray(v) ? v[i] : v) === x), `shared memory at ${row.offset} is not as the stepper says`);
    }
}

// --- the file ---
function html(file) {
    const text = readFileSync(file, "utf8"), hash = s => `'sha256-${createHash("sha256").update(s).digest("base64")}'`;
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(text)[1];
    const scripts = [...text.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)], styles = [...text.matchAll(/<style>([\s\S]*?)<\/style>/g)];
    check(scripts.length === 2 && styles.length === 1, `${scripts.length} scripts and ${styles.length} styles`);
    check(policy.startsWith("default-src 'none'") && !policy.includes("unsafe"), `the policy is ${policy}`);
    check(policy.includes(`script-src ${hash(scripts[1][2])};`), "the policy is not for this script");
    check(policy.includes(`style-src ${hash(styles[0][1])};`), "the policy is not for this style");
    check(scripts[0][1].includes('type="application/json"'), "the data is a script");
    check(!/[<>&\u2028\u2029]|[^\x20-\x7e]/.test(scripts[0][2]), "the data has characters that HTML or a script takes for its own");
    check(!/<(script|link|img|iframe)[^>]*\b(src|href)=(?!"data:)/i.test(text.replace(scripts[0][2], "").replace(scripts[1][2], "")), "the page loads something");
    check(text.length < 5 << 20, "the page is larger than 5 MB");
    JSON.parse(scripts[0][2]);
}

// --- functions ---
function units() {
    const is = (a, b, what) => check(same(a, b), `${what}: ${JSON.stringify(a)}, not ${JSON.stringify(b)}`);
    is(lanesOf("80000001"), [0, 31], "lanes of a mask");
    is(ranges([0, 1, 2, 5, 7, 8]), "0–2, 5, 7–8", "ranges");
    is([short(1234567), short(999), short(12345), short(null), short(0.1234)], ["1.23M", "999", "12.3k", "–", "0.123"], "short numbers");
    is([percent(0.5), percent(0.012), percent(null)], ["50 %", "1.2 %", ""], "percents");
    is(visible("a\u001b[31mb\u202ec\u2028"), "a\u241b[31mb\ufffdc\ufffd", "what acts on a screen");
    const moment = (l, more) => ({ n: l, f: 0, pc: 0, p: 0, l, g: [["ffffffff", "active", 0, l]], ...more });
    const w = new Walk({ focus: 2, paths: ["a.cu"], functions: [{ name: "f", insns: [[0, 1, "mov"]] }], registers: [], moments: [moment(1, { r: [[0, "1"]] }), moment(1), moment(2, { b: true, r: [[0, "2"]] }), moment(2), moment(3, { s: [[0, "7"]] })] });
    is([w.next("insn", 1), w.next("insn", -1), w.next("line", 1), w.next("line", -1), w.next("barrier", 1, 0), w.next("barrier", -1, 4)], [3, 1, 4, 0, 2, 2], "moves");
    is([w.next("insn", 1, 4), w.next("line", -1, 0)], [4, 0], "moves beyond the ends");
    is([w.state(1).values.get(0), w.state(4).values.get(0), w.state(3).rows.size], ["1", "2", 0], "states");
    const q = { space: "shared", effect: "read", bytes: 4, passes: 2, ideal: 1, places: [[0, 0], [0, 1], [3, 0], null] };
    is(rowsOfRequest(q).map(r => [r.at, r.lanes]), [[0, [[0, 0], [1, 1]]], [3, [[2, 0]]]], "a request's banks");
    is(sentenceOfRequest(q), "3 lanes read 4 bytes each of shared memory in 2 passes, 1 would do", "a request in words");
    is(sentenceOfRequest({ ...q, memory: "tile" }), "3 lanes read 4 bytes each of tile (shared memory) in 2 passes, 1 would do", "with the array's name");
    is(sentenceOfRequest({ space: "global", effect: "write", bytes: 8, sectors: 1, ideal: 1, places: [[0, 0]] }), "1 lane wrote 8 bytes each of global memory in 1 sector: no better way", "another one");
    const in3 = { launch: 1, warp: 0, block: [0, 0, 0], moments: [{ n: 5 }, { n: 7 }] };
    is([placeInWalk({ walk: in3 }, { count: 7, walk: { ...in3 } }), placeInWalk({ walk: in3 }, { count: 7, walk: { ...in3, warp: 1 } }), placeInWalk({ walk: in3 }, {})], [1, -1, -1], "a report's moment in the walk");
    const told = [{ kind: "init", sides: [{ line: 3 }] }, { kind: "race", sides: [{ line: 17 }, { line: 13 }] }, { kind: "race", sides: [{ line: 17 }, { line: 13 }] }];
    is([told.map(anchor), ["#race-17-13", "#init-3", "#race-17", ""].map(hash => reportOfHash({ reports: told }, hash))], [["init-3", "race-17-13", "race-17-13"], [1, 0, -1, -1]], "the report that an address names");
}

const [what, ...files] = process.argv.slice(2);
({ schema: () => schema(files), units, same: () => sameAsStep(...files), html: () => html(files[0]) })[what]();
process.exit(faults ? 1 : 0);
