/** Arguments checked against the schema of a tool. */
export { describeErrors, describeInfinite, toLines } from "./describe-errors.js";
export { type CompiledSchema, compileSchema } from "./json-schema.js";
export {
  convertSchema,
  isLibrarySchema,
  readIssues,
  readParameters,
  readRules,
  type StandardValidate,
} from "./library-schema.js";
