// Text of a program is data: it becomes text nodes, never markup, and characters that act on a screen are shown as
// signs.
export function visible(text) {
    if (text === null || text === undefined) return "";
    return String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, c => {
        const code = c.codePointAt(0);
        return code < 0x20 ? String.fromCodePoint(0x2400 + code) : "\ufffd";
    });
}

// An element with a class, attributes and children; strings among the children become text.
export function el(tag, attributes, ...children) {
    const [name, ...classes] = tag.split(".");
    const e = document.createElement(name || "div");
    if (classes.length) e.className = classes.join(" ");
    for (const [key, value] of Object.entries(attributes || {})) set(e, key, value);
    e.append(...children.flat().filter(c => c !== null && c !== undefined).map(c => (c instanceof Node ? c : visible(c))));
    return e;
}

export function svg(tag, attributes, ...children) {
    const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes || {})) set(e, key, value);
    e.append(...children.map(c => (c instanceof Node ? c : visible(c))));
    return e;
}

function set(e, key, value) {
    if (value === null || value === undefined || value === false) return;
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (key === "class") e.setAttribute("class", value);
    else e.setAttribute(key, value === true ? "" : visible(value));
}

export function replace(parent, ...children) {
    parent.replaceChildren(...children.flat().filter(Boolean));
}

// A number in few characters: 1.23M for 1234567.
export function short(v) {
    if (v === null || v === undefined || !Number.isFinite(v)) return "–";
    const a = Math.abs(v);
    for (const [limit, sign] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e4, "k"]])
        if (a >= limit) return trim(v / (sign === "k" ? 1e3 : limit)) + sign;
    return trim(v);
}
const trim = v => String(Number(v.toPrecision(3)));
export const percent = v => (v === null || v === undefined ? "" : v >= 0.0995 ? `${Math.round(v * 100)} %` : `${(v * 100).toFixed(1)} %`);

// Quotient of two counts, empty where there is nothing to divide.
export const ratio = (a, b) => (a > 0 && b > 0 ? short(a / b) : "");

export const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

// Lanes of a mask as text: "0-15, 20".
export function ranges(numbers) {
    const out = [];
    for (let i = 0; i < numbers.length; ) {
        let k = i;
        while (k + 1 < numbers.length && numbers[k + 1] === numbers[k] + 1) k++;
        out.push(k > i ? `${numbers[i]}–${numbers[k]}` : `${numbers[i]}`);
        i = k + 1;
    }
    return out.join(", ");
}
export function lanesOf(mask) {
    const bits = parseInt(mask, 16) || 0, out = [];
    for (let lane = 0; lane < 32; lane++) if ((bits >>> lane) & 1) out.push(lane);
    return out;
}
