/** Arguments checked against the schema of a tool. */

export { type CompiledSchema, compileSchema } from "./json-schema.js";
export { convertSchema, isLibrarySchema, readParameters } from "./library-schema.js";
export { describeErrors, describeInfinite, toLines } from "./validation.js";
