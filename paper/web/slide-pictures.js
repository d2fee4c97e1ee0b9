// Pictures on slides. The slides' keys stay theirs: a picture has + and -, and while one of its controls has the focus by
// the keyboard, that control's own keys.
import { makePicture } from "./pictures.js";

const CONTROL_KEYS = new Set([" ", "Enter", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"]);
const moves = new Map();
let byPointer = false;

for (const root of document.querySelectorAll("[data-picture]")) {
    root.querySelector(".first").remove();
    moves.set(root, makePicture(root));
    const leave = () => { if (byPointer) document.activeElement.blur(); };
    root.addEventListener("pointerdown", () => { byPointer = true; });
    root.addEventListener("keydown", event => {
        byPointer = false;
        if (event.key === "Escape") document.activeElement.blur();
        if (CONTROL_KEYS.has(event.key)) event.stopPropagation();
    });
    root.addEventListener("change", leave);
    root.addEventListener("click", event => {
        event.stopPropagation();
        if (!event.target.closest("select")) leave();
    });
}
addEventListener("keydown", event => {
    const by = { "+": 1, "-": -1 }[event.key], move = by && moves.get(document.querySelector("section.now > [data-picture]"));
    if (move && !event.ctrlKey && !event.metaKey && !event.altKey) move(by);
});
addEventListener("beforeprint", () => moves.forEach(move => move()));
