/**
 * Stands for the validator in Node: importing the package would take half as long again with it, and its users are
 * synchronous functions. Bundlers take the validator itself (see `imports` in package.json); one that comes here all the
 * same sees a literal `require`, and bundles what it names.
 */
import { createRequire } from "node:module";

type Validator = typeof import("./json-schema.js");

let validator: Validator | undefined;

export const compileSchema: Validator["compileSchema"] = (schema) => {
  validator ??= load();
  return validator.compileSchema(schema);
};

function load(): Validator {
  // Built next to this file.
  return typeof require === "function" ? require("./validator.js") : createRequire(import.meta.url)("./validator.js");
}
