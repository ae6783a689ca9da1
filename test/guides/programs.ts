/** Runs the programs of the guides as child processes, against a network that stands in for the providers. */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { applyRunEvent, type RunView, readRun } from "pi-agent/sse/client";
import { expect } from "vitest";
import { DIES_WITH_PARENT } from "../support/child-flags.js";

export const ROOT: string = resolve(import.meta.dirname, "../..");
export const PROGRAMS: string = join(ROOT, "examples/guides/src");
const PRELOADED = [join(ROOT, "scripts/resolve-sources.ts"), join(import.meta.dirname, "stand-in-network.ts")];
const KEYS = {
  ANTHROPIC_API_KEY: "no-real-key",
  OPENAI_API_KEY: "no-real-key",
  AZURE_OPENAI_API_KEY: "no-real-key",
  AZURE_OPENAI_RESOURCE_NAME: "house",
  AWS_BEARER_TOKEN_BEDROCK: "no-real-key",
  GOOGLE_CLOUD_API_KEY: "no-real-key",
};
/** The users of the servers, by their tokens. */
export const USER_TOKENS: string = JSON.stringify({ "token-of-ada": "ada", "token-of-bob": "bob" });

const children = new Set<ChildProcess>();
/** Ends the programs that still run. */
export function stopPrograms(): void {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
}

/** `stopPrograms` ends it. */
export function start(
  program: string,
  env: Record<string, string> = {},
  args: readonly string[] = [],
): ChildProcessWithoutNullStreams {
  const preloaded = PRELOADED.flatMap((file) => ["--import", file]);
  const words = [...DIES_WITH_PARENT, ...preloaded, join(PROGRAMS, program), ...args];
  const child = spawn(process.execPath, words, { env: { ...KEYS, ...env } });
  children.add(child);
  return child;
}

/** Runs a program to its end; returns what it printed. */
export async function run(
  program: string,
  env: Record<string, string> = {},
  stdin = "",
  args: readonly string[] = [],
): Promise<string> {
  const child = start(program, env, args);
  child.stdin.end(stdin);
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(errors).toBe("");
  return output;
}

/** Starts a server on a free port; returns its address. */
export async function serve(program: string): Promise<string> {
  const child = start(program, { PORT: "0", USER_TOKENS });
  let printed = "";
  for await (const piece of child.stdout) {
    printed += piece;
    const url = /http:\S+/.exec(printed)?.[0];
    if (url) return url;
  }
  throw new Error(`No address: ${printed}`);
}

/** The request of a page to the server of a guide. */
export const chat = (prompt: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ prompt }),
});

type Send = (path: string, init?: RequestInit) => Promise<Response>;

/** Sends requests with the token of a user. */
export function as(user: string, send: Send): Send {
  return (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer token-of-${user}`);
    return send(path, { ...init, headers });
  };
}

/** Starts a run, reads it in two parts, and requests runs that do not exist or belong to another user. */
export async function expectResumable(sendAnonymously: Send): Promise<void> {
  for (const send of [sendAnonymously, as("nobody", sendAnonymously)]) {
    const requests = [send("", chat("Hi")), send("/a"), send("/a", { method: "DELETE" })];
    expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([401, 401, 401]);
  }
  const send = as("ada", sendAnonymously);
  const begun = await send("", chat("Hi"));
  expect(begun.status).toBe(201);
  const { runId } = await begun.json();
  const readPart = (lastEventId: number) =>
    readRun("", { lastEventId, fetch: (_, init) => send(`/${runId}`, init ?? {}) });
  let view: RunView = { messages: [] };
  let last = 0;
  for await (const [offset, event] of readPart(0)) {
    view = applyRunEvent(view, event);
    last = offset;
    if (event.type === "message_update") break;
  }
  expect(view.streamingMessage).toBeDefined();
  for await (const [, event] of readPart(last)) view = applyRunEvent(view, event);
  expect(view).toMatchObject({ messages: [{ role: "user" }, { role: "assistant", content: [{ text: "Hello!" }] }] });
  const sendOther = as("bob", sendAnonymously);
  expect((await sendOther(`/${runId}`, { method: "DELETE" })).status).toBe(204);
  expect(await (await sendOther(`/${runId}`)).text()).toBe("event: gone\ndata:\n\n");
  expect((await send(`/${runId}`, { method: "DELETE" })).status).toBe(204);
  expect((await send("", chat(7))).status).toBe(400);
}
