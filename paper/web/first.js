// first.mjs FILE: the first state of the picture that FILE holds, {kind, data}, as markup, for paper and where no script
// runs. What the modules ask of a page is a tree of elements.
import { readFileSync } from "node:fs";
import { makePicture } from "./pictures.js";

const escaped = text => String(text).replace(/[&<>"]/g, c => `&#${c.codePointAt(0)};`);

class Element {
    constructor(tag) {
        Object.assign(this, { tag, attributes: new Map(), children: [], dataset: {} });
        this.classList = { toggle: (name, on) => this.classes(name, on), add: name => this.classes(name, true) };
    }
    classes(name, on) {
        const all = new Set((this.attributes.get("class") || "").split(" ").filter(Boolean));
        if (on) all.add(name);
        else all.delete(name);
        this.className = [...all].join(" ");
    }
    set className(names) { this.setAttribute("class", names); }
    set textContent(text) { this.children = [String(text)]; }
    set disabled(is) { is ? this.setAttribute("disabled", "disabled") : this.attributes.delete("disabled"); }
    setAttribute(name, value) {
        this.attributes.set(name, String(value));
        if (name.startsWith("data-")) this.dataset[name.slice(5)] = String(value);
    }
    addEventListener() { /* nothing happens on paper */ }
    append(...children) { this.children.push(...children); }
    replaceChildren(...children) { this.children = children; }
    querySelectorAll() { return this.children.flatMap(c => (c instanceof Element ? [...("lane" in c.dataset ? [c] : []), ...c.querySelectorAll()] : [])); }
    toString() {
        const attributes = [...this.attributes].filter(([, value]) => value !== "").map(([name, value]) => ` ${name}="${escaped(value)}"`).join("");
        return `<${this.tag}${attributes}>${this.inside()}</${this.tag}>`;
    }
    inside() { return this.children.map(c => (c instanceof Element ? c : escaped(c))).join(""); }
}

globalThis.Node = Element;
globalThis.document = { createElement: tag => new Element(tag), createElementNS: (_, tag) => new Element(tag) };
const { kind, data } = JSON.parse(readFileSync(process.argv[2], "utf8")), root = new Element("div");
root.dataset.picture = kind;
root.querySelector = () => ({ textContent: JSON.stringify(data) });
makePicture(root);
process.stdout.write(root.inside());
