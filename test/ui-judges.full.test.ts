/** Runs as the AI SDK itself reads them: its schema of chunks, its reader, and its checks of messages. Needs npm. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { Agent } from "pi-agent";
import { createMemoryEventStore } from "pi-agent/event-store";
import { fromUIMessages, publishUIMessages, type UIMessageChunk, uiMessageResponse } from "pi-agent/ui-stream";
import { fauxAssistantMessage, fauxText, fauxThinking, fauxToolCall, Type } from "pi-ai";
import { createScriptedStreamFn, fauxCompaction, fauxFile, fauxImage, fauxServerTool } from "pi-ai/testing";
import { describe, expect, it } from "vitest";
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
  validateUIMessages(options: { messages: UIMessage[] }): Promise<UIMessage[]>;
  DefaultChatTransport: new (options: {
    fetch: typeof fetch;
  }) => {
    reconnectToStream(options: { chatId: string }): Promise<ReadableStream<UIMessageChunk> | null>;
  };
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
  for (const version of ["ai", "ai6", "ai5"]) {
    describe(version, () => {
      const sdk: AiSdk = without ? ({} as AiSdk) : load(version);

      /** The last state of the message. Chunks are checked by the transport, which throws for an unknown one. */
      async function read(response: Response) {
        const transport = new sdk.DefaultChatTransport({ fetch: async () => response });
        const stream = await transport.reconnectToStream({ chatId: "c" });
        const errors: unknown[] = [];
        let last: UIMessage | undefined;
        if (!stream) throw new Error("there is no stream");
        for await (const message of sdk.readUIMessageStream({ stream, onError: (error) => errors.push(error) })) {
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

      // Earlier versions do not know the chunk of a response to an approval.
      if (version !== "ai") return;

      it("reads approvals", async () => {
        const request = { name: "approve:c1", toolCallId: "c1", toolName: "pay", args: {} };
        const events = async function* () {
          const agent = createAgent([
            fauxAssistantMessage(fauxToolCall("pay", {}, { id: "c1" }), { stopReason: "toolUse" }),
            fauxAssistantMessage("I did not pay."),
          ]);
          const list: Parameters<Parameters<Agent["subscribe"]>[0]>[0][] = [];
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
        const { message, errors } = await read(uiMessageResponse(events()));
        expect(errors).toEqual([]);
        expect(statesOf(message)).toContain("dynamic-tool:output-denied");
      });
    });
  }
});
