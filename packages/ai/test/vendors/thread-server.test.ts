/** Each rule of threads refuses its example, with the vendor's code, and a good thread breaks none. */
import { expect, it } from "vitest";
import type { Fields } from "../validators/faults.js";
import { THREAD_BETA, THREAD_RULES } from "./thread-rules.js";
import { ThreadServer } from "./thread-server.js";

const ASK: Fields = { role: "user", content: [{ type: "text", text: "Hi" }] };
const FIRST: Fields = {
  model: "claude-opus-5-5",
  max_tokens: 9000,
  stream: true,
  messages: [ASK],
  thread: { type: "create" },
};
const NEXT: Fields = { ...FIRST, thread: { type: "continue", previous_message_id: "msg_0" } };
const marked = (text: string): Fields => ({ type: "text", text, cache_control: { type: "ephemeral" } });

async function post(
  server: ThreadServer,
  body: Fields,
  betas = THREAD_BETA,
): Promise<{ status: number; code: unknown }> {
  const init = { method: "POST", headers: { "anthropic-beta": betas }, body: JSON.stringify(body) };
  const response = await server.fetch("https://api.anthropic.com/v1/messages", init);
  const text = await response.text();
  return { status: response.status, code: response.ok ? undefined : JSON.parse(text).error.details?.error_code };
}

/** What breaks each rule, after a thread was created. */
const BREAKS: Readonly<Record<string, (server: ThreadServer) => Promise<{ status: number; code: unknown }>>> = {
  "thread/beta": (server) => post(server, FIRST, ""),
  "thread/unsupported": (server) => post(server, { ...FIRST, context_management: { edits: [] } }),
  "thread/marks": (server) =>
    post(server, { ...FIRST, messages: [{ role: "user", content: ["a", "b", "c", "d"].map(marked) }] }),
  "thread/not-found": (server) => {
    server.forget();
    return post(server, NEXT);
  },
  "thread/in-flight": (server) => {
    server.mark({ isInFlight: true });
    return post(server, NEXT);
  },
  "thread/already-continued": async (server) => {
    await post(server, NEXT);
    return post(server, NEXT);
  },
  "thread/repeated-field": (server) => post(server, { ...NEXT, system: [{ type: "text", text: "You help." }] }),
  "thread/fingerprint": (server) => post(server, { ...NEXT, thinking: { type: "adaptive" } }),
};

it("takes a conversation that goes on", async () => {
  const server = new ThreadServer(() => 0);
  expect(await post(server, FIRST)).toMatchObject({ status: 200 });
  expect(await post(server, { ...NEXT, max_tokens: 100 })).toMatchObject({ status: 200 });
});

it.each(THREAD_RULES.map((rule) => [rule.id, rule] as const))("%s", async (id, rule) => {
  const server = new ThreadServer(() => 0);
  await post(server, FIRST);
  const { status, code } = (await BREAKS[id]?.(server)) ?? {};
  expect({ status, code, id: server.last.refused?.id }).toEqual({ status: rule.status ?? 400, code: rule.code, id });
  expect(rule.date).toMatch(/^20\d\d-(0[1-9]|1[0-2])$/);
  expect(rule.source).not.toBe("");
});

it("forgets a conversation after five minutes", async () => {
  let now = 0;
  const server = new ThreadServer(() => now);
  await post(server, FIRST);
  now = 300_000;
  expect(await post(server, NEXT)).toMatchObject({ status: 404, code: "thread_not_found" });
});
