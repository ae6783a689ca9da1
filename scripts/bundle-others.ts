/** Bundles the code of others, so that an install brings neither their packages nor their hundreds of files. */
import { readFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import type { Plugin } from "esbuild";
import type { Options } from "tsup";
import { collectLicences } from "./licences-plugin.ts";

/** What `ws`, `debug` and `node-fetch` use if it is there. */
const OPTIONAL = /^(?:bufferutil|encoding|supports-color|utf-8-validate)$/;

/**
 * The methods of the APIs: a client that posts JSON and returns the raw response needs none. OpenAI's file has 80 KB instead of
 * 388 without them, and loads in 7 ms instead of 31; Anthropic's would speak of Node's modules where there are none. For
 * Google's, 250 KB and 5 ms are not worth a list of classes (2026-11).
 */
const NEVER_REACHED =
  /[\\/](?:@anthropic-ai[\\/]sdk|openai)[\\/](?:auth|core[\\/](?:credentials|error-classes|pagination|streaming)|internal[\\/](?:decoders|parse|to-file|uploads)|lib|resources)[\\/.]/;

/**
 * One file with what a module imports of other packages, and with their licences beside it.
 *
 * The row: the module in `src` and the file in `dist`, both without extension, and the platform. What can do without Node's own
 * modules is built as for a browser, which takes half the time to load.
 */
export function bundleOthers([source, name, platform]: readonly [string, string, "node" | "browser"]): Options {
  return {
    format: ["esm"],
    target: "es2023",
    platform,
    silent: true,
    entry: { [name]: `src/${source}.ts` },
    noExternal: [/.*/],
    minify: true,
    splitting: false,
    treeshake: true,
    removeNodeProtocol: false,
    // Webpack would take a module that can define itself for AMD for nothing else.
    define: { define: "undefined" },
    // The schemas of schemas: no schema is checked against them.
    loader: { ".json": "empty" },
    esbuildOptions: (options) => {
      // ES modules where a package has both: what is not used is left out (AWS: 331 KB and 50 ms to load, not 488 and 64).
      options.mainFields = platform === "browser" ? ["browser", "module", "main"] : ["module", "main"];
    },
    esbuildPlugins: [
      collectLicences(`${name}.LICENSE.txt`),
      platform === "node" ? withoutRequire : conditionalNode,
      leaveOut(NEVER_REACHED),
    ],
    banner: { js: `/*! The licences of the packages in this file are in ${name.replace(/.*\//, "")}.LICENSE.txt */` },
  };
}

/** Names of Node's modules under which a bundler for another platform finds a stand-in, for those that are loaded when needed. */
const conditionalNode: Plugin = {
  name: "conditional-node",
  setup: (build) => {
    build.onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === "dynamic-import" ? { path: path.replace("node:", "#node/"), external: true } : undefined,
    );
  },
};

/**
 * For CommonJS code in an ES module: turns `require("fs")` into an import of `node:fs`, and lets that of an optional
 * package fail, as it does where the package is not installed. What is left needs no `require`: bundlers and file tracers
 * do not follow one that `createRequire` made, and warn of one that they cannot follow.
 */
const withoutRequire: Plugin = {
  name: "without-require",
  setup: (build) => {
    build.onResolve({ filter: /^[a-z]/ }, ({ path, kind }) => {
      if (kind !== "require-call") return undefined;
      if (isBuiltin(path)) return { path: path.replace(/^node:/, ""), namespace: "builtin", sideEffects: false };
      return OPTIONAL.test(path) ? { path, namespace: "optional" } : undefined;
    });
    build.onLoad({ filter: /./, namespace: "builtin" }, ({ path }) => ({
      contents: `import builtin from "node:${path}"; module.exports = builtin;`,
    }));
    build.onLoad({ filter: /./, namespace: "optional" }, ({ path }) => ({
      contents: `throw new Error("Cannot find module '${path}'");`,
    }));
  },
};

const EXPORTS =
  /^export (?:(?:async )?(?:function\*?|class|const|let|var) (?<name>\w+)|\{(?<names>[^}]*)\};?$|(?<from>[*{][^;]* from [^;]*;))/gm;

/**
 * Replaces each export of some modules with an empty class. A client can still refer to it and extend it; calling it throws.
 *
 * @param filter matches the paths of modules that are never reached
 */
const leaveOut = (filter: RegExp): Plugin => ({
  name: "left-out",
  setup: (build) => {
    build.onLoad({ filter }, async ({ path }) => {
      const found = (await readFile(path, "utf8")).matchAll(EXPORTS);
      return { contents: Array.from(found, ({ groups }) => standIn(groups ?? {})).join("\n") };
    });
  },
});

function standIn({ name, names = "", from }: Record<string, string | undefined>): string {
  if (from) return `export ${from}`;
  const listed = names.split(",").map((entry) => entry.trim().replace(/^.* as /, ""));
  return [name ?? "", ...listed]
    .filter(Boolean)
    .map((exported) => (exported === "default" ? "export default class {}" : `export class ${exported} {}`))
    .join("\n");
}
