/** The middleware of a run: its beginning and its end. */
export { addOutput, beginMiddleware, endMiddleware } from "./begin.js";
