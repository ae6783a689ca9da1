/**
 * Stands for the validator in Node: importing the package would take half as long again with it, and its users are
 * synchronous functions. Bundlers take the validator itself (see `imports` in package.json); one that comes here all the
 * same sees a literal `require`, and bundles what it names.
 */
type Validator = typeof import("./json-schema.js");

let validator: Validator | undefined;

export const compileSchema: Validator["compileSchema"] = (schema) => {
  validator ??= load();
  return validator.compileSchema(schema);
};

/** What is asked for is built next to this file. */
function load(): Validator {
  // The global `require` of `node -e` looks elsewhere.
  if (typeof require === "function" && require !== globalThis.require) return require("./validator.js");
  return process.getBuiltinModule("node:module").createRequire(import.meta.url)("./validator.js");
}
