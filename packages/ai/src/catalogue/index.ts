/** The models: their data, and what is asked of it. */
export { assertModel } from "./model-argument.js";
