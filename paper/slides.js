// The slides one by one: keys, and the part of the address after #, which a reload keeps. Without this
// script they are one below the other.
const slides = [...document.querySelectorAll('body > section')];
let now = 0;
function show(number) {
    now = Math.max(0, Math.min(slides.length - 1, number));
    slides.forEach((slide, i) => slide.classList.toggle('now', i === now));
    history.replaceState(null, '', '#' + (now + 1));
    scrollTo(0, 0);
}
const moves = {
    ' ': () => show(now + 1), Enter: () => show(now + 1), ArrowRight: () => show(now + 1), PageDown: () => show(now + 1),
    ArrowLeft: () => show(now - 1), PageUp: () => show(now - 1), Backspace: () => show(now - 1),
    Home: () => show(0), End: () => show(slides.length - 1),
    n: () => document.body.classList.toggle('with-notes'),
    a: () => document.body.classList.toggle('shown'),
};
addEventListener('keydown', event => {
    if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(moves, event.key)) return;
    event.preventDefault();
    moves[event.key]();
});
addEventListener('click', event => {
    if (!getSelection().isCollapsed || event.target.closest('a')) return;
    show(now + (innerWidth / 3 > event.clientX ? -1 : 1));
});
addEventListener('hashchange', () => show(Number(location.hash.slice(1)) - 1));
document.body.classList.add('shown');
show(Number(location.hash.slice(1)) - 1);
