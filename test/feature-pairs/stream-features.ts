/** Features around a stream function. */
import { createHash } from "node:crypto";
import { watchCache } from "pi-ai/cache";
import { type CachedContent, withCachedContent } from "pi-ai/cached-content";
import { traceStream } from "pi-ai/otel";
import { route } from "pi-ai/route";
import { expect } from "vitest";
import { SpanRecorder } from "./doubles.js";
import { type Feature, newEvents, ownRequests, requestsBelow } from "./feature.js";
import { BUSY, MODEL, PROMPT } from "./server.js";

/** Records a span for each request below its place. */
const tracing: Feature = {
  name: "traceStream",
  begin: () => {
    const recorder = new SpanRecorder();
    return {
      attach: ({ streams }) => {
        streams.push((next) => traceStream(next, { api: recorder.api }));
      },
      check: (seen) => {
        const below = requestsBelow(seen, "traceStream");
        expect(recorder.named("chat").length, "spans of requests").toBe(below.length);
        const paid = below.reduce((sum, { response }) => sum + response.usage.cost.total, 0);
        expect(recorder.sum("chat", "pi.usage.cost"), "dollars in the spans").toBe(paid);
        expect(recorder.spans.filter(({ isEnded }) => !isEnded)).toEqual([]);
      },
    };
  },
};

/** Asks the second model after the first one has refused, and says so. */
const routing: Feature = {
  name: "route",
  begin: () => ({
    attach: ({ streams }) => {
      const breaker = { failures: 10_000, coolMs: 1 };
      streams.push((next) => route([BUSY, MODEL], { streamFn: next, breaker, retryAfterAtMost: 0 }));
    },
    check: (seen) => {
      const refused = seen.server.sent.filter(({ model }) => model.id === BUSY.id).length;
      expect(refused, "requests that the first model refused").toBe(ownRequests(seen).length);
      if (seen.isCut) return;
      const responses = newEvents(seen).flatMap((event) =>
        event.type === "message_end" && event.message.role === "assistant" ? [event.message] : [],
      );
      for (const { diagnostics = [] } of responses)
        expect(
          diagnostics.map(({ type }) => type),
          "diagnostics of a response",
        ).toContain("route");
    },
  }),
};

/** Reports that the new system prompt breaks the cache, once for each model that gets it. */
const watching: Feature = {
  name: "watchCache",
  needs: { newPrompt: true },
  begin: () => {
    const breaks: string[] = [];
    return {
      attach: ({ streams }) => {
        const onBreak = (found: unknown, { id }: { id: string }) =>
          void breaks.push(`${id} ${JSON.stringify(found).includes("systemPrompt") ? "prompt" : "other"}`);
        streams.push((next) => watchCache(next, { onBreak }));
      },
      check: (seen) => {
        if (seen.isCut) return;
        const models = new Set(requestsBelow(seen, "watchCache").map(({ model }) => model.id));
        const expected = [...models].map((id) => `${id} prompt`);
        const found = breaks.filter((one) => one.endsWith("prompt"));
        // A process that begins with the second run knows nothing of the first one.
        if (seen.names.includes("durable") && found.length === 0) return;
        expect(found.toSorted()).toEqual(expected.toSorted());
        const noted = newEvents(seen).filter(
          (event) =>
            event.type === "message_end" &&
            event.message.role === "assistant" &&
            event.message.diagnostics?.some(({ type }) => type === "cache_broken"),
        );
        expect(noted.length, "responses that say so").toBeGreaterThan(0);
      },
    };
  },
};

const hash = (value: unknown): string => createHash("sha256").update(JSON.stringify(value)).digest("hex");

/** Holds the first system prompt. */
const CACHED: CachedContent = {
  name: "cachedContents/abc",
  model: MODEL,
  expiresAt: Number.MAX_SAFE_INTEGER,
  prefix: { instructions: hash({ systemInstruction: PROMPT }), length: 0, contents: hash([]) },
};

/** Each request of its model that begins with the cached content refers to it, and no other one. */
const cachedContent: Feature = {
  name: "cachedContent",
  begin: () => ({
    attach: ({ streams }) => {
      streams.push((next) => withCachedContent(next, CACHED));
    },
    check: ({ server }) => {
      for (const { kind, context, payload } of server.counted) {
        const isCached = kind === "main" && context.systemPrompt === PROMPT;
        const expected = isCached ? { cachedContent: CACHED.name } : { systemInstruction: context.systemPrompt };
        expect(payload, `the body of a ${kind} request`).toMatchObject(expected);
      }
    },
  }),
};

export const streamFeatures: readonly Feature[] = [tracing, routing, watching, cachedContent];
