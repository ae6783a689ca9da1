#!/usr/bin/env node
/** The command `pi-inspect`: reads a place with recorded runs, and serves the page that shows them. */
import { parseArgs } from "node:util";
import { createRelayLauncher } from "./fork/relay-launcher.js";
import { loadPage } from "./inspector.js";
import { openSource } from "./read/open-source.js";
import { pollSource } from "./read/source.js";
import { redactCredentials } from "./record/credentials.js";
import { describeThrown } from "./record/fields.js";
import type { Launcher } from "./record/launcher.js";
import { RunStore } from "./record/run-store.js";
import { startServer } from "./server/start-server.js";

const USAGE = `Shows recorded runs of agents on a local page, and follows them while they are written.

  pi-inspect PLACE [--port PORT] [--table-prefix PREFIX] [--rerun URL]

  PLACE                 a session log of pi-agent/session, the steps of pi-agent/durable/session,
                        a recording of pi-ai/testing, a folder of such files, an SQLite file of
                        pi-agent/session/sqlite, or postgres://USER@HOST/DATABASE
  --port PORT           the port of the page, by default any free one
  --table-prefix PREFIX the prefix of the names of the tables in PostgreSQL, by default pi_
  --rerun URL           a relay that sends the requests of forked runs, see pi-ai/proxy-server.
                        Its token is read from the variable PI_RELAY_TOKEN.
`;

/** The most entries in memory. Older ones are read again when the page shows them. */
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
  // The token is not an option of the command, because the arguments of a process are visible to other users.
  // biome-ignore lint/style/noProcessEnv: the command's own setting.
  const token = process.env["PI_RELAY_TOKEN"];
  if (!token) throw new Error("Set PI_RELAY_TOKEN to the token of the relay");
  return createRelayLauncher({ url, token });
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${redactCredentials(describeThrown(error))}\n`);
  process.exitCode = 1;
}
