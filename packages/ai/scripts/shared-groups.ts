/**
 * Bundles the code that nearly all entries share into one file per group. Without groups, the bundler creates a file
 * for each set of entries that share a module. A group contains everything that its roots import, without the content
 * of earlier groups.
 */
import { readFileSync } from "node:fs";
import { basename, dirname, relative, resolve } from "node:path";
import { buildSync, type Plugin } from "esbuild";

// Builds run in the folder of the package.
const SOURCE = resolve("src");

const ROOTS = {
  // Modules that a page loads before a response arrives.
  core: [
    "message/empty-message.ts",
    "message/response-completion.ts",
    "message/cost.ts",
    "errors.ts",
    "message/event-stream.ts",
    "request/normalize-context.ts",
    "driver/failure.ts",
    "transport/redact.ts",
    "transport/request-guard.ts",
    "utils/any-signal.ts",
    "utils/diagnostics.ts",
    "utils/duration.ts",
    "utils/is-object.ts",
    "utils/message-text.ts",
    "utils/nearest-names.ts",
    "utils/process-state.ts",
    "utils/request-attempts.ts",
  ],
  assembler: ["message/assistant-message-builder.ts"],
  // Modules that run a request, including those that the root exports.
  runtime: [
    "catalogue/compat/claude-families.ts",
    "catalogue/compat/thinking.ts",
    "request/handoff/unknown-block.ts",
    "providers/named-stream.ts",
    "driver/create-api-provider.ts",
    "utils/load-once.ts",
    "utils/sanitize-unicode.ts",
    "utils/session-resources.ts",
    "version.ts",
  ],
  // Modules that the apis share to build a request.
  request: [
    "message/reported-cost.ts",
    "catalogue/compat/match.ts",
    "providers/add-to-item.ts",
    "providers/cache-marks.ts",
    "providers/content.ts",
    "providers/thinking-budget.ts",
    "providers/host-headers.ts",
    "providers/simple-options.ts",
    "request/handoff/portable-content.ts",
    "request/handoff/transform-messages.ts",
    "transport/sdk/http-sdk.ts",
    "transport/headers.ts",
  ],
  // The tables of vendors about context windows: the sizes of tokens, and the error texts of overflow.
  window: ["tokens/estimate-tokens.ts", "utils/overflow.ts"],
  // The table of hosts, which the apis of OpenAI share.
  hosts: ["catalogue/compat/host-rows.ts"],
  // Modules that several apis share, except the api that most programs begin with.
  vendors: [
    "catalogue/compat/openai-responses.ts",
    "providers/cited-blocks.ts",
    "providers/file-limits.ts",
    "providers/openai-responses/options.ts",
    "transport/post-json.ts",
  ],
  // Modules that the root exports and other entries use, too.
  root: [
    "testing/faux/faux-message.ts",
    "testing/faux/faux-provider.ts",
    "models.ts",
    "providers/register-builtins.ts",
    "stream.ts",
    "utils/retryable.ts",
    "request/validation/validation.ts",
  ],
} as const;

/** Modules that few requests need. The driver loads them on demand, so the groups' files must not contain them. */
export const ON_DEMAND: readonly string[] = [
  "request/context-management/add-context-management",
  "driver/alternate-roles",
  "driver/unknown-options",
  "driver/watch/watch-request",
  "request/schema/fit-schemas",
  "request/server-tools/declare-server-tools",
  "transport/content-coding",
  "transport/http-error",
];

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
  Array.from(
    readFileSync(resolve(SOURCE, "providers/built-in-apis.generated.ts"), "utf8").matchAll(
      /"(?<api>[\w-]+)": \/\* @__PURE__ \*\/ loadOnce\(\(\) => import\("\.\/(?<path>[\w/-]+)\.js"\)/g,
    ),
    ([, api = "", path = ""]) => [`api-${api}`, `providers/${path}.ts`],
  ),
);

const adapterFiles = new Map(Object.entries(ADAPTERS).map(([name, file]) => [file, name]));

export type Group = keyof typeof ROOTS;

// `Object.keys` returns `string[]`; a literal has no other keys.
export const GROUPS = Object.keys(ROOTS) as Group[];

const groupOf = new Map<string, Group>();
for (const group of GROUPS) {
  for (const file of reachedFrom(ROOTS[group])) if (!groupOf.has(file)) groupOf.set(file, group);
}

/** Makes imports of grouped modules refer to the files of the groups. */
export function useShared(own?: Group): Plugin {
  return {
    name: "shared",
    setup: (build) => {
      build.onResolve({ filter: /^\.\.?\/.*\.js$/ }, ({ path, importer }) => {
        const name = toName(resolve(dirname(importer), path)).replace(/\.js$/, ".ts");
        if (ON_DEMAND.includes(name.replace(/\.ts$/, "")))
          return { path: `./${basename(name, ".ts")}.js`, external: true };
        if (SEPARATE[name]) return { path: SEPARATE[name], external: true };
        if (adapterFiles.has(name)) return { path: `./${adapterFiles.get(name)}.js`, external: true };
        const group = groupOf.get(name);
        return group && group !== own ? { path: `./${group}.js`, external: true } : undefined;
      });
    },
  };
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

/** These modules and everything that they import statically. */
function reachedFrom(roots: readonly string[]): Set<string> {
  const { metafile } = buildSync({
    entryPoints: roots.map((root) => `./${root}`),
    absWorkingDir: SOURCE,
    bundle: true,
    format: "esm",
    packages: "external",
    outdir: "unwritten",
    write: false,
    metafile: true,
  });
  const reached = new Set(roots);
  // Iterating a set also visits elements that are added on the way.
  for (const file of reached) {
    for (const { path, kind, external } of metafile.inputs[file]?.imports ?? [])
      if (kind === "import-statement" && !external && !SEPARATE[path]) reached.add(path);
  }
  return reached;
}

function toName(path: string): string {
  return relative(SOURCE, path).replaceAll("\\", "/");
}
