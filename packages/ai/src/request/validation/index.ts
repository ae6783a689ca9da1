/** Arguments checked against the schema of a tool. */
export { describeErrors, describeInfinite, toLines } from "./describe-errors.js";
export { type CompiledSchema, compileSchema } from "./json-schema.js";
