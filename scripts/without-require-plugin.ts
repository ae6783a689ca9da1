/**
 * An esbuild plugin for CommonJS code in an ES module: it turns `require("fs")` into an import of `node:fs`, and lets
 * that of an optional package fail, as it does where the package is not installed. What is left needs no `require`:
 * bundlers and file tracers do not follow one that `createRequire` made, and warn of one that they cannot follow.
 */
import { isBuiltin } from "node:module";
import type { Plugin } from "esbuild";

export const withoutRequire = (optional: RegExp): Plugin => ({
  name: "without-require",
  setup: (build) => {
    build.onResolve({ filter: /^[a-z]/ }, ({ path, kind }) => {
      if (kind !== "require-call") return undefined;
      if (isBuiltin(path)) return { path: path.replace(/^node:/, ""), namespace: "builtin", sideEffects: false };
      return optional.test(path) ? { path, namespace: "optional" } : undefined;
    });
    build.onLoad({ filter: /./, namespace: "builtin" }, ({ path }) => ({
      contents: `import builtin from "node:${path}"; module.exports = builtin;`,
    }));
    build.onLoad({ filter: /./, namespace: "optional" }, ({ path }) => ({
      contents: `throw new Error("Cannot find module '${path}'");`,
    }));
  },
});
