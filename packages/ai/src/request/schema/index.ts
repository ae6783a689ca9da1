/** Schemas narrowed to what a vendor accepts. */
export { resolvePointer } from "./schema-refs.js";
