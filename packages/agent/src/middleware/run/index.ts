/** The middleware of a run: its beginning and its end. */
export { beginMiddleware, endMiddleware, loadOutput } from "./begin.js";
