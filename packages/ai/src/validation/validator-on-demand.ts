/**
 * Replaces the validator in Node, where importing it would make the package's import half as long again although its
 * users are synchronous. Bundlers use the validator itself (see `imports` in package.json). One that finds this file
 * sees a literal `require` and bundles its target.
 */
type Validator = typeof import("./json-schema.js");

let validator: Validator | undefined;

export const compileSchema: Validator["compileSchema"] = (schema) => {
  validator ??= load();
  return validator.compileSchema(schema);
};

/** The validator is built next to this file. */
function load(): Validator {
  // The global `require` of `node -e` resolves from another directory.
  if (typeof require === "function" && require !== globalThis.require) return require("./validator.js");
  return process.getBuiltinModule("node:module").createRequire(import.meta.url)("./validator.js");
}
