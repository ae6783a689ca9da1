/** A program exits by itself after its requests, however they ended. */
import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { DIES_WITH_PARENT } from "../../../../test/support/child-flags.js";
import { PATIENCE_MS } from "../../../../test/support/patience.js";
import { FaultServer } from "../fault-server/fault-server.js";
import { CALL_ENVIRONMENT } from "../support/credentials.js";
import { allWires } from "./all-wires.js";
import { FaultSubject } from "./fault-subject.js";

const ROOT = resolve(import.meta.dirname, "../../../..");

it("#179 process ends by itself right after one good, one failed, one aborted request on each api", async () => {
  await using server = await FaultServer.start();
  const calls = allWires.map((wire) => {
    const subject = new FaultSubject(wire, () => server);
    const good = subject.call(subject.say(subject.control));
    const failed = subject.call(subject.say([...subject.beginning, subject.wire.error("no")], "silence"));
    const aborted = subject.call(subject.say(subject.beginning, "silence"));
    return { good, failed, aborted };
  });
  const { output, exitMs } = await runProgram(
    JSON.stringify(calls, (key, value) => (key === "exchange" ? undefined : value)),
  );
  expect(JSON.parse(output)).toEqual(allWires.flatMap(() => ["stop", "error", "aborted"]));
  expect(exitMs).toBeLessThan(20_000);
});

/** Runs the program, and returns how long it lived after its last output. */
function runProgram(input: string): Promise<{ output: string; exitMs: number }> {
  const args = [
    ...DIES_WITH_PARENT,
    "--import",
    join(ROOT, "scripts/resolve-sources.ts"),
    join(import.meta.dirname, "three-calls.ts"),
  ];
  const environment = Object.fromEntries(Object.entries(CALL_ENVIRONMENT).filter(([, value]) => value !== undefined));
  return new Promise((done, fail) => {
    let spokeAt = 0;
    const child = execFile(
      process.execPath,
      args,
      { env: environment, timeout: PATIENCE_MS },
      (error, stdout, stderr) => {
        if (error) fail(new Error(`${error.message}\n${stderr}`));
        else done({ output: stdout, exitMs: Date.now() - spokeAt });
      },
    );
    child.stdout?.on("data", () => {
      spokeAt = Date.now();
    });
    child.stdin?.end(input);
  });
}
