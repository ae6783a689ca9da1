/** Prints a table of the packages that pi-ai bundles and their latest versions; exits with 1 if one is outdated. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { printHelpIfAsked } from "../../scripts/help.ts";

const MANIFEST = resolve(import.meta.dirname, "../../packages/ai/package.json");
/** Our types contain those of this major line, so a newer one is a change of our API. */
const HELD: Record<string, string> = { "@sinclair/typebox": "0.34" };

export interface Row {
  name: string;
  used: string;
  newest: string;
  isBehind: boolean;
}

/** The bundled packages of a manifest, each beside the newest version that `readNewest` finds for `name` or `name@line`. */
export function compareVersions(
  manifest: { dependencies: Record<string, string>; devDependencies: Record<string, string> },
  readNewest: (query: string) => Promise<string>,
): Promise<Row[]> {
  const bundled = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
  return Promise.all(
    bundled.map(async ([name, range]) => {
      const line = HELD[name];
      const newest = await readNewest(line === undefined ? name : `${name}@${line}`);
      const used = range.replace(/^[\^~]/, "");
      return { name, used, newest, isBehind: used !== newest };
    }),
  );
}

async function readNewest(query: string): Promise<string> {
  const { stdout } = await promisify(execFile)("npm", ["view", query, "version", "--json"]);
  return newestOf(JSON.parse(stdout));
}

/** One version, or the highest of those that npm lists, in no order, for a line. */
export function newestOf(found: string | readonly string[]): string {
  const versions = [found].flat();
  return versions.sort((one, other) => one.localeCompare(other, "en", { numeric: true })).at(-1) ?? "";
}

if (import.meta.main) {
  printHelpIfAsked(import.meta.filename);
  const rows = await compareVersions(JSON.parse(await readFile(MANIFEST, "utf8")), readNewest);
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const { name, used, newest, isBehind } of rows) {
    console.log(`${name.padEnd(width)}  ${used.padEnd(12)} ${newest.padEnd(12)} ${isBehind ? "behind" : "current"}`);
  }
  process.exitCode = rows.some(({ isBehind }) => isBehind) ? 1 : 0;
}
