/**
 * Runs the same programs in every host of the matrix, on the packed packages, and prints one row for each.
 *
 *   npm run hosts                     the small hosts, which CI runs too
 *   npm run hosts -- --all            all
 *   npm run hosts -- webpack "Next"   those whose name begins with one of the words
 *
 * Installs the hosts from the lockfiles beside this file into a folder of the system's temporary directory, or into
 * PI_HOSTS_DIR, and leaves them there for the next run.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printHelpIfAsked } from "../../scripts/help.ts";
import { checkHost } from "./check-host.ts";
import { HOSTS, type Host } from "./hosts.ts";
import { installSet } from "./install-set.ts";
import { startVendorServer } from "./vendor-server.ts";

printHelpIfAsked(import.meta.filename);

const BASE = process.env["PI_HOSTS_DIR"] || join(tmpdir(), "pi-hosts");

const words = process.argv.slice(2);
const hosts = HOSTS.filter(isWanted);
if (hosts.length === 0) {
  console.error(`No host has such a name. The hosts are: ${HOSTS.map(({ name }) => name).join(", ")}`);
  process.exitCode = 2;
} else {
  process.exitCode = (await runAll()) ? 0 : 1;
}

function isWanted({ name, set }: Host): boolean {
  const names = words.filter((word) => !word.startsWith("--"));
  if (names.length > 0) return names.some((word) => name.toLowerCase().startsWith(word.toLowerCase()));
  return set === "small" || words.includes("--all");
}

async function runAll(): Promise<boolean> {
  const vendor = await startVendorServer();
  let passed = 0;
  try {
    for (const set of new Set(hosts.map((host) => host.set))) {
      const folder = join(BASE, set);
      await installSet(set, folder);
      for (const host of hosts.filter((one) => one.set === set)) {
        const problems = await checkHost(host, folder, vendor.url);
        if (problems.length === 0) passed++;
        console.log(`${problems.length === 0 ? "ok  " : "FAIL"}  ${host.name}`);
        for (const problem of problems) console.log(`      ${problem.replaceAll("\n", "\n      ")}`);
      }
    }
  } finally {
    await vendor.close();
  }
  console.log(`${passed} passed, ${hosts.length - passed} failed`);
  return passed === hosts.length;
}
