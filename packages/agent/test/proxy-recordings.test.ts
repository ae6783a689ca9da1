/**
 * Every recorded response, directly and through the relay: the events must be the same. The recordings are not part of
 * this repository; if they are missing, responses of the faux provider replace them.
 */

import { streamProxy } from "pi-agent";
import {
  type AssistantMessage,
  type AssistantMessageEvent,
  type AssistantMessageEventStream,
  type Context,
  fauxAssistantMessage,
  fauxText,
  fauxThinking,
  fauxToolCall,
  type Model,
  registerFauxProvider,
  type SimpleStreamOptions,
  streamSimple,
} from "pi-ai";
import { createProxyHandler } from "pi-ai/proxy-server";
import { describe, expect, it } from "vitest";
import { sample } from "../../../test/support/suite.js";
import { API_TESTS } from "../../ai/test/protocols/all-apis.js";
import { contextFor, modelFor, optionsFor } from "../../ai/test/wire/call.js";
import { type Recording, readRecordings } from "../../ai/test/wire/recordings.js";

const TOKEN = "token-of-the-client";

const APIS = API_TESTS.filter(({ recordings }) => recordings).map(({ api }) => api);

type StreamFn = (
  model: Model,
  context: Parameters<typeof streamSimple>[1],
  options: SimpleStreamOptions,
) => AssistantMessageEventStream;

/** The events of one request at the server and at the client. */
async function compare(model: Model, context: Context, streamFn: StreamFn) {
  const direct: AssistantMessageEvent[] = [];
  const handler = createProxyHandler({
    authorize: TOKEN,
    allowModels: () => true,
    getModel: () => model,
    streamFn: (asked, given, options) => listen(streamFn(asked, given, options), direct),
  });
  const proxied: AssistantMessageEvent[] = [];
  const stream = streamProxy(model, context, {
    authToken: TOKEN,
    proxyUrl: "https://proxy.test",
    fetch: (url, init) => handler(new Request(url, init)),
  });
  for await (const event of stream) proxied.push(event);
  return { direct: direct.map(comparable), proxied: proxied.map(comparable) };
}

/** The same stream, with a record of every event that is read from it. */
function listen(stream: AssistantMessageEventStream, seen: AssistantMessageEvent[]): AssistantMessageEventStream {
  const original = stream[Symbol.asyncIterator].bind(stream);
  stream[Symbol.asyncIterator] = () => {
    const iterator = original();
    return {
      ...iterator,
      next: async () => {
        const next = await iterator.next();
        if (!next.done) seen.push(next.value);
        return next;
      },
    };
  };
  return stream;
}

/** Everything except the time of the request, and the address that was asked. */
function comparable(event: AssistantMessageEvent): unknown {
  if (event.type === "done")
    return { ...event, message: { ...event.message, timestamp: 0, diagnostics: withoutStacks(event.message) } };
  if (event.type === "error") {
    // The relay hides the address of the model's server.
    const errorMessage = event.error.errorMessage?.replace(/asked: [^\s);]+/, "asked: [address]");
    return { ...event, error: { ...event.error, errorMessage, timestamp: 0, diagnostics: withoutStacks(event.error) } };
  }
  const { partial } = event;
  const own = "contentIndex" in event ? event.contentIndex : -1;
  const content = partial.content.map((block, index) => (index === own ? block : withoutSignature(block)));
  return { ...event, partial: { ...partial, content, timestamp: 0, diagnostics: withoutStacks(partial) } };
}

/** A signature that comes after the end of its block travels with the last event. */
function withoutSignature(block: AssistantMessage["content"][number]): object {
  return { ...block, textSignature: undefined, thinkingSignature: undefined, thoughtSignature: undefined };
}

function withoutStacks({ diagnostics }: { diagnostics?: { error?: object }[] }): unknown {
  return diagnostics?.map(({ error, ...rest }) => ({ ...rest, error: error && { ...error, stack: undefined } }));
}

function responseOf(recording: Recording): Response {
  const isBinary = recording.api === "bedrock-converse-stream";
  const headers = { "content-type": isBinary ? "application/vnd.amazon.eventstream" : "text/event-stream" };
  if (recording.kind === "error")
    return new Response(new Uint8Array(recording.body), {
      status: recording.facts.status,
      headers: { "content-type": "application/json" },
    });
  return new Response(new Uint8Array(recording.body), { headers });
}

function replayOf(recording: Recording): StreamFn {
  return (model, context, options) =>
    streamSimple(model, context, { ...optionsFor(recording), ...options, fetch: async () => responseOf(recording) });
}

const NO_RECORDINGS = "(skipped: set PI_WIRE_DIR to the folder of recordings)";

describe("a relay delivers the events of a direct request", () => {
  for (const api of APIS) {
    const recordings = sample(readRecordings(api), 3);
    it.runIf(recordings.length > 0)(
      recordings.length > 0 ? `${api}: ${recordings.length} recordings` : `${api} ${NO_RECORDINGS}`,
      async () => {
        const different: string[] = [];
        let events = 0;
        for (const recording of recordings) {
          const model = modelFor(recording, "https://provider.test");
          const { direct, proxied } = await compare(model, contextFor(recording), replayOf(recording));
          events += direct.length;
          try {
            expect(proxied).toEqual(direct);
          } catch (error) {
            different.push(`${recording.name}: ${String(error).slice(0, 2000)}`);
          }
        }
        expect(different).toEqual([]);
        expect(events).toBeGreaterThan(recordings.length);
      },
    );
  }

  it("for a response with thinking, text and tool calls", async () => {
    const faux = registerFauxProvider();
    const call = fauxToolCall("add", { a: [1, { b: "é😀" }], c: null }, { id: "call-1" });
    faux.setResponses([
      fauxAssistantMessage([
        fauxThinking("Let me see."),
        fauxText("Adding."),
        call,
        fauxToolCall("none", {}, { id: "call-2" }),
      ]),
    ]);
    const { direct, proxied } = await compare(
      faux.getModel(),
      { messages: [{ role: "user", content: "Hi", timestamp: 1 }] },
      streamSimple,
    );
    expect(direct.length).toBeGreaterThan(10);
    expect(proxied).toEqual(direct);
    faux.unregister();
  });
});
