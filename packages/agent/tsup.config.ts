import { dirname, resolve } from "node:path";
import { defineConfig, type Options } from "tsup";
import { listImportedFiles, reachFrom } from "../../scripts/imports.ts";
import { listEntries } from "../../scripts/package-entries.ts";
import { throughDoors } from "../../scripts/through-doors-plugin.ts";

const SOURCE = resolve("src");

/** The module that the platform chooses, by the names in `imports` of package.json. */
const BUILT_IN_APIS = resolve(SOURCE, "loop/built-in-apis.ts");

const isApart = (file: string): boolean => file === BUILT_IN_APIS;

/** What the root needs at its import and its lazily loaded parts or other entries need as well, in one file. */
const SHARED = findShared(reachFrom([resolve(SOURCE, "index.ts")], isApart));

function findShared(root: ReadonlySet<string>): string[] {
  const { index: _root, ...others } = listEntries(".");
  const elsewhere = reachFrom(
    Object.values(others).map((file) => resolve(file)),
    isApart,
  );
  // Iterating a set also visits elements that are added on the way: a lazy part has lazy parts.
  const files = new Set(root);
  for (const file of files) {
    const parts = listImportedFiles(file).filter((found) => found.kind === "dynamic" && !isApart(found.file));
    for (const found of reachFrom(
      parts.map((part) => part.file),
      isApart,
    )) {
      elsewhere.add(found);
      files.add(found);
    }
  }
  return [...elsewhere].filter((file) => root.has(file)).sort();
}

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/** Files of their own, by the names in `imports` of package.json. */
const SEPARATE = new Map([...SHARED.map((file) => [file, "#shared"] as const), [BUILT_IN_APIS, "#built-in-apis"]]);

/** Keeps these modules in files of their own. */
const useShared: Plugin = {
  name: "shared",
  setup: (build) => {
    build.onResolve({ filter: /^\.\.?\/.*\.js$/ }, ({ path, importer }) => {
      const name = SEPARATE.get(resolve(dirname(importer), path).replace(/\.js$/, ".ts"));
      // A folder's `index.ts` names modules that the importer may not use.
      return name ? { path: name, external: true, sideEffects: false } : undefined;
    });
  },
};

/** The entry of their file exports everything in them. */
const sharedEntry: Plugin = {
  name: "shared-entry",
  setup: (build) => {
    build.onResolve({ filter: /./ }, ({ kind }) =>
      kind === "entry-point" ? { path: "shared", namespace: "shared" } : undefined,
    );
    build.onLoad({ filter: /./, namespace: "shared" }, () => ({
      contents: SHARED.map((file) => `export * from ${JSON.stringify(file)};`).join("\n"),
      resolveDir: resolve("src"),
    }));
  },
};

const common: Options = {
  format: ["esm"],
  target: "es2023",
  platform: "neutral",
  external: [/^pi-ai/, /^node:/],
  splitting: true,
  treeshake: true,
  sourcemap: true,
  dts: false,
  silent: true,
};

const library: Options = {
  ...common,
  entry: {
    ...listEntries("."),
    "built-in-apis": "src/loop/built-in-apis.ts",
    "registered-apis": "src/loop/registered-apis.ts",
  },
  esbuildPlugins: [throughDoors, useShared],
};

const shared: Options = {
  ...common,
  entry: { shared: "src/index.ts" },
  splitting: false,
  esbuildPlugins: [throughDoors, sharedEntry],
};

export default defineConfig([library, shared]);
