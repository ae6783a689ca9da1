/**
 * Asks OSV (osv.dev) for known weaknesses of the packages whose code pi-ai, pi-agent and pi-inspect contain, and prints a line for each.
 * Exits with 1 if there is one that `accepted.json` beside this file does not name, with the reason why it does not concern us.
 *
 *   npm run task inlined:osv                      asks https://api.osv.dev
 *   npm run task inlined:osv -- --server URL      asks another server
 */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { printHelpIfAsked } from "../../scripts/help.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** A package in one version. */
interface Inlined {
  name: string;
  version: string;
}

/** A known weakness of a package. */
export interface Finding extends Inlined {
  id: string;
  summary: string;
}

/** Every package and version that a field `inlinedDependencies` names. */
export function listInlined(field: Readonly<Record<string, string | readonly string[]>>): Inlined[] {
  return Object.entries(field).flatMap(([name, versions]) => [versions].flat().map((version) => ({ name, version })));
}

/**
 * The known weaknesses, by https://google.github.io/osv.dev/post-v1-querybatch/ (2026-11-27).
 *
 * @throws Error if the server does not answer, so that silence never means that there is nothing
 */
export async function findWeaknesses(inlined: readonly Inlined[], server: string): Promise<Finding[]> {
  const found: Finding[] = [];
  let open = inlined.map((one): [Inlined, string?] => [one]);
  while (open.length > 0) {
    const queries = open.map(([{ name, version }, token]) => ({
      package: { name, ecosystem: "npm" },
      version,
      ...(token !== undefined && { page_token: token }),
    }));
    const { results } = await ask(`${server}/v1/querybatch`, { queries });
    if (results?.length !== open.length)
      throw new Error(`${server} answered ${results?.length} of ${open.length} queries`);
    const next: [Inlined, string?][] = [];
    for (const [index, { vulns = [], next_page_token: token }] of results.entries()) {
      const [one] = open[index] ?? [];
      if (!one) continue;
      for (const { id } of vulns) {
        const { summary = "" } = await ask(`${server}/v1/vulns/${encodeURIComponent(id)}`);
        found.push({ ...one, id, summary });
      }
      if (token) next.push([one, token]);
    }
    open = next;
  }
  return found;
}

interface Answer {
  results?: { vulns?: { id: string }[]; next_page_token?: string }[];
  summary?: string;
}

async function ask(url: string, body?: object): Promise<Answer> {
  const init = body && { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(60_000) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response.json();
}

if (import.meta.main) {
  printHelpIfAsked(import.meta.filename);
  const { values } = parseArgs({ options: { server: { type: "string", default: "https://api.osv.dev" } } });
  const read = async (file: string) => JSON.parse(await readFile(file, "utf8"));
  const manifests = await Promise.all(
    ["ai", "agent", "inspect"].map((name) => read(join(ROOT, "packages", name, "package.json"))),
  );
  const accepted: Record<string, string> = await read(join(import.meta.dirname, "accepted.json"));
  const inlined = manifests.flatMap(({ inlinedDependencies }) => listInlined(inlinedDependencies));
  const found = await findWeaknesses(inlined, values.server);
  for (const { name, version, id, summary } of found)
    console.log(`${name} ${version}  ${id}  ${summary}${accepted[id] ? `  (accepted: ${accepted[id]})` : ""}`);
  console.log(`${inlined.length} packages, ${found.length} known weaknesses`);
  process.exitCode = found.every(({ id }) => Object.hasOwn(accepted, id)) ? 0 : 1;
}
