/** Several first runs at once in one folder: one of them installs and builds, and the others wait for it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it } from "vitest";
import { DIES_WITH_PARENT } from "./support/child-flags.js";
import { eventually } from "./support/patience.js";

const ROOT = resolve(import.meta.dirname, "..");
const SOURCES = ["packages/ai", "packages/agent", "packages/inspect"];

/** Stands for pnpm and the build: writes what each leaves, and notes when it began and ended. Waits while `hold` exists. */
const STUB = `
  import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
  const [step] = process.argv.slice(2);
  const until = (check) => new Promise((done) => { const timer = setInterval(() => check() && (clearInterval(timer), done()), 5); });
  appendFileSync("log", "begin " + step + " " + process.pid + "\\n");
  await until(() => !existsSync("hold"));
  // The test has ended, and removed the folder.
  if (!existsSync("stub.mjs")) process.exit(1);
  if (existsSync("fail")) process.exit(3);
  if (step === "setup") {
    for (const folder of ["node_modules/.bin", "packages/ai/node_modules"]) mkdirSync(folder, { recursive: true });
    writeFileSync("node_modules/.bin/node", "");
  } else {
    for (const name of ["ai", "agent", "inspect"]) {
      mkdirSync("packages/" + name + "/dist", { recursive: true });
      writeFileSync("packages/" + name + "/dist/index.js", "");
    }
  }
  appendFileSync("log", "end " + step + "\\n");
`;

let folder: string;
const children = new Set<ChildProcess>();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "prepare-"));
  await mkdir(join(folder, "scripts"));
  for (const name of ["prepare.mjs", "prepare-lock.mjs"])
    await cp(join(ROOT, "scripts", name), join(folder, "scripts", name));
  for (const source of SOURCES) await mkdir(join(folder, source), { recursive: true });
  const scripts = { setup: "node stub.mjs setup", build: "node stub.mjs build" };
  await write("package.json", JSON.stringify({ private: true, scripts }));
  await write("stub.mjs", STUB);
  for (const name of ["pnpm-lock.yaml", "pnpm-workspace.yaml", "tsconfig.base.json"]) await write(name, "");
});

afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const write = (name: string, content: string): Promise<void> => writeFile(join(folder, name), content);
const log = async (): Promise<string[]> =>
  (await readFile(join(folder, "log"), "utf8").catch(() => "")).trimEnd().split("\n");
/** What ran, without process ids. */
const steps = async (): Promise<string[]> => (await log()).map((line) => line.split(" ").slice(0, 2).join(" "));

function prepare(...words: string[]) {
  const child = spawn(process.execPath, [...DIES_WITH_PARENT, join(folder, "scripts/prepare.mjs"), ...words]);
  children.add(child);
  const ended = Promise.all([text(child.stderr), once(child, "exit")]).then(([errors, [code]]) => ({ errors, code }));
  return { child, ended };
}

/** Resolves once a step has begun, the given number of times, with its process id. */
async function begun(step: string, times = 1): Promise<number> {
  return eventually(async () => {
    const line = (await log()).filter((each) => each.startsWith(`begin ${step}`))[times - 1];
    expect(line).toBeDefined();
    return Number(line?.split(" ")[2]);
  });
}

const ONCE = ["begin setup", "end setup", "begin build", "end build"];

it("installs and builds once when several start at once", async () => {
  const runs = await Promise.all(Array.from({ length: 4 }, () => prepare("--build").ended));
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(await steps()).toEqual(ONCE);
  expect(runs.filter(({ errors }) => errors.includes("Building the packages"))).toHaveLength(1);
});

it("installs again when the packages of an example are missing", async () => {
  await prepare().ended;
  await mkdir(join(folder, "examples/chat"), { recursive: true });
  await write("examples/chat/package.json", JSON.stringify({ dependencies: { ai: "7" } }));
  await prepare().ended;
  await mkdir(join(folder, "examples/chat/node_modules"));
  await prepare().ended;
  expect(await steps()).toEqual([...ONCE.slice(0, 2), ...ONCE.slice(0, 2)]);
});

it("says which process it waits for", async () => {
  await write("hold", "");
  const first = prepare("--build");
  await begun("setup");
  const second = prepare("--build");
  let errors = "";
  second.child.stderr.on("data", (piece) => {
    errors += piece;
  });
  await eventually(() => expect(errors).toContain(`Waiting for process ${first.child.pid}, which installs or builds`));
  await rm(join(folder, "hold"));
  expect([(await first.ended).code, (await second.ended).code]).toEqual([0, 0]);
  expect(await steps()).toEqual(ONCE);
});

it("takes over when the owner and its install have died, exactly once", async () => {
  await write("hold", "");
  const dead = prepare("--build");
  const stub = await begun("setup");
  dead.child.kill("SIGKILL");
  await once(dead.child, "exit");
  const others = Array.from({ length: 3 }, () => prepare("--build").ended);
  process.kill(stub, "SIGKILL");
  await rm(join(folder, "hold"));
  expect((await Promise.all(others)).map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(await steps()).toEqual(["begin setup", ...ONCE]);
});

it("waits for the install of an owner that has died", async () => {
  await write("hold", "");
  const dead = prepare();
  await begun("setup");
  dead.child.kill("SIGKILL");
  const next = prepare();
  let errors = "";
  next.child.stderr.on("data", (piece) => {
    errors += piece;
  });
  await eventually(() => expect(errors).toContain("Waiting for process"));
  expect(await steps()).toEqual(["begin setup"]);
  await rm(join(folder, "hold"));
  expect((await next.ended).code).toBe(0);
  // The dead owner has left no stamp, so the install runs again: after the first, never beside it.
  expect(await steps()).toEqual(["begin setup", "end setup", "begin setup", "end setup"]);
});

it("gives the lock to the next one after a failure, with the failure's exit code", async () => {
  await write("hold", "");
  await write("fail", "");
  const first = prepare("--build");
  await begun("setup");
  const second = prepare("--build");
  await rm(join(folder, "hold"));
  expect((await first.ended).code).toBe(3);
  expect((await second.ended).code).toBe(3);
  await rm(join(folder, "fail"));
  expect((await prepare("--build").ended).code).toBe(0);
  expect(await steps()).toEqual(["begin setup", "begin setup", ...ONCE]);
});

it("installs again what was being installed when it was killed, even for the lock file of the install before", async () => {
  await prepare().ended;
  await write("pnpm-lock.yaml", "newer");
  await write("hold", "");
  const dead = prepare();
  const stub = await begun("setup", 2);
  dead.child.kill("SIGKILL");
  process.kill(stub, "SIGKILL");
  await rm(join(folder, "hold"));
  await write("pnpm-lock.yaml", "");
  expect((await prepare().ended).code).toBe(0);
  expect((await steps()).filter((line) => line === "end setup")).toHaveLength(2);
});
