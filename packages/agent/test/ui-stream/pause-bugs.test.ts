/**
 * What went wrong with approvals in pages of other libraries: changelog of `ai` 7.0.93 to 7.0.173, TanStack ai#1088 and
 * vercel/ai#17033, read 2026-11-26. Each request of the page is another process.
 */
import { Agent, defineTool } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { fromUIMessages, readUIApprovals, toUIMessageStream } from "pi-agent/ui-stream";
import type { Context } from "pi-ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { call, MODEL, response, scripted, text } from "../scripted-stream.js";
import { Page, type Part } from "./page.js";
import { createPausedChat } from "./paused-chat.js";

const ASKED = { role: "user", parts: [{ type: "text", text: "Pay." }] };
const LATER = { role: "user", parts: [{ type: "text", text: "What is the weather?" }] };

/** A page that waits for answers to `c2` and `c3`. */
async function open() {
  const { post, ran } = createPausedChat();
  const page = await new Page().read(post("chat", [ASKED]));
  ran.length = 0;
  return { post, ran, page };
}

const calledIn = (messages: ReturnType<typeof fromUIMessages>) =>
  messages.map((message) => {
    if (message.role === "toolResult") return `${message.toolCallId}${"pause" in message ? "?" : ""}`;
    if (message.role === "user" || message.role === "system") return message.role;
    return message.content.map((block) => (block.type === "toolCall" ? block.id : block.type)).join(" ");
  });

describe("a new message of the user while calls are pending", () => {
  test("declines them, in a step of the page's next message, and is answered", async () => {
    const { post, ran, page } = await open();
    const next = await new Page().read(post("chat", [ASKED, page.message, LATER]));
    expect(ran).toEqual([]);
    expect(next.states).toEqual(["output-denied", "output-denied"]);
    expect(next.parts.map(({ type }) => type)).toEqual([
      "step-start",
      "dynamic-tool",
      "dynamic-tool",
      "step-start",
      "text",
    ]);
    expect(page.states).toEqual(["output-available", "approval-requested", "approval-requested", "output-available"]);
    // The conversation has each call once, with its result behind it.
    const sent = fromUIMessages([ASKED, page.message, LATER, next.message, LATER]);
    expect(calledIn(sent)).toEqual([
      "user",
      "text c1 c2 c3 c4",
      "c1",
      "c2?",
      "c3?",
      "c4",
      "c2",
      "c3",
      "user",
      "text",
      "user",
    ]);
  });

  test("comes after a call that was approved before", async () => {
    const { post, ran, page } = await open();
    page.answer("c2", true);
    const next = await new Page().read(post("chat", [ASKED, page.message, LATER]));
    expect(ran).toEqual(["pay c2 5"]);
    expect(next.states).toEqual(["output-available", "output-denied"]);
    await new Page().read(post("chat", [ASKED, page.message, LATER, next.message, LATER]));
    expect(ran).toEqual(["pay c2 5"]);
  });

  test("can start the run of a server that holds the conversation", async () => {
    const pay = defineTool({ name: "pay", description: "pay", parameters: z.object({}), execute: async () => "Paid" });
    const agent = new Agent({
      initialState: { model: MODEL, tools: [pay] },
      streamFn: scripted(response([call("1", "pay", {})]), text("It rains.")).streamFn,
      middleware: [approvals({ pause: true })],
      onNewMessage: "decline",
    });
    await new Page().read(toUIMessageStream(agent, { run: () => agent.prompt("Go.") }));
    await agent.waitForIdle();
    const next = await new Page().read(toUIMessageStream(agent, { run: () => agent.prompt("What is the weather?") }));
    expect(next.states).toEqual(["output-denied"]);
    expect(next.parts.at(-1)).toEqual({ type: "text", text: "It rains." });
  });
});

describe("contradictory answers in one message", () => {
  const contradict = ({ message }: Page): { role: string; parts: Part[] } => ({
    role: "assistant",
    parts: message.parts.flatMap((part) =>
      part["toolCallId"] === "c2"
        ? [part, { ...part, approval: { ...(part["approval"] as object), approved: false } }]
        : [part],
    ),
  });

  test("are refused", async () => {
    const { post, ran, page } = await open();
    for (const id of ["c2", "c3"]) page.answer(id, true);
    const before = [...ran];
    expect(() => post("chat", [ASKED, contradict(page), LATER])).toThrow("Two calls of one response have the id");
    expect(ran).toEqual(before);
  });

  test("are refused by a server that holds the conversation", async () => {
    const { page } = await open();
    const agent = new Agent({ initialState: { messages: fromUIMessages([ASKED, page.message]) } });
    for (const id of ["c2", "c3"]) page.answer(id, true);
    await expect(agent.answer(readUIApprovals([contradict(page)]))).rejects.toMatchObject({ kind: "conflict" });
    expect(agent.state.pause?.requests.map(({ toolCallId }) => toolCallId)).toEqual(["c2", "c3"]);
  });
});

test("cancelled answers leave the calls open", async () => {
  const { post, ran, page } = await open();
  const before = page.message;
  page.answer("c2", true);
  // The page has the parts from before the answer again, such as from its store.
  await expect(new Page().read(post("chat", [ASKED, before]))).resolves.toMatchObject({
    chunks: expect.arrayContaining([expect.objectContaining({ type: "error" })]),
  });
  expect(ran).toEqual([]);
  page.answer("c3", true);
  await page.read(post("chat", [ASKED, page.message]));
  expect(ran).toEqual(["pay c2 5", "pay c3 7"]);
});

test("an answer whose request was cancelled does not run the call twice", async () => {
  const { post, ran, page } = await open();
  for (const id of ["c2", "c3"]) page.answer(id, true);
  await post("chat", [ASKED, page.message]).cancel();
  await page.read(post("chat", [ASKED, page.message]));
  await new Page().read(post("chat", [ASKED, page.message, LATER]));
  expect(ran.filter((one) => one === "pay c2 5").length).toBeLessThanOrEqual(1);
});

test("arguments that a schema changes are those of the model at every replay", async () => {
  const ran: unknown[] = [];
  const pay = defineTool({
    name: "pay",
    description: "pay",
    parameters: z.object({
      euros: z.coerce.number().transform((euros) => euros * 100),
      due: z.string().transform((day) => new Date(day)),
      note: z.string().default("none"),
    }),
    execute: async (_id, args) => {
      ran.push(args);
      return "Paid";
    },
  });
  const asked = response([call("1", "pay", { euros: "5", due: "2026-12-01" })]);
  const contexts: Context[] = [];
  const post = (...messages: { role: string; parts: Part[] }[]) => {
    const agent = new Agent({
      sessionId: "chat",
      initialState: { model: MODEL, tools: [pay], messages: fromUIMessages([ASKED, ...messages]) },
      middleware: [approvals({ pause: true, secret: "a secret of at least thirty-two bytes" })],
      streamFn: (model, context, options) => {
        contexts.push(context);
        const next = context.messages.at(-1)?.role === "user" ? asked : text("Paid.");
        return scripted(next).streamFn(model, context, options);
      },
    });
    return toUIMessageStream(agent, { run: () => agent.continue() });
  };
  const page = await new Page().read(post());
  expect(page.parts[1]).toMatchObject({ input: { euros: "5", due: "2026-12-01" }, state: "approval-requested" });
  page.answer("1", true);
  await page.read(post(page.message));
  expect(ran).toEqual([{ euros: 500, due: new Date("2026-12-01"), note: "none" }]);
  expect(contexts.at(-1)?.messages[1]).toMatchObject({ content: [{ arguments: { euros: "5", due: "2026-12-01" } }] });
});

describe("pruning", () => {
  test("of the messages before a pending call changes nothing", async () => {
    const { post, ran, page } = await open();
    for (const id of ["c2", "c3"]) page.answer(id, true);
    await page.read(post("chat", [page.message]));
    expect(ran).toEqual(["pay c2 5", "pay c3 7"]);
  });

  test("of the pending call itself runs nothing, and leaves no result without a call", async () => {
    const { post, ran, page } = await open();
    for (const id of ["c2", "c3"]) page.answer(id, true);
    const pruned = { role: "assistant", parts: page.message.parts.filter(({ type }) => type !== "dynamic-tool") };
    await new Page().read(post("chat", [ASKED, pruned, LATER]));
    expect(ran).toEqual([]);
    expect(calledIn(fromUIMessages([ASKED, pruned, LATER]))).toEqual(["user", "text", "user"]);
  });
});

test("an approved call does not run again after a reload", async () => {
  const { post, ran, page } = await open();
  for (const id of ["c2", "c3"]) page.answer(id, true);
  const stored = page.message;
  await page.read(post("chat", [ASKED, page.message]));
  expect(ran).toEqual(["pay c2 5", "pay c3 7"]);
  // The page that was reloaded has the answers, and not yet the results.
  await new Page(stored.parts).read(post("chat", [ASKED, stored]));
  await new Page().read(post("chat", [ASKED, page.message, LATER]));
  expect(ran).toEqual(["pay c2 5", "pay c3 7"]);
});
