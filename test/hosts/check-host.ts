/** Builds one host in a folder of its own, runs the result, and compares what it reports. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { CONVERSATION, differences, IN_NODE } from "./expected.ts";
import type { Host } from "./hosts.ts";
import { readPage } from "./read-page.ts";

const run = promisify(execFile);
const PROGRAM = join(import.meta.dirname, "program");
/** Longer than the slowest build on a busy machine, in milliseconds. */
const PATIENCE_MS = 300_000;
/** Enough of a failed command's output to see its cause. */
const SHOWN_CHARACTERS = 1_500;

/** Returns what is wrong; nothing if the host works. */
export async function checkHost(host: Host, setFolder: string, vendor: string): Promise<string[]> {
  const folder = join(setFolder, "hosts", host.name.replaceAll(/[^a-zA-Z0-9]/g, "-").toLowerCase());
  try {
    await writeFiles(host, folder);
    const bin = join(setFolder, "node_modules");
    for (const command of host.build ?? []) await execute(command, { folder, bin, host });
    if (!host.alone) return await observe(host, { folder, bin, vendor });
    // Far from every package, as in a container or a function.
    const empty = await mkdtemp(join(tmpdir(), "host-alone-"));
    try {
      await cp(join(folder, host.alone), empty, { recursive: true });
      return await observe(host, { folder: empty, bin, vendor });
    } finally {
      await rm(empty, { recursive: true, force: true });
    }
  } catch (error) {
    return [shorten(describe(error))];
  }
}

async function writeFiles({ source = "esm", files = {}, withoutExtensions }: Host, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, "src"), { recursive: true });
  for (const name of await readdir(PROGRAM)) {
    const text = await readFile(join(PROGRAM, name), "utf8");
    if (source === "ts") {
      await writeFile(
        join(folder, "src", name),
        withoutExtensions ? text.replaceAll(/(".\/[^"]*)\.js"/g, '$1"') : text,
      );
      continue;
    }
    const { code } = await transform(text, { loader: "ts", format: source, target: "es2022" });
    await writeFile(join(folder, "src", name.replace(/\.ts$/, ".js")), code);
  }
  const type = source === "esm" ? { type: "module" } : {};
  const all = { "package.json": JSON.stringify({ private: true, ...type }), ...files };
  for (const [name, text] of Object.entries(all)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

interface Place {
  folder: string;
  /** The folder `node_modules` of the hosts. */
  bin: string;
  vendor: string;
}

async function observe(host: Host, place: Place): Promise<string[]> {
  if (host.check === "web" || host.check === "page") return serve(host, place);
  const { stdout, stderr } = await execute(host.run, { ...place, host }, { VENDOR_URL: place.vendor });
  const line = /^.*?(\{"anthropic-messages".*\})\s*$/m.exec(`${stdout}\n${stderr}`)?.[1];
  if (!line) return [`It printed ${shorten(`${stdout}${stderr}`)}`];
  return differences(JSON.parse(line), host.check === "node" ? IN_NODE : CONVERSATION);
}

/** Keys and settings of the person who runs the matrix must not decide its result. */
function childEnvironment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { PATH = "", HOME = "" } = process.env;
  return { PATH, HOME, NEXT_TELEMETRY_DISABLED: "1", ...more };
}

interface Setting {
  folder: string;
  bin: string;
  host: Host;
}

function resolveProgram(word: string, bin: string): string {
  if (word === "node") return process.execPath;
  return word.includes("/") ? join(bin, word) : join(bin, ".bin", word);
}

async function execute(
  [program = "", ...words]: readonly string[],
  { folder, bin, host }: Setting,
  env: Readonly<Record<string, string>> = {},
): Promise<{ stdout: string; stderr: string }> {
  const options = { cwd: folder, timeout: PATIENCE_MS, maxBuffer: 50_000_000 };
  return run(resolveProgram(program, bin), words, { ...options, env: childEnvironment({ ...host.env, ...env }) });
}

async function serve(host: Host, { folder, bin, vendor }: Place): Promise<string[]> {
  const port = await findPort();
  const [program = "", ...words] = host.run.map((word) => word.replace("$PORT", String(port)));
  const child = spawn(resolveProgram(program, bin), words, {
    cwd: folder,
    env: childEnvironment({ ...host.env, PORT: String(port) }),
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (piece) => (output += String(piece)));
  try {
    const origin = `http://127.0.0.1:${port}`;
    await waitFor(origin, child);
    const problems =
      host.check === "page"
        ? differences(await readPage(`${origin}/?vendor=${encodeURIComponent(vendor)}`), CONVERSATION)
        : await ask(host, origin, vendor);
    return problems.length > 0 && output ? [...problems, shorten(output)] : problems;
  } catch (error) {
    return [describe(error), shorten(output)];
  } finally {
    await end(child);
  }
}

/** Asks a web application for the program, a conversation of `useChat`, and the relay. */
async function ask({ prefixes = [""] }: Host, origin: string, vendor: string): Promise<string[]> {
  const problems: string[] = [];
  for (const prefix of prefixes) {
    const at = (path: string): string => `${origin}${prefix}/api/${path}?vendor=${encodeURIComponent(vendor)}`;
    const program = await readText(at("program"));
    problems.push(...differences(parse(program), CONVERSATION).map((one) => `${prefix}/api/program${one}`));
    const chat = await readText(at("chat"), { messages: [] });
    for (const part of ['"text-delta"', "It rains ", '"tool-output-error"', "data: [DONE]"]) {
      if (!chat.includes(part)) problems.push(`${prefix}/api/chat lacks ${part}: ${chat.slice(0, 300)}`);
    }
    const relay = await readText(at("stream"), RELAYED, "relay-token");
    for (const part of ['"text_delta"', "from the ", '"done"']) {
      if (!relay.includes(part)) problems.push(`${prefix}/api/stream lacks ${part}: ${relay.slice(0, 300)}`);
    }
  }
  return problems;
}

const RELAYED = {
  model: { provider: "anthropic", id: "claude-sonnet-4-6" },
  context: { messages: [{ role: "user", content: "HELLO", timestamp: 1 }] },
};

async function readText(url: string, body?: object, token?: string): Promise<string> {
  const response = await fetch(url, {
    signal: AbortSignal.timeout(PATIENCE_MS),
    headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
    ...(body && { method: "POST", body: JSON.stringify(body) }),
  });
  return response.text();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.slice(0, SHOWN_CHARACTERS);
  }
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}

async function waitFor(origin: string, child: ChildProcess): Promise<void> {
  const deadline = AbortSignal.timeout(PATIENCE_MS);
  while (!deadline.aborted) {
    if (child.exitCode !== null) throw new Error(`The server ended with code ${child.exitCode}`);
    const answered = await fetch(origin, { signal: deadline }).then(
      (response) => response.body?.cancel().then(() => true) ?? true,
      () => false,
    );
    if (answered) return;
    await sleep(100);
  }
  throw new Error("The server did not begin to listen");
}

/** Ends a server and what it has started. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const closed = once(child, "exit");
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
  await closed;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { stdout = "", stderr = "" } = error as Error & { stdout?: string; stderr?: string }; // set by execFile
  return stdout || stderr ? `${stdout}${stderr}` : (error.stack ?? error.message);
}

function shorten(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > SHOWN_CHARACTERS
    ? `${trimmed.slice(0, SHOWN_CHARACTERS / 2)}\n...\n${trimmed.slice(-SHOWN_CHARACTERS / 2)}`
    : trimmed;
}
