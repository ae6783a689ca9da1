/** A child process ends with its parent, regardless of how the parent ends. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { DIES_WITH_PARENT } from "./support/child-flags.js";
import { eventually } from "./support/patience.js";

/** Prints its process id and runs forever. */
const CHILD = "process.stdout.write(String(process.pid)); setInterval(() => {}, 1000);";
/** The same, and writes without a pause. */
const CHATTERING = `${CHILD} setInterval(() => process.stdout.write(' more'), 1);`;
const PARENT = `
  const [script, ...flags] = process.argv.slice(1);
  const child = require("node:child_process").spawn(process.execPath, [...flags, "-e", script]);
  child.stdout.once("data", (text) => process.stdout.write(text));
`;

it.each([
  ["is quiet", CHILD],
  ["writes to it", CHATTERING],
])("a child that %s ends when its parent is killed", async (_, script) => {
  const parent = spawn(process.execPath, ["-e", PARENT, "--", script, ...DIES_WITH_PARENT], { stdio: "pipe" });
  const [printed] = await once(parent.stdout, "data");
  const pid = Number.parseInt(String(printed), 10);
  expect(isAlive(pid)).toBe(true);
  parent.kill("SIGKILL");
  await eventually(() => expect(isAlive(pid)).toBe(false));
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
