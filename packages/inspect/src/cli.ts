#!/usr/bin/env node
/** The command `pi-inspect`. */
import { parseArgs } from "node:util";
import { loadPage } from "./inspector.js";
import { readRecording } from "./read/read-recording.js";
import { RunStore } from "./record/run-store.js";
import { startServer } from "./server/start-server.js";

const USAGE = `Shows a session log of pi-agent/session or a recording of pi-ai/testing on a page of this machine.

  pi-inspect FILE [--port PORT]
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { port: { type: "string", default: "0" }, help: { type: "boolean", default: false } },
  });
  const [file] = positionals;
  if (values.help || file === undefined || positionals.length > 1) {
    process.stderr.write(USAGE);
    process.exitCode = values.help ? 0 : 1;
    return;
  }
  const runs = await readRecording(file);
  const store = new RunStore({ runs: Number.POSITIVE_INFINITY, entries: Number.POSITIVE_INFINITY });
  for (const run of runs) store.add(run);
  const server = await startServer({ store, assets: await loadPage(), port: Number(values.port) });
  process.stdout.write(`${server.url}\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
