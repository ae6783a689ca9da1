import { basename, dirname, resolve } from "node:path";
import { defineConfig, type Options } from "tsup";
import { listImportedFiles, reachFrom } from "../../scripts/imports.ts";
import { listEntries } from "../../scripts/package-entries.ts";
import { throughDoors } from "../../scripts/through-doors-plugin.ts";

const SOURCE = resolve("src");

/** The module that the platform chooses, by the names in `imports` of package.json. */
const BUILT_IN_APIS = resolve(SOURCE, "loop/built-in-apis.ts");

const isApart = (file: string): boolean => file === BUILT_IN_APIS;

const reach = (...files: readonly string[]): Set<string> =>
  reachFrom(
    files.map((file) => resolve(file)),
    isApart,
  );

const { index: _root, ...OTHERS } = listEntries(".");
const ENTRIES = reach(...Object.values(OTHERS));
const ROOT = reach("src/index.ts");
const RUNS = reach("src/loop/run-modes.ts");

/** The modules that a run loads late, by the names of their files. */
const PARTS = findParts();

/** What the root shares with other entries or with what is loaded late, in one file. */
const SHARED = findShared();

/**
 * What all runs need, and the first one loads, in one file. Other entries get copies of what they use of it, which must hold
 * no state: so far the error of a limit, whose copies know each other.
 */
const LOOP = [...RUNS].filter((file) => !(ROOT.has(file) || SHARED.includes(file))).sort();

function findParts(): Record<string, string> {
  const files = new Set([...ROOT, ...RUNS]);
  const parts = new Set<string>();
  // Iterating a set also visits elements that are added on the way: a part has parts.
  for (const file of files) {
    for (const { file: part, kind } of listImportedFiles(file)) {
      if (kind !== "dynamic" || isApart(part) || RUNS.has(part)) continue;
      parts.add(part);
      for (const found of reach(part)) files.add(found);
    }
  }
  return Object.fromEntries(Array.from(parts, (file) => [`parts/${basename(file, ".ts")}`, file]));
}

function findShared(): string[] {
  const late = reach(...Object.values(PARTS));
  const isShared = (file: string): boolean => ENTRIES.has(file) || RUNS.has(file) || late.has(file);
  return [...ROOT].filter(isShared).sort();
}

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/** Files of their own, by the names in `imports` of package.json. */
const SEPARATE = new Map([
  ...SHARED.map((file) => [file, "#shared"] as const),
  ...LOOP.filter((file) => !ENTRIES.has(file)).map((file) => [file, "#loop"] as const),
  [BUILT_IN_APIS, "#built-in-apis"],
]);

/** Keeps these modules in files of their own. */
const useSeparate: Plugin = {
  name: "separate",
  setup: (build) => {
    build.onResolve({ filter: /^\.\.?\/.*\.js$/ }, ({ path, importer }) => {
      const name = SEPARATE.get(resolve(dirname(importer), path).replace(/\.js$/, ".ts"));
      // A folder's `index.ts` names modules that the importer may not use.
      return name ? { path: name, external: true, sideEffects: false } : undefined;
    });
  },
};

/** Builds one file that exports everything in its modules. What they load late stays outside. */
function group(name: string, files: readonly string[]): Options {
  const others = new Map([...SEPARATE].filter(([file]) => !files.includes(file)));
  const parts = new Map(Object.entries(PARTS).map(([part, file]) => [file, `./${part}.js`]));
  const plugin: Plugin = {
    name,
    setup: (build) => {
      build.onResolve({ filter: /./ }, ({ kind, path, importer }) => {
        if (kind === "entry-point") return { path: name, namespace: name };
        const file = resolve(dirname(importer), path).replace(/\.js$/, ".ts");
        const found = others.get(file) ?? parts.get(file);
        return found && path.startsWith(".") ? { path: found, external: true, sideEffects: false } : undefined;
      });
      build.onLoad({ filter: /./, namespace: name }, () => ({
        contents: files.map((file) => `export * from ${JSON.stringify(file)};`).join("\n"),
        resolveDir: SOURCE,
      }));
    },
  };
  return { ...common, entry: { [name]: "src/index.ts" }, splitting: false, esbuildPlugins: [throughDoors, plugin] };
}

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
    ...PARTS,
    "built-in-apis": "src/loop/built-in-apis.ts",
    "registered-apis": "src/loop/registered-apis.ts",
  },
  esbuildPlugins: [throughDoors, useSeparate],
};

export default defineConfig([library, group("shared", SHARED), group("loop", LOOP)]);
