// The search: what makes the index and what asks it agree on this.
import MiniSearch from "minisearch";

export const options = { fields: ["title", "text"], storeFields: ["to", "title", "text"], searchOptions: { boost: { title: 3 }, prefix: true, fuzzy: 0.15, combineWith: "AND" } };
export const engine = () => new MiniSearch(options);
export const load = text => MiniSearch.loadJSON(text, options);
