/** Generates the text of the modules that follow from the rows of the built-in apis. */
import { basename } from "node:path";
import type { ApiRow } from "./api-rows.ts";

/** Marks a file that the generator may replace and delete. */
export const GENERATED = "// Generated from data/apis.jsonl by scripts/generate-apis.ts; do not edit.";

const HEADER = `${GENERATED}
// biome-ignore-all format: generated.
// biome-ignore-all assist/source/organizeImports: generated.
`;

/** `src/types/known-api.generated.ts` */
export function generateKnownApi(rows: readonly ApiRow[]): string {
  const withFlags = rows.filter((row) => row.compat !== undefined);
  const flags = [...new Set(withFlags.map((row) => row.compat))].sort();
  return `/** The names of the built-in apis, and their compatibility flags. */
${HEADER}import type { ${flags.join(", ")} } from "./compat.js";

/** The apis with a built-in adapter. */
export type KnownApi =
${rows.map(({ api }) => `  | "${api}"`).join("\n")};

/** The compatibility flags of an api. An api that is not listed has none. */
export interface CompatByApi {
${withFlags.map(({ api, compat }) => `  "${api}": ${compat};`).join("\n")}
}
`;
}

/** `src/providers/built-in-apis.generated.ts` */
export function generateLoaders(rows: readonly ApiRow[]): string {
  const loaders = rows.map(
    ({ api, adapter }) =>
      `  "${api}": /* @__PURE__ */ loadOnce(() => import("./${adapter.module}.js").then((module) => module.${adapter.name})),`,
  );
  return `/** The built-in adapters. Each is loaded with the first request that needs it. */
${HEADER}import type { ApiAdapter } from "../driver/index.js";
import type { KnownApi } from "../types/model.js";
import { loadOnce } from "../utils/load-once.js";

export const BUILT_IN_APIS: Record<KnownApi, () => ApiAdapter | Promise<ApiAdapter>> = {
${loaders.join("\n")}
};
`;
}

/** `src/providers/named-streams.generated.ts` */
export function generateNamedStreams(rows: readonly ApiRow[]): string {
  const types = rows.map(({ options }) => exportTypes(options, (module) => `./${module}`));
  const imports = rows.map(({ options }) => `import type { ${options.name} } from "./${options.module}.js";\n`);
  const provider = (api: string): string => `/* @__PURE__ */ createBuiltInProvider("${api}")`;
  return `/** The functions of each built-in api under their own names, for code that knows its api. They use no registry. */
${HEADER}import type { StreamFunction } from "../types/options.js";
import { nativeStream, type SimpleStreamFunction, simpleStream } from "../api-registry.js";
import { createBuiltInProvider } from "./register-builtins.js";
${imports.join("")}
${types.join("")}
${rows.map((row) => exportFunctions(row, provider(row.api))).join("\n")}`;
}

/** `src/providers/options-by-api.generated.ts` */
export function generateOptions(rows: readonly ApiRow[]): string {
  const imports = rows.map(({ options }) => `import type { ${options.name} } from "./${options.module}.js";\n`);
  return `/** The options of each built-in api. */
${HEADER}${imports.join("")}
export interface OptionsByApi {
${rows.map(({ api, options }) => `  "${api}": ${options.name};`).join("\n")}
}
`;
}

/** The entry of an api: `index.ts` of its folder, or a file of its name if the folder holds several apis. */
export function entryFile({ entry, adapter }: ApiRow): string {
  const [folder, file] = adapter.module.split("/");
  return `src/providers/${folder}/${file === "adapter" ? "index" : entry}.ts`;
}

/** The text of `entryFile` */
export function generateEntry(row: ApiRow): string {
  const { entry, title, adapter, options } = row;
  return `/**
 * ${title.charAt(0).toUpperCase()}${title.slice(1)}, without the other apis, the registry and the model catalogue.
 *
 * @module pi-ai/${entry}
 */
${HEADER}import { createApiProvider } from "../../driver/index.js";
import type { StreamFunction } from "../../types/options.js";
import { nativeStream, type SimpleStreamFunction, simpleStream } from "../../api-registry.js";
import { ${adapter.name} } from "./${basename(adapter.module)}.js";
import type { ${options.name} } from "./${basename(options.module)}.js";

${exportTypes(options, (module) => `./${basename(module)}`)}
const provider = /* @__PURE__ */ createApiProvider(${adapter.name});

${exportFunctions(row, "provider")}`;
}

/** The statement of `src/index.ts` that exports all of the named streams, in the formatter's layout. */
export function generateRootExport(rows: readonly ApiRow[]): string {
  const types = rows.flatMap(({ options }) => publicTypes(options).map((name) => `type ${name}`));
  const functions = rows.flatMap(({ name }) => [`stream${name}`, `streamSimple${name}`]);
  const names = [...types.sort(), ...functions.sort()];
  return `export {\n${names.map((name) => `  ${name},\n`).join("")}} from "./providers/named-streams.generated.js";`;
}

/** The table of the README, one line for each api. */
export function generateTable(rows: readonly ApiRow[]): string {
  const cells = rows.map(({ api, name, entry }) => [
    `\`pi-ai/${entry}\``,
    `\`${api}\``,
    `\`stream${name}\`, \`streamSimple${name}\``,
  ]);
  cells.sort(([left = ""], [right = ""]) => (left < right ? -1 : 1));
  const lines = [["entry", "api", "functions"], ["---", "---", "---"], ...cells];
  return lines.map((line) => `| ${line.join(" | ")} |`).join("\n");
}

function exportTypes(options: ApiRow["options"], toPath: (module: string) => string): string {
  return `export type { ${publicTypes(options).sort().join(", ")} } from "${toPath(options.module)}.js";\n`;
}

function publicTypes({ name, types = [] }: ApiRow["options"]): string[] {
  return [name, ...types];
}

function exportFunctions({ api, name, title, options }: ApiRow, provider: string): string {
  return `/** Streams a response over ${title}, with the api's own options. */
export const stream${name}: StreamFunction<"${api}", ${options.name}> =
  /* @__PURE__ */ nativeStream(${provider});
/** Streams a response over ${title}, with the options that every api takes. */
export const streamSimple${name}: SimpleStreamFunction<"${api}"> =
  /* @__PURE__ */ simpleStream(${provider});
`;
}
