/** Runs as the AI SDK itself reads them: its schema of chunks, its reader, and its checks of messages. Needs npm. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { Agent, type AgentEvent } from "pi-agent";
import { createMemoryEventStore } from "pi-agent/event-store";
import {
  fromUIMessages,
  publishUIMessages,
  readUIApprovals,
  type UIMessageChunk,
  uiMessageResponse,
} from "pi-agent/ui-stream";
import { fauxAssistantMessage, fauxText, fauxThinking, fauxToolCall, Type } from "pi-ai";
import { createScriptedStreamFn, fauxCompaction, fauxFile, fauxImage, fauxServerTool } from "pi-ai/testing";
import { describe, expect, it } from "vitest";
import { SCENARIOS, shownOf, toShown } from "../packages/agent/test/serve/scenarios.js";
import { createPausedChat } from "../packages/agent/test/ui-stream/paused-chat.js";
import { installPeers } from "./support/install-peers.js";
import { PATIENCE_MS } from "./support/patience.js";

const VERSIONS = { ai: "7.0.173", ai6: "npm:ai@6", ai5: "npm:ai@5" };
const { folder, without } = await installPeers("ai", VERSIONS);

interface UIMessage {
  id: string;
  role: "assistant" | "user";
  parts: { type: string; state?: string; [field: string]: unknown }[];
  metadata?: unknown;
}

/** The parts of the package that are used. */
interface AiSdk {
  uiMessageChunkSchema: unknown;
  readUIMessageStream(options: {
    stream: ReadableStream;
    message?: UIMessage;
    onError?: (error: unknown) => void;
  }): AsyncIterable<UIMessage>;
  lastAssistantMessageIsCompleteWithApprovalResponses?(options: { messages: UIMessage[] }): boolean;
  validateUIMessages(options: { messages: UIMessage[] }): Promise<UIMessage[]>;
  DefaultChatTransport: new (options: {
    fetch: typeof fetch;
  }) => {
    reconnectToStream(options: { chatId: string }): Promise<ReadableStream<UIMessageChunk> | null>;
  };
}

/** The response that `uiMessageResponse` would make of a stream. */
function toResponse(stream: ReadableStream<UIMessageChunk>): Response {
  const toLine = new TransformStream<UIMessageChunk, string>({
    transform: (chunk, controller) => controller.enqueue(`data: ${JSON.stringify(chunk)}\n\n`),
    flush: (controller) => controller.enqueue("data: [DONE]\n\n"),
  });
  return new Response(stream.pipeThrough(toLine).pipeThrough(new TextEncoderStream()));
}

const load = createRequire(join(folder, "package.json"));

const steps = () => [
  fauxAssistantMessage(
    [
      fauxThinking("Hm."),
      fauxServerTool("web_search", { query: "sky" }, { output: { text: "found" } }),
      fauxServerTool("shell", { command: "ls" }, { status: "failed", errorText: "no shell" }),
      fauxText("I look.", [{ url: "https://a.example", title: "A" }, { source: "file_1" }]),
      fauxImage("AAAA", "image/png"),
      fauxFile("a.csv"),
      fauxCompaction("Earlier."),
      fauxToolCall("look", { at: "sky" }, { id: "c1" }),
      fauxToolCall("fail", {}, { id: "c2" }),
    ],
    { stopReason: "toolUse" },
  ),
  fauxAssistantMessage("It is blue."),
];

const parameters = Type.Object({});

function createAgent(responses = steps()): Agent {
  const look = {
    name: "look",
    description: "Looks",
    parameters,
    execute: async (_id: string, _args: object, _signal?: AbortSignal, onUpdate?: (half: never) => void) => {
      onUpdate?.({ content: [{ type: "text", text: "half" }] } as never);
      return { content: [{ type: "text" as const, text: "blue" }], details: { shade: 3 } };
    },
  };
  const fail = {
    name: "fail",
    description: "Fails",
    parameters,
    execute: () => Promise.reject(new Error("no luck")),
  };
  return new Agent({ initialState: { tools: [look, fail] }, streamFn: createScriptedStreamFn(responses) });
}

describe.skipIf(without)(`the AI SDK${without}`, { timeout: PATIENCE_MS }, () => {
  for (const [version, major] of [
    ["ai", 7],
    ["ai6", 6],
    ["ai5", 5],
  ] as const) {
    describe(version, () => {
      const sdk: AiSdk = without ? ({} as AiSdk) : load(version);

      /** The last state of the message. Chunks are checked by the transport, which throws for an unknown one. */
      async function read(response: Response, before?: UIMessage) {
        const transport = new sdk.DefaultChatTransport({ fetch: async () => response });
        const stream = await transport.reconnectToStream({ chatId: "c" });
        const errors: unknown[] = [];
        let last: UIMessage | undefined;
        if (!stream) throw new Error("there is no stream");
        for await (const message of sdk.readUIMessageStream({
          stream,
          ...(before && { message: before }),
          onError: (error) => errors.push(error),
        })) {
          last = message;
        }
        return { message: last, errors };
      }

      const statesOf = (message: UIMessage | undefined): string[] =>
        (message?.parts ?? []).map(({ type, state }) => (state ? `${type}:${state}` : type));

      it("reads every part of a run", async () => {
        const agent = createAgent();
        const { message, errors } = await read(uiMessageResponse(agent, { run: () => agent.prompt("Hi") }));
        expect(errors).toEqual([]);
        expect(statesOf(message)).toEqual([
          "step-start",
          "reasoning:done",
          "dynamic-tool:output-available",
          "dynamic-tool:output-error",
          "text:done",
          "source-url",
          "source-document",
          "file",
          "data-file",
          "data-compaction",
          "dynamic-tool:output-available",
          "dynamic-tool:output-error",
          "step-start",
          "text:done",
        ]);
        expect(message?.metadata).toMatchObject({ usage: { cost: expect.any(Number) } });
        if (!message) throw new Error("there is no message");
        // The messages that the page would send next.
        const messages = await sdk.validateUIMessages({
          messages: [JSON.parse(JSON.stringify({ ...message, id: "m" }))],
        });
        expect(fromUIMessages(messages)).toMatchObject([
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "Hm." },
              { type: "serverTool", name: "web_search", status: "done", output: { text: "found" } },
              { type: "serverTool", name: "shell", status: "failed" },
              { type: "text", text: "I look.", citations: [{ url: "https://a.example", title: "A" }] },
              { type: "image", data: "AAAA" },
              { type: "toolCall", id: "c1", arguments: { at: "sky" } },
              { type: "toolCall", id: "c2" },
            ],
          },
          { role: "toolResult", toolCallId: "c1", content: [{ text: "blue" }], details: { shade: 3 } },
          { role: "toolResult", toolCallId: "c2", isError: true, content: [{ text: "no luck" }] },
          { role: "assistant", content: [{ text: "It is blue." }] },
        ]);
      });

      it("reads a failure and an abort", async () => {
        const failing = createAgent([
          fauxAssistantMessage("Half", { stopReason: "error", errorMessage: "overloaded" }),
        ]);
        const failed = await read(uiMessageResponse(failing, { run: () => failing.prompt("Hi") }));
        expect(failed.errors.map(String)).toEqual(["Error: overloaded"]);
        expect(failed.message?.parts.at(-1)).toMatchObject({ type: "text", text: "Half" });
        const aborted = createAgent();
        aborted.subscribe((event) => {
          if (event.type === "tool_execution_start") aborted.abort();
        });
        const { message, errors } = await read(uiMessageResponse(aborted, { run: () => aborted.prompt("Hi") }));
        expect(errors).toEqual([]);
        expect(statesOf(message)).toContain("dynamic-tool:output-error");
      });

      it("reads on after a reload", async () => {
        const store = createMemoryEventStore<UIMessageChunk>();
        const agent = createAgent();
        await publishUIMessages(agent, store, "r", { run: () => agent.prompt("Hi") });
        const whole = await read(uiMessageResponse({ store, runId: "r" }));
        const again = await read(uiMessageResponse({ store, runId: "r" }, { lastEventId: 0 }));
        expect(statesOf(again.message)).toEqual(statesOf(whole.message));
        await store.close();
      });

      it.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))(
        "reads a run whose responses arrive in another way: %s",
        async (_name, scenario) => {
          const agent = await scenario.create();
          const { message, errors } = await read(
            uiMessageResponse(agent, { sdk: major, run: () => agent.prompt("Hi") }),
          );
          expect(errors.map(String)).toEqual(scenario.outcome === "failed" ? ["Error: overloaded"] : []);
          const parts = message?.parts ?? [];
          expect(toShown(fromUIMessages([{ role: "assistant", parts }]))).toEqual(shownOf(scenario));
          // A part that is never finished would look busy for ever.
          expect(parts.map(({ state }) => state)).not.toContain("streaming");
          expect(parts.map(({ state }) => state)).not.toContain("input-streaming");
        },
      );

      it("reads a message that steered the run", async () => {
        const agent = createAgent();
        agent.subscribe((event) => {
          if (event.type !== "tool_execution_start" || event.toolCallId !== "c1") return;
          agent.steer({ role: "user", content: "Faster!", timestamp: 1 });
        });
        const { message, errors } = await read(uiMessageResponse(agent, { sdk: major, run: () => agent.prompt("Hi") }));
        expect(errors).toEqual([]);
        const roles = fromUIMessages([{ role: "assistant", parts: message?.parts ?? [] }]).map(({ role }) => role);
        expect(roles).toContain("user");
      });

      it("reads approvals in one stream", async () => {
        const request = { name: "approve:c1", toolCallId: "c1", toolName: "pay", args: {} };
        const events = async function* () {
          const agent = createAgent([
            fauxAssistantMessage(fauxToolCall("pay", {}, { id: "c1" }), { stopReason: "toolUse" }),
            fauxAssistantMessage("I did not pay."),
          ]);
          const list: AgentEvent[] = [];
          agent.subscribe((event) => void list.push(event));
          await agent.prompt("Hi");
          for (const event of list) {
            if (event.type === "tool_execution_end") {
              yield { type: "approval_requested", request } as const;
              yield { type: "approval_resolved", request, approved: false, reason: "too much" } as const;
            }
            yield event;
          }
        };
        const { message, errors } = await read(uiMessageResponse(events(), { sdk: major }));
        expect(errors).toEqual([]);
        expect(statesOf(message)).toContain(major === 5 ? "dynamic-tool:output-error" : "dynamic-tool:output-denied");
      });

      // Version 5 has no approvals.
      if (major === 5) return;

      it("answers what a run has paused for, and each request is another process", async () => {
        const { post, ran } = createPausedChat();
        const asked = { id: "u", role: "user" as const, parts: [{ type: "text", text: "Pay." }] };
        const send = (...messages: UIMessage[]) =>
          read(toResponse(post("chat", [asked, ...messages])), messages.at(-1) ?? undefined);
        const first = await send();
        expect(first.errors).toEqual([]);
        if (!first.message) throw new Error("there is no message");
        const respond = (part: UIMessage["parts"][number]) =>
          part.state === "approval-requested"
            ? { ...part, state: "approval-responded", approval: { ...Object(part["approval"]), approved: true } }
            : part;
        const page: UIMessage = { ...first.message, parts: first.message.parts.map(respond) };
        expect(sdk.lastAssistantMessageIsCompleteWithApprovalResponses?.({ messages: [first.message] })).toBe(false);
        expect(sdk.lastAssistantMessageIsCompleteWithApprovalResponses?.({ messages: [page] })).toBe(true);
        const rest = await send(page);
        expect(rest.errors).toEqual([]);
        expect(ran).toEqual(["look c1", "look c4", "pay c2 5", "pay c3 7"]);
        expect(rest.message?.parts.at(-1)).toMatchObject({ type: "text", text: "Paid." });
        expect(
          sdk.lastAssistantMessageIsCompleteWithApprovalResponses?.({ messages: [rest.message as UIMessage] }),
        ).toBe(false);
      });

      it("shows in the next message what became of calls that were left open", async () => {
        const { post, ran } = createPausedChat();
        const asked = { id: "u", role: "user" as const, parts: [{ type: "text", text: "Pay." }] };
        const { message } = await read(toResponse(post("chat", [asked])));
        if (!message) throw new Error("there is no message");
        const next = await read(toResponse(post("chat", [asked, message, { ...asked, id: "u2" }])));
        expect(next.errors).toEqual([]);
        expect(ran).toEqual(["look c1", "look c4"]);
        expect(statesOf(next.message)).toContain("dynamic-tool:output-denied");
        expect(next.message?.parts.at(-1)).toMatchObject({ type: "text", text: "Paid." });
      });

      it("sends the answer to an approval when the stream has ended, and reads the rest", async () => {
        const message = fauxAssistantMessage(
          [fauxToolCall("look", {}, { id: "c1" }), fauxToolCall("pay", {}, { id: "c2" })],
          { stopReason: "toolUse" },
        );
        const request = { name: "approve:c2", toolCallId: "c2", toolName: "pay", args: {} };
        const ended = (toolCallId: string, toolName: string) =>
          ({
            type: "tool_execution_end",
            toolCallId,
            toolName,
            result: { content: [{ type: "text", text: "done" }], details: {} },
            isError: false,
          }) as const;
        const events = async function* (answered: boolean): AsyncGenerator<AgentEvent> {
          yield { type: "agent_start" };
          yield { type: "turn_start" };
          yield { type: "message_start", message };
          yield { type: "message_end", message };
          yield { type: "approval_requested", request };
          if (!answered) await new Promise(() => {});
          yield { type: "approval_resolved", request, approved: true };
          yield ended("c1", "look");
          yield ended("c2", "pay");
          yield { type: "agent_end", messages: [] };
        };
        const asked = await read(uiMessageResponse(events(false), { sdk: major, messageId: "m" }));
        expect(asked.errors).toEqual([]);
        if (!asked.message) throw new Error("there is no message");
        const respond = (part: UIMessage["parts"][number]) =>
          part.state === "approval-requested"
            ? { ...part, state: "approval-responded", approval: { id: "approve:c2", approved: true } }
            : part;
        const page: UIMessage = { ...asked.message, parts: asked.message.parts.map(respond) };
        expect(sdk.lastAssistantMessageIsCompleteWithApprovalResponses?.({ messages: [asked.message] })).toBe(false);
        expect(sdk.lastAssistantMessageIsCompleteWithApprovalResponses?.({ messages: [page] })).toBe(true);
        const answers = readUIApprovals([page]);
        expect(answers).toEqual([{ id: "approve:c2", name: "approve:c2", toolCallId: "c2", approved: true }]);
        const rest = await read(uiMessageResponse(events(true), { sdk: major, messageId: "m", answers }), page);
        expect(rest.errors).toEqual([]);
        expect(statesOf(rest.message).filter((state) => state.startsWith("dynamic-tool"))).toEqual([
          "dynamic-tool:output-available",
          "dynamic-tool:output-available",
        ]);
      });
    });
  }
});
