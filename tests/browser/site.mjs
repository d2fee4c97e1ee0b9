// site.mjs DIR ADDRESS SLIDES: the pages of `make site` in Chromium, as `warpbook site` serves them: every page at 360
// pixels, every run to its end and back, questions, pictures, the search, by keys alone; paper; the same pictures on
// slides. Prints TAP.
import { readdirSync, statSync } from "node:fs";
import { accessible, browser, faults, finish, open, openTab, picture, press, record, result, scripting, shown, stepTime } from "./pages.mjs";

const [dir, address, deck] = process.argv.slice(2), PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
const pages = readdirSync(dir).filter(f => f.endsWith(".html")), runs = readdirSync(`${dir}/runs`).filter(f => f.endsWith(".html"));
const text = (page, selector) => page.locator(selector).first().innerText();

async function lessons() {
    const { page, visit } = await openTab(PHONE);
    for (const name of pages) {
        const messages = await visit(`${address}${name}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        result([...messages, wide > 0 ? `${wide} pixels too wide` : ""].filter(Boolean).join("\n"), `${name}: quiet, and no wider than a phone`);
        result(await faults(page), `${name}: axe-core finds no serious fault`);
    }
    for (const name of ["03-coalescing.html", "index.html", "search.html"]) await accessible({ page, visit }, `${address}${name}`, name);
    await page.close();
}

async function runsWalk() {
    const { page, visit } = await openTab();
    for (const name of runs) {
        const messages = await visit(`${address}runs/${name}`), begin = await shown(page);
        await page.keyboard.press("End");
        const end = await shown(page);
        await page.keyboard.press("Home");
        await press(page, "n", 3);
        await page.keyboard.press("f");
        const back = await shown(page);
        result([...messages, back === begin && end !== begin ? "" : `${begin}\nis not\n${back}`].filter(Boolean).join("\n"), `the run ${name}: quiet, to its end and back to the same values`);
    }
    await page.close();
}

async function questions() {
    const { page } = await open(`${address}03-coalescing.html`), form = "li:has(details[data-key='03-coalescing/quiz/1']) form";
    await page.fill(`${form} input`, "17");
    await page.keyboard.press("Enter");
    const wrong = await text(page, `${form} .verdict`), open1 = await page.locator("[data-key='03-coalescing/quiz/1']").getAttribute("open");
    await page.fill(`${form} input`, "16");
    await page.keyboard.press("Enter");
    result(wrong.includes("Think again") && open1 === null && (await text(page, `${form} .verdict`)) === "16: right." ? "" : wrong, "a number, wrong and then right");
    const choice = "li:has(> details[data-key='03-coalescing/quiz/3']) form";
    await page.focus(`${choice} button[value=b]`);
    await page.keyboard.press("Enter");
    result((await text(page, `${choice} .verdict`)) === "b: right." ? "" : await text(page, `${choice} .verdict`), "a choice, by keys");
    const predict = "li:has(details[data-key='03-coalescing/predict/2']) form";
    await page.fill(`${predict} input`, "8");
    await page.keyboard.press("Enter");
    const because = await text(page, "[data-key='03-coalescing/predict/2'] p");
    result(because.startsWith("The emulator counts 4.") && (await text(page, `${predict} .verdict`)).includes("it is another") ? "" : because, "a prediction, and what was counted");
    await page.reload();
    result((await page.locator(`${form} input`).inputValue()) === "16" && (await text(page, `${choice} .verdict`)) === "b: right." ? "" : "another", "answers are there after a reload");
    await page.goto(`${address}index.html`);
    const progress = await text(page, "[data-chapter='03-coalescing'] .progress");
    result(progress === "3 of 8 answered" ? "" : progress, "the contents say how many were answered");
    await page.close();
}

async function pictures() {
    const { page } = await open(`${address}03-coalescing.html`), stride = "[data-picture=stride]", found = [];
    await page.focus(`${stride} [aria-label='Stride in floats']`);
    for (let s = 1; s <= 32; s++) {
        found.push(/: (\d+) sectors/.exec(await text(page, `${stride} output`))[1]);
        await page.keyboard.press("ArrowRight");
    }
    result(found.join() === Array.from({ length: 32 }, (_, i) => Math.min(4 * (i + 1), 32)).join() ? "" : found.join(), "each stride's sectors, by keys");
    await page.locator(`${stride} [data-lane='5']`).first().hover();
    const five = await text(page, `${stride} .lane-says`);
    await page.focus(`${stride} [aria-label=Lane]`);
    await page.keyboard.press("ArrowRight");
    const six = await text(page, `${stride} .lane-says`), at = says => parseInt(/byte (\d+) of/.exec(says)[1], 10);
    result(five.startsWith("Lane 5: byte") && six.startsWith("Lane 6: byte") && at(six) - at(five) === 128 ? "" : `${five}, ${six}`, "a lane's address, pointed at and by keys");
    await page.selectOption("[data-picture=requests] select", "1");
    result((await text(page, "[data-picture=requests] code")).length > 5 ? "" : "no line", "requests of the solution by line");
    await page.goto(`${address}10-shared-reduction.html`);
    await page.focus("[data-picture=tree] button:has-text('step on')");
    const values = () => page.locator("[data-picture=tree] svg text").allTextContents().then(all => all.map(Number));
    const first = (await values()).slice(0, 32);
    await press(page, "Enter", 5);
    const last = (await values()).slice(-32), says = await text(page, "[data-picture=tree] [role=status]");
    result(last[0] === first.reduce((a, b) => a + b, 0) && says.includes("Step 5 of 5") ? "" : `${first} ... ${last}: ${says}`, "the tree ends with the sum of all words");
    await page.close();
}

async function looks() {
    const to = async (page, selector) => page.evaluate(s => scrollTo(0, document.querySelector(s).getBoundingClientRect().top + scrollY - 20), selector);
    await picture(`${address}03-coalescing.html`, "lesson-stride", {}, async page => {
        await page.fill("[data-picture=stride] [aria-label='Stride in floats']", "5");
        await to(page, "[data-picture=stride]");
    });
    await picture(`${address}10-shared-reduction.html`, "lesson-tree-dark", { colorScheme: "dark" }, async page => {
        for (let step = 0; step < 3; step++) await page.click("[data-picture=tree] button:has-text('step on')");
        await to(page, "[data-picture=tree]");
    });
    await picture(`${address}03-coalescing.html`, "lesson-predict-phone", PHONE, async page => {
        const answer = "li:has(> details[data-key='03-coalescing/predict/2'])";
        await page.fill(`${answer} form input`, "8");
        await page.press(`${answer} form input`, "Enter");
        await to(page, answer);
    });
}

async function search() {
    const { page, messages } = await open(`${address}index.html`);
    await page.focus("input[type=search]");
    await page.keyboard.type("bank conflict");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#results li");
    const says = await text(page, "#found"), first = await page.locator("#results a").first().getAttribute("href");
    await page.locator("#results a").first().click();
    await page.waitForLoadState();
    result(/^\d+ sections with/.test(says) && page.url().endsWith(first) && !messages.length ? "" : `${says}, ${first}, ${messages}`, "a search, and the way to what it found");
    await page.goto(`${address}search.html?q=${encodeURIComponent("<img src=x onerror=alert(1)> zzzz")}`);
    await page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
    result((await text(page, "#found")).startsWith("Nothing has") && (await page.locator("main img").count()) === 0 ? "" : await text(page, "#found"), "what is asked stays text");
    await page.close();
}

async function themesAndPaper() {
    const { page } = await open(`${address}03-coalescing.html`), back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await back();
    await page.click("#theme");
    const dark = await back();
    await page.reload();
    result(light !== dark && (await back()) === dark ? "" : `${light}, ${dark}`, "dark is chosen, and kept");
    const pdf = (await page.pdf({ format: "A4" })).toString("latin1"), sheets = (pdf.match(/\/Type \/Page\b/g) || []).length;
    result(sheets > 5 && sheets < 40 ? "" : `${sheets} sheets`, "a lesson on paper");
    await page.emulateMedia({ media: "print" });
    result((await back()) === "rgb(255, 255, 255)" && !(await page.locator(".top").isVisible()) && !(await page.locator("form.answer").first().isVisible()) ? "" : await back(), "paper is white, without the buttons");
    await page.close();
}

async function slides() {
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } }), messages = [];
    page.on("console", m => messages.push(m.text()));
    page.on("pageerror", e => messages.push(e.message));
    await page.goto(`file://${deck}`);
    const at = () => page.evaluate(() => location.hash), slideOf = kind => page.evaluate(k => `#${[...document.querySelectorAll("body > section")].indexOf(document.querySelector(`[data-picture=${k}]`).parentNode) + 1}`, kind);
    const goTo = async kind => { const hash = await slideOf(kind); await page.evaluate(h => { location.hash = h; }, hash); await page.waitForFunction(k => document.querySelector(`[data-picture=${k}]`).parentNode.classList.contains("now"), kind); return Number(hash.slice(1)); };
    const data = async (from, kind) => from.evaluate(k => document.querySelector(`[data-picture=${k}] script`).textContent, kind);
    for (const [kind, name] of [["stride", "03-coalescing"], ["tree", "10-shared-reduction"]]) {
        const lesson = await open(`${address}${name}.html`);
        result((await data(page, kind)) === (await data(lesson.page, kind)) ? "" : "another", `the slide's ${kind} has the data of the lesson's`);
        await lesson.page.close();
    }
    const n = await goTo("stride"), stride = async () => (await text(page, "[data-picture=stride] output")).trim();
    await press(page, "+", 3);
    await press(page, "-", 1);
    const stepped = await stride();
    await page.keyboard.press(" ");
    const on = await at();
    await page.keyboard.press("ArrowLeft");
    result(stepped.startsWith("3: 12 sectors") && on === `#${n + 1}` && (await at()) === `#${n}` ? "" : `${stepped}, ${on}, ${await at()}`, "+ and - step a picture, and the slides keep their keys");
    await page.locator("[data-picture=stride] .bar-of").nth(6).click();
    const clicked = [await stride(), await at()];
    await page.keyboard.press(" ");
    result(clicked[0].startsWith("7: 28 sectors") && clicked[1] === `#${n}` && (await at()) === `#${n + 1}` ? "" : `${clicked}, ${await at()}`, "a click into it turns no slide, and takes no key away");
    await goTo("stride");
    await page.focus("[data-picture=stride] [aria-label='Stride in floats']");
    await page.keyboard.press("ArrowRight");
    const slid = [await stride(), await at()];
    await page.keyboard.press("Escape");
    await page.keyboard.press("ArrowRight");
    result(slid[0].startsWith("8: 32 sectors") && slid[1] === `#${n}` && (await at()) === `#${n + 1}` ? "" : `${slid}, ${await at()}`, "a control that has the focus has its own keys, until Escape");
    await goTo("stride");
    await page.locator("[data-picture=stride] [data-lane='5']").first().hover();
    const lane = await text(page, "[data-picture=stride] .lane-says");
    result(/^Lane 5: byte \d+ of in, sector /.test(lane) ? "" : lane, "a lane's address where it is pointed at");
    await goTo("tree");
    await press(page, "+", 9);
    const ended = await text(page, "[data-picture=tree] [role=status]"), high = await page.evaluate(() => document.querySelector("section.now .tree").getBoundingClientRect().bottom - innerHeight);
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    const printed = await text(page, "[data-picture=tree] [role=status]");
    result(ended.startsWith("Step 5 of 5") && high <= 0 && printed.startsWith("Before the first step") ? "" : `${ended}, ${high}, ${printed}`, "the tree is stepped to its end on one screen, and printed in its first state");
    result((await page.locator("[data-picture=requests]").count()) === 2 && (await page.locator(".first").count()) === 0 ? "" : "no requests", "with the solutions, requests of each");
    await goTo("tree");
    result([await faults(page), ...messages].filter(Boolean).join("\n"), "the slides are quiet, and axe-core finds no serious fault");
    await page.close();
}

async function embedded() {
    const { page, messages } = await open(`${address}03-coalescing.html`);
    await page.focus("section.run summary");
    await page.keyboard.press("Enter");
    const frame = page.frameLocator("section.run iframe");
    await frame.locator(".bar input").waitFor();
    result(messages.join("\n"), "the run opens within the lesson");
    await page.close();
    const disk = await open(`${dir}/10-shared-reduction.html`);
    result([...disk.messages, (await disk.page.locator("[data-picture=tree] svg").count()) === 1 ? "" : "no picture"].filter(Boolean).join("\n"), "the same pages from the disk");
    await disk.page.close();
}

try {
    result(pages.length >= 40 && runs.length >= 26 ? "" : `${pages.length} pages, ${runs.length} runs`, `${pages.length} pages and ${runs.length} runs`);
    for (const part of record ? [looks] : [lessons, runsWalk, questions, pictures, looks, search, themesAndPaper, slides, embedded]) await part();
    const largest = runs.sort((a, b) => statSync(`${dir}/runs/${b}`).size - statSync(`${dir}/runs/${a}`).size)[0];
    const tab = await openTab();
    await scripting(tab, `${dir}/runs/${largest}`, `the largest run, ${largest}`);
    await stepTime(tab.page, `the largest run, ${largest}`);
} finally {
    await browser.close();
}
finish();
