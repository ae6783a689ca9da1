/** What providers cite, run, make and compact, through the relay. */

import { streamProxy } from "pi-agent";
import {
  type AssistantMessage,
  type AssistantMessageEvent,
  AssistantMessageEventStream,
  type Model,
  type ServerToolContent,
} from "pi-ai";
import { AssistantMessageBuilder } from "pi-ai/assemble";
import { createProxyHandler } from "pi-ai/proxy-server";
import { describe, expect, it } from "vitest";
import { MODEL } from "./scripted-stream.js";

const TOKEN = "token-of-the-client";
const CONTEXT = { messages: [{ role: "user" as const, content: "Hi", timestamp: 1 }] };

function streamOf(play: (builder: AssistantMessageBuilder) => void): AssistantMessageEventStream {
  const stream = new AssistantMessageEventStream();
  const builder = new AssistantMessageBuilder({ model: MODEL, timestamp: 1, emit: (event) => stream.push(event) });
  play(builder);
  if (!builder.stopped) builder.stop("stop");
  builder.finish();
  return stream;
}

/** The events of a stream, and those that a client of the relay receives. */
async function relayed(play: (builder: AssistantMessageBuilder) => void) {
  const direct: AssistantMessageEvent[] = [];
  for await (const event of streamOf(play)) direct.push(structuredClone(event));
  const handler = createProxyHandler({
    authorize: TOKEN,
    allowModels: () => true,
    getModel: () => MODEL,
    streamFn: () => streamOf(play),
  });
  return { direct: direct.map(comparable), proxied: await read((url, init) => handler(new Request(url, init))) };
}

async function read(fetch: typeof globalThis.fetch, model: Model = MODEL): Promise<unknown[]> {
  const events: unknown[] = [];
  const stream = streamProxy(model, CONTEXT, { authToken: TOKEN, proxyUrl: "https://proxy.test", fetch });
  for await (const event of stream) events.push(comparable(structuredClone(event)));
  return events;
}

/** Everything except the time of the request. */
function comparable(event: AssistantMessageEvent): unknown {
  const timestamp = 0;
  if (event.type === "done") return { ...event, message: { ...event.message, timestamp } };
  if (event.type === "error") return { ...event, error: { ...event.error, timestamp } };
  const { partial } = event;
  // The input of a server tool is a live view while it streams.
  const content =
    event.type === "servertool_update" ? partial.content.map((block) => ({ ...block, input: 0 })) : partial.content;
  return { ...event, partial: { ...partial, content, timestamp } };
}

const SEARCH = { type: "serverTool", id: "s1", name: "web_search" } as const;
const PLAYS: Record<string, (builder: AssistantMessageBuilder) => void> = {
  "a server tool whose input streams, and whose result comes after later blocks": (builder) => {
    builder.open("use", SEARCH);
    builder.append("use", '{"query":"ca');
    builder.append("use", 'ts"}');
    builder.open("text", { type: "text" });
    builder.append("text", "Searching");
    builder.patch("use", { status: "done", output: { sources: [{ url: "https://a.test" }] }, signature: "[]" });
    builder.close("use");
  },
  "a server tool that arrives whole": (builder) => {
    builder.open("use", { ...SEARCH, status: "waiting", input: { command: ["ls"] }, signature: "[1]" });
    builder.close("use");
  },
  "a server tool whose fields arrive one by one": (builder) => {
    builder.open("use", SEARCH);
    builder.patch("use", { input: { code: "1/0" } });
    builder.patch("use", { output: { stdout: "a" } });
    builder.patch("use", { output: { stdout: "ab", exitCode: 1 } });
    builder.patch("use", { status: "failed", errorText: "division by zero" });
  },
  "a server tool that still runs in a paused response": (builder) => {
    builder.open("use", SEARCH);
    builder.stop("pause");
  },
  "a server tool that a failure interrupts": (builder) => {
    builder.open("use", SEARCH);
    builder.append("use", '{"query":"ca');
    builder.stop("error", "It broke", "server");
  },
  "images, files and compactions": (builder) => {
    builder.open("summary", { type: "compaction", text: "So far", signature: "[2]" });
    builder.open("hidden", { type: "compaction", signature: "[3]" });
    builder.open("image", { type: "image", data: "AAAA", mimeType: "image/png", signature: "[4]" });
    builder.open("file", { type: "file", mimeType: "text/csv", fileId: "f", name: "a.csv", signature: "[5]" });
    builder.open("sound", { type: "file", mimeType: "audio/wav", data: "AAAA" });
    builder.open("page", { type: "file", mimeType: "text/html", url: "https://a.test/" });
  },
  "citations of open and closed texts": (builder) => {
    builder.open("text", { type: "text" });
    builder.cite("text", { url: "https://a.test", title: "A", quote: "a", signature: "{}" });
    builder.append("text", "Hello");
    builder.close("text");
    builder.cite("text", { source: "file_1", start: 0, end: 5 });
  },
  "a citation after a late signature": (builder) => {
    builder.open("text", { type: "text" });
    builder.append("text", "Hello");
    builder.close("text");
    builder.patch("text", { textSignature: "late" });
    builder.cite("text", { url: "https://a.test" });
  },
  "facts of a response and of a tool call": (builder) => {
    builder.open("call", {
      type: "toolCall",
      id: "1",
      name: "read",
      namespace: "files",
      caller: { type: "code_execution", tool_id: "s1" },
    });
    builder.append("call", "{}");
    builder.response({ container: { id: "box", expiresAt: "tomorrow" }, stopSequence: "END" });
    builder.note("safety_ratings", { harassment: "LOW" });
  },
};

describe("a relay delivers the events of a direct request", () => {
  it.each(Object.entries(PLAYS))("%s", async (_name, play) => {
    const { direct, proxied } = await relayed(play);
    expect(direct.length).toBeGreaterThan(2);
    expect(withoutClock(proxied)).toEqual(withoutClock(direct));
  });
});

/** Notes have a time of their own. */
function withoutClock(events: unknown[]): unknown {
  return JSON.parse(JSON.stringify(events, (name, value) => (name === "timestamp" ? 0 : value)));
}

/** A relay that sends these events. */
function sending(...events: unknown[]): typeof globalThis.fetch {
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  return async () => new Response(body, { status: 200 });
}

const DONE = { type: "done", reason: "stop", usage: {} };

async function messageOf(...events: unknown[]): Promise<AssistantMessage> {
  const options = {
    authToken: TOKEN,
    proxyUrl: "https://proxy.test",
    fetch: sending({ type: "start" }, ...events, DONE),
  };
  return streamProxy(MODEL, CONTEXT, options).result();
}

describe("a hostile relay", () => {
  it("sets no field of the wrong type", async () => {
    const { content } = await messageOf(
      { type: "servertool_start", contentIndex: 0, serverTool: { id: 7, name: ["x"], status: "odd", input: "text" } },
      { type: "servertool_update", contentIndex: 0, delta: 5 },
      { type: "servertool_end", contentIndex: 0, serverTool: { status: 1, errorText: {}, signature: 2, extra: "x" } },
      { type: "file_end", contentIndex: 1, file: { type: "file", mimeType: 4, data: {}, url: [], extra: "x" } },
      { type: "compaction_end", contentIndex: 2, compaction: { type: "compaction", text: 1 } },
      { type: "text_start", contentIndex: 3 },
      { type: "citation", contentIndex: 3, citation: { url: 1, title: {}, start: "0", extra: "x", quote: "q" } },
    );
    expect(content).toEqual([
      { type: "serverTool", id: expect.any(String), name: "", status: "running" },
      { type: "file", mimeType: "" },
      { type: "compaction" },
      { type: "text", text: "", citations: [{ quote: "q" }] },
    ]);
  });

  it("pollutes no prototype", async () => {
    const polluted = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
    const { content } = await messageOf(
      { type: "servertool_start", contentIndex: 0, serverTool: { id: "s", name: "__proto__" } },
      { type: "servertool_end", contentIndex: 0, serverTool: { ...polluted, input: polluted, output: polluted } },
      { type: "text_start", contentIndex: 1 },
      { type: "citation", contentIndex: 1, citation: polluted },
    );
    expect(content).toMatchObject([{ name: "__proto__" }, { citations: [{}] }]);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  it.each([
    ["an update of a block that never began", { type: "servertool_update", contentIndex: 0, delta: "x" }],
    ["the end of a block of another kind", { type: "servertool_end", contentIndex: 0 }],
    ["a file without a block", { type: "file_end", contentIndex: 0 }],
    ["a tool call in place of a file", { type: "file_end", contentIndex: 0, file: { type: "toolCall", name: "rm" } }],
    ["a file in place of a compaction", { type: "compaction_end", contentIndex: 0, compaction: { type: "text" } }],
  ])("ends the response with an error for %s", async (_name, event) => {
    expect(await messageOf(event)).toMatchObject({ stopReason: "error", error: { kind: "protocol" } });
  });

  it("cannot cite a block that is not a text", async () => {
    const { content, stopReason } = await messageOf(
      { type: "thinking_start", contentIndex: 0 },
      { type: "citation", contentIndex: 0, citation: { url: "https://a.test" } },
      { type: "citation", contentIndex: 9, citation: { url: "https://a.test" } },
    );
    expect(stopReason).toBe("stop");
    expect(content).toEqual([{ type: "thinking", thinking: "" }]);
  });

  it("does not make a waiting tool look like a response that has ended", async () => {
    const serverTool: Partial<ServerToolContent> = { status: "waiting", input: { command: ["ls"] } };
    const message = await messageOf(
      { type: "servertool_start", contentIndex: 0, serverTool: { id: "s", name: "shell" } },
      { type: "servertool_end", contentIndex: 0, serverTool },
    );
    expect(message).toMatchObject({ stopReason: "toolUse", content: [serverTool] });
  });
});
