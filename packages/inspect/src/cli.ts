#!/usr/bin/env node
/** The command `pi-inspect`. */
import { parseArgs } from "node:util";
import { createRelayLauncher } from "./fork/relay-launcher.js";
import { loadPage } from "./inspector.js";
import { openSource } from "./read/open-source.js";
import { pollSource } from "./read/source.js";
import { redactCredentials } from "./record/credentials.js";
import type { Launcher } from "./record/launcher.js";
import { RunStore } from "./record/run-store.js";
import { startServer } from "./server/start-server.js";

const USAGE = `Shows what agents did on a page of this machine, and what they do while it is written.

  pi-inspect PLACE [--port PORT] [--table-prefix PREFIX] [--rerun URL]

  PLACE                 a session log of pi-agent/session, the steps of pi-agent/durable/session,
                        a recording of pi-ai/testing, a folder of such files, an SQLite file of
                        pi-agent/session/sqlite, or postgres://USER@HOST/DATABASE
  --table-prefix PREFIX stands in front of the names of PostgreSQL's tables, by default pi_
  --rerun URL           a relay that sends the requests of forked runs, see pi-ai/proxy-server.
                        Its token is read from the variable PI_RELAY_TOKEN.
`;

/** What is older is read again from the place when it is opened. */
const KEPT_ENTRIES = 50_000;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      port: { type: "string", default: "0" },
      "table-prefix": { type: "string", default: "pi_" },
      rerun: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const [place] = positionals;
  if (values.help || place === undefined || positionals.length > 1) {
    process.stderr.write(USAGE);
    process.exitCode = values.help ? 0 : 1;
    return;
  }
  const launcher = values.rerun === undefined ? undefined : createLauncher(values.rerun);
  const store = new RunStore({ entries: KEPT_ENTRIES, launcher });
  const postgres = { tablePrefix: values["table-prefix"] };
  const { source, folder } = await openSource(place, { store, now: Date.now }, postgres);
  pollSource(source, folder);
  const server = await startServer({ store, assets: await loadPage(), port: Number(values.port) });
  process.stdout.write(`${server.url}\n`);
}

function createLauncher(url: string): Launcher {
  // A token on the command line would be in the list of processes.
  // biome-ignore lint/style/noProcessEnv: the command's own setting.
  const token = process.env["PI_RELAY_TOKEN"];
  if (!token) throw new Error("Set PI_RELAY_TOKEN to the token of the relay");
  return createRelayLauncher({ url, token });
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${redactCredentials(error instanceof Error ? error.message : String(error))}\n`);
  process.exitCode = 1;
}
