/** Removed tools at Gemini: they stay declared, and the mode of the request leaves them out. */
import {
  type AssistantMessage,
  type Message,
  type SimpleStreamOptions,
  type SystemMessage,
  streamSimple,
  type Tool,
} from "pi-ai";
import { expect, it } from "vitest";
import { createModel } from "../models.js";
import { scriptFetch } from "../support/scripted-fetch.js";

const model = createModel("google-generative-ai", { id: "gemini-3.5-flash", provider: "google" });

function tool(name: string): Tool {
  return { name, description: `The tool ${name}`, parameters: { type: "object", properties: {} } };
}

const [READ, WRITE, ASK] = [tool("read"), tool("write"), tool("ask")];
const user = (content: string): Message => ({ role: "user", content, timestamp: 1 });
const change = (fields: Partial<SystemMessage>): SystemMessage => ({
  role: "system",
  content: "",
  timestamp: 1,
  ...fields,
});
const base = { systemPrompt: "", tools: [READ, WRITE] };
const removal = change({ base, toolsRemoved: [{ name: "read" }] });

interface Asked {
  message: AssistantMessage;
  // biome-ignore lint/suspicious/noExplicitAny: bodies as they are sent.
  bodies: any[];
}

/** Each request is refused with the words. */
async function ask(changes: Message[], tools: Tool[], options: SimpleStreamOptions = {}): Promise<Asked> {
  const words = "The specified schema produces a constraint that has too many states for serving.";
  const refusal = {
    status: 400,
    pieces: [JSON.stringify({ error: { code: 400, message: words, status: "INVALID_ARGUMENT" } })],
  };
  const { fetch, requests } = scriptFetch(refusal, refusal, refusal);
  const messages = [user("Hi"), ...changes, user("Go on")];
  const message = await streamSimple(
    model,
    { tools, messages },
    { apiKey: "k", fetch, maxRetries: 0, ...options },
  ).result();
  return { message, bodies: requests.map(({ body }) => JSON.parse(String(body))) };
}

// biome-ignore lint/suspicious/noExplicitAny: as above.
const namesIn = (body: any): string[] => body.tools[0].functionDeclarations.map(({ name }: Tool) => name);
// biome-ignore lint/suspicious/noExplicitAny: as above.
const choiceIn = (body: any): unknown => body.toolConfig?.functionCallingConfig;

it("stay declared, and the model may call the others or answer", async () => {
  const { bodies } = await ask([removal], [WRITE]);
  expect(namesIn(bodies[0])).toEqual(["read", "write"]);
  expect(choiceIn(bodies[0])).toEqual({ mode: "VALIDATED", allowedFunctionNames: ["write"] });
});

it("come back without a change, and none that is left is a choice of none", async () => {
  const back = (await ask([removal, change({ toolsAdded: [READ] })], [READ, WRITE])).bodies[0];
  expect([namesIn(back), choiceIn(back)]).toEqual([["read", "write"], undefined]);
  const none = change({ base, toolsRemoved: [{ name: "read" }, { name: "write" }] });
  expect(choiceIn((await ask([none], [])).bodies[0])).toEqual({ mode: "NONE" });
});

it("keep the caller's own choice within the others", async () => {
  const choiceOf = async (toolChoice: NonNullable<SimpleStreamOptions["toolChoice"]>) =>
    choiceIn((await ask([removal], [WRITE], { toolChoice })).bodies[0]);
  expect(await choiceOf("required")).toEqual({ mode: "ANY", allowedFunctionNames: ["write"] });
  expect(await choiceOf({ mode: "AUTO" })).toEqual({ mode: "VALIDATED", allowedFunctionNames: ["write"] });
  expect(await choiceOf("none")).toEqual({ mode: "NONE" });
  const own = { mode: "ANY", allowedFunctionNames: ["write"] };
  expect(await choiceOf(own)).toEqual(own);
});

it("begin anew beside a tool that is added, which Gemini takes at the beginning only", async () => {
  const [body] = (await ask([removal, change({ toolsAdded: [ASK] })], [WRITE, ASK])).bodies;
  expect([namesIn(body), choiceIn(body)]).toEqual([["write", "ask"], undefined]);
});

it("are left out of one more request if the server refuses the first", async () => {
  const { bodies, message } = await ask([removal], [WRITE]);
  expect(bodies).toHaveLength(2);
  expect([namesIn(bodies[1]), choiceIn(bodies[1])]).toEqual([["write"], undefined]);
  const toolChoice = { mode: "VALIDATED", allowedFunctionNames: ["write"] };
  expect(message.diagnostics).toContainEqual(
    expect.objectContaining({ type: "tool_choice_relaxed", details: { toolChoice, sent: "auto" } }),
  );
  expect((await ask([], [WRITE])).bodies).toHaveLength(1);
});
