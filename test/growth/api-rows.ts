/** What a provider can repeat: read by its adapter, by the relay and its client, and shown to pages. */
import { Agent, streamProxy } from "pi-agent";
import { agUiResponse } from "pi-agent/ag-ui";
import { subscribeEmbedded } from "pi-agent/embed";
import { createMemoryEventStore, publish, type RunEvent } from "pi-agent/event-store";
import { toUIMessageStream } from "pi-agent/ui-stream";
import { type AssistantMessage, type AssistantMessageEventStream, type Context, stream } from "pi-ai";
import { createProxyHandler } from "pi-ai/proxy-server";
import type { Frame, HttpFixtures } from "../../packages/ai/test/conformance/http-target.js";
import { API_TESTS } from "../../packages/ai/test/protocols/all-apis.js";
import { fillersOf, type Repetition, repetitionsOf } from "./repeated-frames.js";
import type { GrowthRow } from "./row.js";

/** Those that others build on: their events are read by the same code. */
export const SIX: RegExp =
  /^(?:anthropic-messages|openai-completions|openai-responses|google-generative-ai|bedrock-converse-stream|mistral-conversations)$/;
const CONTEXT: Context = { messages: [{ role: "user", content: "Hi", timestamp: 1 }] };

const SIX_APIS = API_TESTS.filter(({ api }) => SIX.test(api)).map(({ fixtures }) => fixtures);

interface Repeated extends Repetition {
  fixtures: HttpFixtures;
}

function repeatedIn(fixtures: HttpFixtures): Repeated[] {
  const responses = Object.entries(fixtures.responses).flatMap(([name, { frames = [] } = {}]) =>
    repetitionsOf(frames).map(({ what, frames }) => ({ what: `${name}: ${what}`, frames })),
  );
  return [...fillersOf(fixtures), ...responses].map((repetition) => ({ ...repetition, fixtures }));
}

/** How bodies arrive: in pieces of this size, and what happens before each. */
export const delivery = { piece: 4096, wait: async (): Promise<unknown> => undefined };

export function fetchOf(frames: readonly Frame[], contentType: string): typeof globalThis.fetch {
  const body = Buffer.concat(frames.map((frame) => Buffer.from(frame as Uint8Array))); // or a text
  return async () => {
    let at = 0;
    const pieces = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        await delivery.wait();
        if (at >= body.length) return controller.close();
        controller.enqueue(body.subarray(at, at + delivery.piece));
        at += delivery.piece;
      },
    });
    return new Response(pieces, { headers: { "content-type": contentType } });
  };
}

/** Bytes of one element. */
function bytesOf({ frames }: Repeated): number {
  const sizeOf = (count: number): number => frames(count).reduce((sum, frame) => sum + frame.length, 0);
  return (sizeOf(20) - sizeOf(10)) / 10;
}

function request({ fixtures, frames }: Repeated, count: number): AssistantMessageEventStream {
  const fetch = fetchOf(frames(count), fixtures.contentType);
  return stream(fixtures.model("https://example.invalid"), CONTEXT, {
    apiKey: "k",
    maxRetries: 0,
    ...fixtures.options,
    fetch,
  });
}

async function drain(events: AssistantMessageEventStream): Promise<AssistantMessage> {
  for await (const event of events) void event;
  return events.result();
}

/** The adapters. */
export function apiRows(): GrowthRow[] {
  return SIX_APIS.flatMap((fixtures) =>
    repeatedIn(fixtures).map((repeated) => ({
      reader: fixtures.name,
      what: repeated.what,
      bytes: bytesOf(repeated),
      prepare: (count) => {
        const events = request(repeated, count);
        return () => drain(events);
      },
    })),
  );
}

/** A relay reads what a provider has repeated, and writes it to its client. */
function relayOf(repeated: Repeated, count: number): () => Promise<Response> {
  const model = repeated.fixtures.model("https://example.invalid");
  const handler = createProxyHandler({
    authorize: "token",
    allowModels: () => true,
    getModel: () => model,
    streamFn: () => request(repeated, count),
  });
  return () =>
    handler(
      new Request("http://relay.test/api/stream", {
        method: "POST",
        headers: { "content-type": "application/json", authorization: "Bearer token" },
        body: JSON.stringify({ model, context: CONTEXT }),
      }),
    );
}

/** All blocks of each response, as one reader after the other gets them. */
const wholes = (): Repeated[] => SIX_APIS.flatMap(repeatedIn).filter(({ what }) => what.endsWith("all blocks"));

export function relayRows(): GrowthRow[] {
  return wholes().map((repeated) => ({
    reader: "relay",
    what: `${repeated.fixtures.name}, ${repeated.what}`,
    bytes: bytesOf(repeated),
    prepare: (count) => {
      const ask = relayOf(repeated, count);
      return async () => (await ask()).text();
    },
  }));
}

/** What a relay may send: each of its events, repeated. */
export async function relayClientRows(): Promise<GrowthRow[]> {
  const rows: GrowthRow[] = [];
  for (const fixtures of SIX_APIS)
    for (const [name, { frames = [] } = {}] of Object.entries(fixtures.responses)) {
      const body = await (await relayOf({ fixtures, what: name, frames: () => [...frames] }, 1)()).text();
      const model = fixtures.model("https://example.invalid");
      for (const { what, frames: repeat } of repetitionsOf(body.split(/(?<=\n\n)/)))
        rows.push({
          reader: "client of a relay",
          what: `${fixtures.name}, ${name}: ${what}`,
          bytes: bytesOf({ fixtures, what, frames: repeat }),
          prepare: (count) => {
            const fetch = fetchOf(repeat(count), "text/event-stream");
            return () =>
              drain(streamProxy(model, CONTEXT, { authToken: "token", proxyUrl: "https://relay.test", fetch }));
          },
        });
    }
  return rows;
}

type Serve = (agent: Agent) => Promise<unknown>;
const run = (agent: Agent) => (): Promise<void> => agent.prompt("Hi");

const PAGES: Readonly<Record<string, Serve>> = {
  "page of useChat": async (agent) => {
    for await (const chunk of toUIMessageStream(agent, { run: run(agent) })) void chunk;
  },
  "page of AG-UI": (agent) => agUiResponse(agent, { threadId: "t", runId: "r", run: run(agent) }).text(),
  agent: (agent) => run(agent)(),
  embed: async (agent) => {
    const shown = subscribeEmbedded(agent, {
      blockReplyBreak: "text_end",
      chunker: { minChars: 40, maxChars: 400 },
      onPartialReply: () => {},
      onBlockReply: () => {},
    });
    await run(agent)();
    await shown.whenDelivered();
    shown.unsubscribe();
  },
};

/** What pages get of it, and what a store of events does. */
export function shownRows(): GrowthRow[] {
  const agentOf = (repeated: Repeated, count: number, store?: Parameters<typeof publish>[0]): Agent => {
    const events = request(repeated, count);
    const model = repeated.fixtures.model("https://example.invalid");
    const middleware = store ? [publish(store, "run")] : [];
    return new Agent({ initialState: { model }, middleware, maxTurns: 1, streamFn: () => events });
  };
  return wholes().flatMap((repeated) => {
    const what = `${repeated.fixtures.name}, ${repeated.what}`;
    const bytes = bytesOf(repeated);
    const pages = Object.entries(PAGES).map(
      ([reader, serve]): GrowthRow => ({
        reader,
        what,
        bytes,
        prepare: (count) => {
          const agent = agentOf(repeated, count);
          return () => serve(agent);
        },
      }),
    );
    const stored: GrowthRow = {
      reader: "published run",
      what,
      bytes,
      prepare: (count) => {
        const store = createMemoryEventStore<RunEvent>();
        const agent = agentOf(repeated, count, store);
        return async () => {
          await run(agent)();
          for await (const event of store.read("run", 0)) void event;
          await store.close();
        };
      },
    };
    return [...pages, stored];
  });
}
