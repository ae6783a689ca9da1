/**
 * Bundles the code that nearly all entries share into one file per group. Without groups, the bundler creates a file
 * for each set of entries that share a module. What belongs to a group follows from what the entries load.
 */
import { basename, dirname, relative, resolve } from "node:path";
import type { Plugin } from "esbuild";
import { listImportedFiles, reachFrom } from "../../../scripts/imports.ts";
import { listEntries } from "../../../scripts/package-entries.ts";
import type { KnownApi } from "../src/types/model.js";
import { type ApiRow, readApiRows } from "./api-rows.ts";

// Builds run in the folder of the package.
const SOURCE = resolve("src");

const entries = listEntries(".");
const apis = readApiRows(".");

/**
 * The modules that the platform chooses, by the names in `imports` of package.json: Node loads the large ones at their
 * first use (`src/node.ts`).
 */
export const SEPARATE: Readonly<Record<string, string>> = {
  "request/validation/json-schema.ts": "#validator",
  "models.generated.ts": "#catalogue",
  "utils/node/builtins.ts": "#node",
};

/**
 * The adapters by the names of their files in the build. The entry of an api and the root share the adapter's file; the
 * root loads it with the first request.
 */
export const ADAPTERS: Readonly<Record<string, string>> = Object.fromEntries(
  apis.map(({ api, adapter }) => [`api-${api}`, `providers/${adapter.module}.ts`]),
);

/**
 * Code that the driver loads late, but that some entries need at once. Each file of the build that needs it has a copy:
 * a file of its own would be one more to load with those entries.
 */
const COPIED: readonly string[] = [
  "catalogue/env/credentials.ts",
  "message/standalone-builder.ts",
  "wire/json/streaming-json.ts",
];

/** The same for all that these import, so that their own files need no other: what they shared would be a file more. */
const SELF_CONTAINED: readonly string[] = ["catalogue/env/credentials.ts", "wire/json/streaming-json.ts"];

/**
 * What modules of late parts hold copies of: small modules without state, which a group would otherwise hold at the start for
 * their sake.
 */
const LATE_COPIES: Readonly<Record<string, readonly string[]>> = {
  "providers/anthropic/own-request.ts": ["request/handoff/input-kind.ts", "request/handoff/wire-items.ts"],
  "providers/anthropic/own-blocks.ts": ["providers/add-to-item.ts", "request/handoff/wire-items.ts"],
  "providers/anthropic/own-usage.ts": ["message/reported-cost.ts"],
  "request/handoff/foreign-content.ts": ["request/handoff/input-kind.ts", "request/handoff/wire-items.ts"],
};

/** Whether a file of the build holds what one of its modules imports, although others hold it, too. */
function isCopied(name: string, importer: string): boolean {
  return COPIED.includes(name) || SELF_CONTAINED.includes(importer) || Boolean(LATE_COPIES[importer]?.includes(name));
}

const adapterFiles = new Map(Object.entries(ADAPTERS).map(([name, file]) => [file, name]));

export type Group = "core" | "runtime" | "request" | "vendors" | "openai" | "window" | "root";

/** The groups in their order: a module belongs to the first one that names it. */
function* nameGroups(): Generator<[Group, Iterable<string>]> {
  const root = loadedBy("index");
  const count = loadedBy("count");
  const adapters = Object.values(ADAPTERS).map(reachedFrom);
  // What the adapters of each folder load. Most programs begin with the first one.
  const folders = Map.groupBy(Object.values(ADAPTERS), dirname).values();
  const [first = new Set<string>(), ...others] = Array.from(folders, (files) => union(files.map(reachedFrom)));
  const apiEntries = new Set(apis.map(({ entry }) => entry));
  const otherEntries = Object.keys(entries).filter((name) => name !== "index" && !apiEntries.has(name));
  // What a page loads before a response arrives.
  yield ["core", loadedBy("call")];
  yield ["core", shared(loadedBy("assemble"), [loadedBy("otel")])];
  // What runs a request, and what the root shares with an api.
  const driver = union([reachedFrom("driver/run-adapter.ts"), reachedFrom("providers/named-stream.ts")]);
  yield ["runtime", driver];
  yield ["runtime", shared(root, adapters)];
  // What several apis share.
  yield ["request", shared(first, others)];
  // What else a part that is loaded on demand shares with an api.
  const later = [...driver].flatMap(loadedLater).filter((file) => !adapterFiles.has(file));
  const copied = new Set(Object.values(LATE_COPIES).flat());
  yield ["runtime", shared(without(union(later.map(reachedFrom)), copied), adapters)];
  yield ["vendors", shared(union(others), others, 3)];
  // What the apis of OpenAI share, such as the table of hosts, beside the folders of the apis.
  const { adapter, options } = rowOf("openai-responses");
  yield ["openai", beside(shared(reachedFrom(`providers/${adapter.module}.ts`), adapters, 2))];
  yield ["openai", reachedFrom(`providers/${options.module}.ts`)];
  yield ["vendors", beside(shared(union(others), adapters, 4))];
  // The tables of vendors about context windows: the sizes of tokens, and the error texts of overflow.
  yield ["window", shared(root, [count])];
  yield ["root", shared(root, otherEntries.map(loadedBy))];
  // The root has its own copy of the parser.
  yield ["root", ["wire/json/parse-streaming-json.ts"]];
}

/** Without what is in the folder of an api. */
function beside(files: readonly string[]): string[] {
  return files.filter((file) => !/^providers\/[^/]+\//.test(file));
}

function rowOf(api: KnownApi): ApiRow {
  const row = apis.find((one) => one.api === api);
  if (row === undefined) throw new Error(`data/apis.jsonl has no api ${api}`);
  return row;
}

function loadedBy(entry: string): Set<string> {
  const source = entries[entry];
  if (source === undefined) throw new Error(`package.json has no entry ${entry}`);
  return reachedFrom(source.replace("src/", ""));
}

/** This module and everything that it imports statically. */
function reachedFrom(file: string): Set<string> {
  const reached = reachFrom([resolve(SOURCE, file)], (found) => SEPARATE[toName(found)] !== undefined);
  return new Set([...reached].map(toName));
}

/** What a module loads on demand. */
function loadedLater(file: string): string[] {
  const imported = listImportedFiles(resolve(SOURCE, file));
  return imported.flatMap(({ file: found, kind }) => (kind === "dynamic" ? [toName(found)] : []));
}

function union(sets: readonly Set<string>[]): Set<string> {
  return new Set(sets.flatMap((set) => [...set]));
}

function without(files: ReadonlySet<string>, others: ReadonlySet<string>): Set<string> {
  return new Set([...files].filter((file) => !others.has(file)));
}

/** The files that are in at least so many of the sets. */
function shared(files: Iterable<string>, sets: readonly Set<string>[], atLeast = 1): string[] {
  return [...files].filter((file) => sets.filter((set) => set.has(file)).length >= atLeast);
}

const groupOf = new Map<string, Group>();
for (const [group, files] of nameGroups())
  for (const file of files) if (!groupOf.has(file) && !COPIED.includes(file)) groupOf.set(file, group);

/**
 * What assembles messages for a program that does not run requests, such as a page with a relay: its entry has a copy, because
 * a file of its own would be one more to load with each api.
 */
export const ASSEMBLED: ReadonlySet<string> = new Set(
  [...loadedBy("assemble")].filter((file) => groupOf.get(file) === "runtime"),
);

export const GROUPS: readonly Group[] = [...new Set(groupOf.values())];

/** Modules that few requests need: the groups and the adapters load them on demand, so their files must not contain them. */
export const ON_DEMAND: readonly string[] = [
  ...new Set([...groupOf.keys(), ...union(Object.values(ADAPTERS).map(reachedFrom))]),
]
  .flatMap(loadedLater)
  .filter((file) => !adapterFiles.has(file) && !groupOf.has(file));

/** Makes imports of grouped modules refer to the files of the groups, but for those of which the file has copies. */
export function useShared(own?: Group, copies: ReadonlySet<string> = new Set()): Plugin {
  return {
    name: "shared",
    setup: (build) => {
      build.onResolve({ filter: /^\.\.?\/.*\.js$/ }, ({ path, importer, kind }) => {
        const name = toName(resolve(dirname(importer), path)).replace(/\.js$/, ".ts");
        if (kind === "import-statement" && (copies.has(name) || isCopied(name, toName(importer)))) return undefined;
        const file = fileOf(name, own);
        // A folder's `index.ts` names modules that the importer may not use.
        return file === undefined ? undefined : { path: file, external: true, sideEffects: false };
      });
    },
  };
}

/** The file of the build with a module that another file must not contain. */
function fileOf(name: string, own: Group | undefined): string | undefined {
  if (ON_DEMAND.includes(name)) return `./${basename(name, ".ts")}.js`;
  if (SEPARATE[name]) return SEPARATE[name];
  if (adapterFiles.has(name)) return `./${adapterFiles.get(name)}.js`;
  const group = groupOf.get(name);
  return group && group !== own ? `./${group}.js` : undefined;
}

/** The entry of a group's file exports everything in its modules; the package's entries decide what is public. */
export function groupEntry(group: Group): Plugin {
  const files = [...groupOf].filter(([, owner]) => owner === group);
  return {
    name: "group",
    setup: (build) => {
      build.onResolve({ filter: /./ }, ({ kind }) =>
        kind === "entry-point" ? { path: group, namespace: "group" } : undefined,
      );
      build.onLoad({ filter: /./, namespace: "group" }, () => ({
        contents: files.map(([file]) => `export * from "./${file}";`).join("\n"),
        resolveDir: SOURCE,
      }));
    },
  };
}

function toName(path: string): string {
  return relative(SOURCE, path).replaceAll("\\", "/");
}
