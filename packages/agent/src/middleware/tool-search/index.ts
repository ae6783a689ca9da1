/**
 * Tools that the model finds when it needs them, instead of reading all of them in every request.
 *
 * @module pi-agent/tool-search
 */
export { type ToolSearchOptions, toolSearch } from "./tool-search.js";
