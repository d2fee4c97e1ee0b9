// What the suites in a browser share: pages of Chromium, results as TAP, times of the page's own thread, axe-core.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const require = createRequire(`${process.env.WARPBOOK_MODULES}/`);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const LEAST_SCRIPT_MS = 1000, LEAST_STEP_MS = 50, DIFFERENT = 0.01, kept = fileURLToPath(new URL("../../docs/screens/", import.meta.url));
export const record = process.argv.includes("--record");

let count = 0, bad = 0;
export function result(problem, name) {
    count++;
    if (problem) {
        bad++;
        console.log(`# ${String(problem).split("\n").join("\n# ")}`);
    }
    console.log(`${problem ? "not ok" : "ok"} ${count} - ${name}`);
}

export function finish() {
    console.log(`1..${count}`);
    process.exit(bad ? 1 : 0);
}

export const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox", "--font-render-hinting=none", "--disable-lcd-text"] });

// A tab, in which `visit` opens an address: what the page there says on its console or asks of another place. A tab costs
// twice as much as a page in it.
export async function openTab(options = {}) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: "light", bypassCSP: false, reducedMotion: "reduce", ...options });
    let messages = [], own = "file:";
    page.on("console", m => messages.push(m.text()));
    page.on("pageerror", e => messages.push(e.message));
    page.on("request", r => { if (!r.url().startsWith(own) && !r.url().startsWith("data:")) messages.push(`asks for ${r.url()}`); });
    const visit = async address => {
        const url = address.includes("://") ? address : `file://${address}`;
        messages = [];
        own = url.startsWith("http") ? new URL(url).origin : "file:";
        await page.goto(url);
        await page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
        return messages;
    };
    return { page, visit };
}

// A page at ADDRESS in a tab of its own, and its messages.
export async function open(address, options = {}) {
    const { page, visit } = await openTab(options);
    return { page, messages: await visit(address) };
}

// What the first player shows, as text.
export const shown = page => page.evaluate(() => {
    const player = document.querySelector(".player");
    return [".where", ".lanes", ".values", ".banks"].map(s => (player.querySelector(s) || {}).innerText || "").join("\n");
});

export async function press(page, key, times) {
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

// How long the page works for each of up to 200 steps.
export async function stepTime(page, name) {
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
}

// How long the scripts of FILE take in the tab.
export async function scripting({ page, visit }, file, name) {
    const client = await timed(page), from = await metric(client, "ScriptDuration");
    await visit(file);
    const ms = await metric(client, "ScriptDuration") - from;
    console.log(`# ${name}: ${readFileSync(file).length} bytes, ${ms.toFixed(0)} ms of scripting`);
    result(ms < LEAST_SCRIPT_MS ? "" : `${ms} ms`, `${name}: opens within ${LEAST_SCRIPT_MS} ms of scripting`);
}

// What axe-core finds serious on the page that is open. The page's policy allows its own script alone; the debugger's is not
// asked.
export async function faults(page) {
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    return violations.filter(v => ["serious", "critical"].includes(v.impact)).map(v => `${v.id}: ${v.help}\n${v.nodes.slice(0, 3).map(n => n.html.slice(0, 200)).join("\n")}`).join("\n");
}

export async function accessible({ page, visit }, file, name) {
    for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        await visit(file);
        result(await faults(page), `${name}, ${colorScheme}: axe-core finds no serious fault`);
    }
    await page.emulateMedia({ colorScheme: "light" });
}

// The page of ADDRESS after ACT, as a picture: it is as the one that is kept, or is kept (--record).
export async function picture(address, name, options, act = () => {}) {
    const { page } = await open(address, options);
    await act(page);
    const shot = await page.screenshot({ animations: "disabled" }), file = `${kept}${name}.png`;
    if (record) {
        writeFileSync(file, shot);
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
            }, [readFileSync(file).toString("base64"), shot.toString("base64")]);
            await p.close();
            return share;
        });
        result(part <= DIFFERENT ? "" : `${(100 * part).toFixed(2)} % of the pixels differ`, `picture ${name}`);
    }
    await page.close();
}
