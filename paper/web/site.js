// The pages of the site: light and dark, questions, pictures, the search.
import { makePicture } from "./pictures.js";
import { makeForm, showProgress, stored } from "./questions.js";
import { showResults } from "./search.js";

function setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    document.getElementById("theme").setAttribute("aria-pressed", String(theme === "dark"));
}

const dark = window.matchMedia("(prefers-color-scheme: dark)");
setTheme(stored("theme") || (dark.matches ? "dark" : "light"));
document.getElementById("theme").addEventListener("click", () => {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    setTheme(theme);
    try { localStorage.setItem("warpbook/theme", theme); } catch { /* kept for this page alone */ }
});
document.querySelectorAll("details.ask").forEach(makeForm);
document.querySelectorAll("[data-picture]").forEach(makePicture);
document.querySelectorAll("[data-chapter]").forEach(showProgress);
const index = document.getElementById("index");
if (index) showResults(index);
document.documentElement.dataset.ready = "yes";
