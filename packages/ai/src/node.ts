/**
 * Replaces three large modules in Node.js with functions that load them at their first call: the validator, the model
 * catalogue and TypeBox would add three quarters to the import time of this package, and few programs use all of them.
 * Every entry loads this file first. Bundlers use the modules themselves (see `imports` in package.json); a bundler
 * that finds this file sees a literal `require` and bundles its target. Only the build imports this file.
 */
type Catalogue = typeof import("./models.generated.js");
type TypeBox = typeof import("./sdk/vendor/typebox.js");
type Validator = typeof import("./validation/json-schema.js");

requireFeatures();

/** Fails the import on an outdated Node.js, instead of at a missing function later. */
function requireFeatures(): void {
  // A feature, not the version: other runtimes report a version of Node.js as well.
  if ("withResolvers" in Promise) return;
  throw new Error(`pi-ai and pi-agent need Node.js 22.12 or later. This is Node.js ${process.versions.node}`);
}

let catalogue: Catalogue | undefined;
let typebox: TypeBox | undefined;
let validator: Validator | undefined;

export const packedCatalogue: Catalogue["packedCatalogue"] = () => {
  catalogue ??= isBundled() ? require("./catalogue.js") : requireHere("./catalogue.js");
  return (catalogue as Catalogue).packedCatalogue(); // assigned above
};

export const compileSchema: Validator["compileSchema"] = (schema) => {
  validator ??= isBundled() ? require("./validator.js") : requireHere("./validator.js");
  return (validator as Validator).compileSchema(schema); // assigned above
};

function loadType(): TypeBox["Type"] {
  typebox ??= isBundled() ? require("./typebox.js") : requireHere("./typebox.js");
  return (typebox as TypeBox).Type; // assigned above
}

export const Type: TypeBox["Type"] = /* @__PURE__ */ new Proxy(
  {} as TypeBox["Type"], // the handler answers for all of its members
  {
    get: (_target, name) => Reflect.get(loadType(), name),
    has: (_target, name) => Reflect.has(loadType(), name),
    getPrototypeOf: () => Reflect.getPrototypeOf(loadType()),
    ownKeys: () => Reflect.ownKeys(loadType()),
    getOwnPropertyDescriptor: (_target, name) => {
      const property = Reflect.getOwnPropertyDescriptor(loadType(), name);
      // A proxy may not show a fixed property that its target lacks.
      return property && { ...property, configurable: true };
    },
  },
);

/** The global `require` of `node -e` resolves from another directory. */
function isBundled(): boolean {
  return typeof require === "function" && require !== globalThis.require;
}

/** The modules are built next to this file. */
function requireHere(path: string): unknown {
  return process.getBuiltinModule("node:module").createRequire(import.meta.url)(path);
}
