/**
 * Creates the files of a new api: a working adapter, its row, and its tests, and generates everything that follows from
 * the row. CONTRIBUTING.md describes the next steps.
 *
 *   npm run task new:api -- acme-chat --name AcmeChat --entry acme --title "Acme's chat API"
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { printHelpIfAsked } from "../../../scripts/help.ts";
import { writeSources } from "../../../scripts/package-entries.ts";
import { appendApiRow } from "./api-rows.ts";
import { generateApis } from "./generate-apis.ts";

export interface NewApi {
  /** The registered name, in kebab-case. Also the name of both folders. */
  api: string;
  /** Follows `stream` in the name of the function. Default: the api in PascalCase. */
  name?: string | undefined;
  /** The package entry. Default: the api. */
  entry?: string | undefined;
  /** The api in the middle of a sentence. Default: `the <name> API`. */
  title?: string | undefined;
}

const TEMPLATES = fileURLToPath(new URL("new-api", import.meta.url));

/**
 * Writes the files and returns their paths, relative to the package: the new ones first, then those that changed.
 *
 * @throws Error if the name is not in kebab-case, or if a folder of that name exists
 */
export function createApi(packageFolder: string, newApi: NewApi): { created: string[]; changed: string[] } {
  const { api } = newApi;
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(api)) throw new Error(`Not a name in kebab-case: ${api}`);
  const name = newApi.name ?? toPascalCase(api);
  const title = newApi.title ?? `the ${name} API`;
  const adapterFolder = `src/providers/${api}`;
  const testFolder = `test/protocols/${api}`;
  for (const folder of [adapterFolder, testFolder])
    if (existsSync(join(packageFolder, folder))) throw new Error(`${folder} exists already`);
  const fill = (text: string): string => fillIn(text, { api, name, title });
  const files = new Map([
    ...readTemplates("adapter").map(([file, text]) => [`${adapterFolder}/${file}`, fill(toAdapter(text))] as const),
    ...readTemplates("tests").map(([file, text]) => [`${testFolder}/${file}`, fill(toTest(text, api))] as const),
    ...Object.entries(TEST_FILES).map(([file, text]) => [`${testFolder}/${file}`, fill(text)] as const),
  ]);
  const module = (file: string): string => `${api}/${file}`;
  const adapter = { name: `${toCamelCase(name)}Adapter`, module: module("adapter") };
  const options = { name: `${name}Options`, module: module("options") };
  appendApiRow(packageFolder, { api, name, entry: newApi.entry ?? api, title, adapter, options });
  for (const folder of [adapterFolder, testFolder]) mkdirSync(join(packageFolder, folder), { recursive: true });
  for (const [file, text] of files) writeFileSync(join(packageFolder, file), text);
  const entry = `${adapterFolder}/index.ts`;
  const generated = generateApis(packageFolder).filter((file) => file !== entry);
  return { created: [...files.keys(), entry], changed: ["data/apis.jsonl", ...generated] };
}

function readTemplates(folder: string): [file: string, text: string][] {
  const path = join(TEMPLATES, folder);
  return readdirSync(path).map((file) => [file, readFileSync(join(path, file), "utf8")]);
}

/** Adjusts the imports of a template, which compiles in its own folder, to the folder of the new api. */
function toAdapter(text: string): string {
  return text.replaceAll('"../../../src/providers/', '"../').replaceAll('"../../../src/', '"../../');
}

function toTest(text: string, api: string): string {
  return text
    .replaceAll('"../../../test/protocols/', '"../')
    .replaceAll('"../../../test/', '"../../')
    .replaceAll('"../adapter/', `"../../../src/providers/${api}/`);
}

function fillIn(text: string, { api, name, title }: { api: string; name: string; title: string }): string {
  return text
    .replaceAll("the Example API", title)
    .replaceAll("The Example API", `${title.charAt(0).toUpperCase()}${title.slice(1)}`)
    .replaceAll("example-api", api)
    .replaceAll("ExampleApi", name)
    .replaceAll("exampleApi", toCamelCase(name));
}

function toPascalCase(text: string): string {
  return text
    .split("-")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

function toCamelCase(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** Test files that only run a suite. */
const TEST_FILES: Readonly<Record<string, string>> = {
  "conformance.test.ts": `/** The Example API passes the conformance suite. */
import { runAdapterConformance } from "../../conformance/run-conformance.js";
import { tests } from "./index.js";

runAdapterConformance(tests.fixtures);
`,
  "fault-matrix.test.ts": `/** The Example API under every fault. */
import { runFaultMatrix } from "../../faults/run-fault-matrix.js";
import { tests } from "./index.js";

for (const wire of tests.faultWires) runFaultMatrix(wire);
`,
  "validator.internal.test.ts": `/** The validator of the Example API reports requests that the api rejects. */
import { checkValidator, say } from "../../validators/check-validator.internal.js";
import { tests } from "./index.js";

checkValidator(tests, [["a message without content", [{ ...say("user"), content: [] }], /must not be empty/]]);
`,
};

if (import.meta.main) {
  printHelpIfAsked(import.meta.filename);
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { name: { type: "string" }, entry: { type: "string" }, title: { type: "string" } },
  });
  const packageFolder = fileURLToPath(new URL("..", import.meta.url));
  const { created, changed } = createApi(packageFolder, { api: positionals[0] ?? "", ...values });
  writeSources();
  // The new names have other lengths and another order, so the formatter must run again.
  const biome = fileURLToPath(new URL("../../../node_modules/.bin/biome", import.meta.url));
  execFileSync(biome, ["check", "--write", ...created.map((file) => join(packageFolder, file))], { stdio: "ignore" });
  for (const file of created) console.log(`created: packages/ai/${file}`);
  for (const file of changed) console.log(`changed: packages/ai/${file}`);
  console.log("changed: tsconfig.sources.json");
  console.log(
    `\nNext: describe the vendor's wire format in place of the made-up one. "Adding an api" in CONTRIBUTING.md says which\n` +
      "file holds what, and what to run.",
  );
}
