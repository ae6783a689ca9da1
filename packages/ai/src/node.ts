/**
 * Loads three large modules in Node.js at their first use: the validator, the model catalogue and TypeBox would add
 * three quarters to the import time of this package, and few programs use all of them. The users of these modules are
 * synchronous, so the build makes this file a CommonJS module: its literal calls of `require` run when they are needed,
 * and bundlers, tracers and Jest see them. Bundlers that tree-shake use the modules themselves (see `imports` in
 * package.json). Both copies of this package, ES modules and CommonJS, load this file first.
 */
import { formatThrownValue } from "./utils/diagnostics.js";

export { diagnosticsChannel, fileSystem, util, zlib } from "./utils/node/builtins.js";

type Catalogue = typeof import("./models.generated.js");
type TypeBox = Pick<typeof import("@sinclair/typebox"), "Type">;
type Validator = typeof import("./request/validation/json-schema.js");

requireFeatures();

/** Fails the import on an outdated Node.js, instead of at a missing function later. */
function requireFeatures(): void {
  // A feature, not the version: other runtimes report a version of Node.js as well.
  if ("withResolvers" in Promise) return;
  throw new Error(`pi-ai and pi-agent need Node.js 22.12 or later. This is Node.js ${process.versions.node}`);
}

let typebox: TypeBox | undefined;

export const packedCatalogue: Catalogue["packedCatalogue"] = () =>
  load<Catalogue>("catalogue.cjs", () => require("./catalogue.cjs")).packedCatalogue();

export const compileSchema: Validator["compileSchema"] = (schema) =>
  load<Validator>("validator.cjs", () => require("./validator.cjs")).compileSchema(schema);

function loadType(): TypeBox["Type"] {
  typebox ??= load<TypeBox>("vendor/typebox.cjs", () => require("./vendor/typebox.cjs"));
  return typebox.Type;
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

/** @throws Error that says what to do if the file was not deployed */
function load<TModule>(file: string, require: () => TModule): TModule {
  try {
    return require();
  } catch (cause) {
    const reason = formatThrownValue(cause).split("\n", 1)[0];
    throw new Error(
      `pi-ai could not load its file dist/${file} (${reason}). Deploy the whole folder of the package, or bundle it with the program`,
      { cause },
    );
  }
}
