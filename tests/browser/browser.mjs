// Opens pages in Chromium and prints TAP: no message on the console, steps to the report and back to the same values,
// by keys alone; axe-core's faults; times of opening and of a step; pictures against those in golden/.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

const [mode, ...files] = process.argv.slice(2).filter((a, i) => a || i > 0);
const record = mode === "--record", pages = record ? files : [mode, ...files].filter(Boolean);
const require = createRequire(`${process.env.WARPBOOK_MODULES}/`);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const golden = fileURLToPath(new URL("golden/", import.meta.url));
const LEAST_SCRIPT_MS = 1000, LEAST_STEP_MS = 50, DIFFERENT = 0.01;

let count = 0, bad = 0;
function result(problem, name) {
    count++;
    if (problem) {
        bad++;
        console.log(`# ${String(problem).split("\n").join("\n# ")}`);
    }
    console.log(`${problem ? "not ok" : "ok"} ${count} - ${name}`);
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox", "--font-render-hinting=none", "--disable-lcd-text"] });

async function open(file, options = {}) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: "light", bypassCSP: false, reducedMotion: "reduce", ...options });
    const messages = [];
    page.on("console", m => messages.push(m.text()));
    page.on("pageerror", e => messages.push(e.message));
    page.on("request", r => { if (!r.url().startsWith("file:") && !r.url().startsWith("data:")) messages.push(`asks for ${r.url()}`); });
    await page.goto(`file://${file}`);
    await page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
    return { page, messages };
}

// What the first player shows, as text.
const shown = page => page.evaluate(() => {
    const player = document.querySelector(".player");
    return [".where", ".lanes", ".values", ".banks"].map(s => (player.querySelector(s) || {}).innerText || "").join("\n");
});

async function press(page, key, times) {
    for (let i = 0; i < times; i++) await page.keyboard.press(key);
}

// Times are those of the page's own thread, which other work of the machine does not lengthen.
async function timed(page) {
    const client = await page.context().newCDPSession(page);
    await client.send("Performance.enable", { timeDomain: "threadTicks" });
    return client;
}
const metric = async (client, name) => 1000 * (await client.send("Performance.getMetrics")).metrics.find(m => m.name === name).value;
const task = client => metric(client, "TaskDuration");

async function walks(file, name) {
    const { page, messages } = await open(file);
    const begin = await shown(page);
    const { at, length } = await page.evaluate(() => { const s = document.querySelector(".bar input"); return { at: Number(s.value), length: Number(s.max) }; });
    await press(page, "ArrowRight", Math.min(12, length - at));
    await press(page, "ArrowLeft", Math.min(12, length - at));
    result(await shown(page) === begin ? "" : `${begin}\nis not\n${await shown(page)}`, `${name}: forwards and back to the same values`);
    await page.keyboard.press("End");
    const end = await shown(page);
    await page.keyboard.press("Home");
    await press(page, "n", 3);
    await press(page, "p", 2);
    await page.keyboard.press("f");
    result(await shown(page) === begin && end !== begin ? "" : `${begin}\nis not\n${await shown(page)}`, `${name}: to its end, its begin, by line, and back to where it opened`);
    const client = await timed(page), from = await task(client);
    const steps = await page.evaluate(() => {
        const slider = document.querySelector(".bar input"), last = Math.min(Number(slider.max), 200);
        for (let i = 0; i <= last; i++) {
            slider.value = String(i);
            slider.dispatchEvent(new Event("input"));
            document.body.getBoundingClientRect();
        }
        return last + 1;
    });
    const each = (await task(client) - from) / steps;
    console.log(`# ${name}: a step takes ${each.toFixed(1)} ms`);
    result(each < LEAST_STEP_MS ? "" : `${each} ms`, `${name}: a step takes less than ${LEAST_STEP_MS} ms`);
    result(messages.join("\n"), `${name}: no message on the console, no request`);
    await page.close();
}

async function scripting(file, name) {
    const { page } = await open(file);
    const client = await timed(page);
    await page.reload();
    await page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
    const ms = await metric(client, "ScriptDuration");
    console.log(`# ${name}: ${readFileSync(file).length} bytes, ${ms.toFixed(0)} ms of scripting`);
    result(ms < LEAST_SCRIPT_MS ? "" : `${ms} ms`, `${name}: opens within ${LEAST_SCRIPT_MS} ms of scripting`);
    await page.close();
}

async function accessible(file, name) {
    for (const colorScheme of ["light", "dark"]) {
        const { page } = await open(file, { colorScheme });
        // The page's policy allows its own script alone; the debugger's is not asked.
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
        const serious = violations.filter(v => ["serious", "critical"].includes(v.impact));
        result(serious.map(v => `${v.id}: ${v.help}\n${v.nodes.slice(0, 3).map(n => n.html.slice(0, 200)).join("\n")}`).join("\n"), `${name}, ${colorScheme}: axe-core finds no serious fault`);
        await page.close();
    }
}

async function picture(file, name, options) {
    const { page } = await open(file, options);
    const shot = await page.screenshot({ animations: "disabled" }), kept = `${golden}${name}.png`;
    if (record) {
        mkdirSync(golden, { recursive: true });
        writeFileSync(kept, shot);
    } else {
        // The browser itself compares: both as canvases, by the part of pixels that differ visibly.
        const part = await browser.newPage().then(async p => {
            const share = await p.evaluate(async ([a, b]) => {
                const pixels = async s => { const image = new Image(); image.src = `data:image/png;base64,${s}`; await image.decode(); const c = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height }).getContext("2d"); c.drawImage(image, 0, 0); return c.getImageData(0, 0, image.width, image.height); };
                const [x, y] = [await pixels(a), await pixels(b)];
                if (x.width !== y.width || x.height !== y.height) return 1;
                let different = 0;
                for (let i = 0; i < x.data.length; i += 4) if (Math.abs(x.data[i] - y.data[i]) + Math.abs(x.data[i + 1] - y.data[i + 1]) + Math.abs(x.data[i + 2] - y.data[i + 2]) > 96) different++;
                return different / (x.data.length / 4);
            }, [readFileSync(kept).toString("base64"), shot.toString("base64")]);
            await p.close();
            return share;
        });
        result(part <= DIFFERENT ? "" : `${(100 * part).toFixed(2)} % of the pixels differ`, `picture ${name}`);
    }
    await page.close();
}

try {
    for (const file of pages) {
        const name = basename(file, ".html");
        if (!record) {
            await walks(file, name);
            await scripting(file, name);
            await accessible(file, name);
        }
    }
    const named = name => pages.find(f => basename(f, ".html") === name);
    for (const [name, options] of [["desktop", {}], ["dark", { colorScheme: "dark" }], ["phone", { viewport: { width: 390, height: 844 }, isMobile: true }]]) {
        await picture(named("missing-barrier"), `missing-barrier-${name}`, options);
        await picture(named("solution"), `solution-${name}`, options);
    }
    const { page, messages } = await open(named("hostile"));
    result(await page.evaluate(() => document.querySelectorAll("#runs img, #runs b script").length === 0 && !document.title.includes("\u001b")) && !messages.length ? "" : messages.join("\n") || "a text of the program became markup", "texts of a program stay text");
    const refused = await page.evaluate(() => { const s = document.createElement("script"); s.textContent = "window.intruded = true"; document.body.append(s); return !window.intruded; });
    result(refused ? "" : "a script that was added ran", "the policy refuses a script that is added");
} finally {
    await browser.close();
}
console.log(`1..${count}`);
process.exit(bad ? 1 : 0);
