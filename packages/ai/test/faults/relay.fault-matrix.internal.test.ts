/** The relay's server under hostile requests and invalid durations. */

import { AssistantMessageEventStream } from "pi-ai";
import { createAssistantMessage } from "pi-ai/call";
import { expect, test } from "vitest";
import { PARTIES } from "../handoff/parties.js";
import { adapterOf } from "../protocols/adapters.internal.js";
import { eventsOf, post, setUp } from "../support/proxy-setup.js";

const DAYS_30 = 30 * 24 * 60 * 60 * 1000;
const LIMIT = 1000;
/** Fields by which an api bounds its output or its reasoning. */
const BOUNDS = /^(max_?(completion_|output_)?tokens|maxOutputTokens|budget_tokens|thinkingBudget|thinking_budget)$/i;

function boundsIn(value: unknown): number[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === "number" && BOUNDS.test(name) ? [inner] : boundsIn(inner),
  );
}

test.each([Number.POSITIVE_INFINITY, DAYS_30])("#184 bodyTimeoutMs and keepAliveMs of %d", async (ms) => {
  const { handler } = setUp({ limits: { bodyTimeoutMs: ms, keepAliveMs: ms, stallTimeoutMs: ms } });
  const events = await eventsOf(await handler(post()));
  expect(events.at(-1)).toMatchObject({ type: "done", reason: "stop" });
});

test.each(["bodyTimeoutMs", "keepAliveMs", "stallTimeoutMs"])("#184 %s of -1 and NaN", (name) => {
  for (const ms of [-1, Number.NaN]) expect(() => setUp({ limits: { [name]: ms } })).toThrow(`limits.${name}`);
});

const cases = PARTIES.flatMap((party) =>
  party.targets.map((model) => ({ name: `${model.api} ${model.id}`, party, model })),
);

test.each(cases)("#199 a client asks for more than the server's maxTokens: $name", async ({ party, model }) => {
  for (const level of ["minimal", "low", "medium", "high", "xhigh"]) {
    let body: unknown;
    const { handler } = setUp({
      limits: { maxTokens: LIMIT },
      allowModels: () => true,
      getModel: () => ({ ...model, reasoning: true }),
      streamFn: (called, context, given) => {
        const options = adapterOf(party.api).simpleOptions(called, given);
        const baseUrl = called.baseUrl || "https://resource.openai.azure.com/openai/v1";
        const request = { model: { ...called, baseUrl }, context, options, apiKey: party.apiKey, keyIsBearer: false };
        ({ body } = adapterOf(party.api).buildRequest(request));
        const stream = new AssistantMessageEventStream();
        stream.push({ type: "done", reason: "stop", message: createAssistantMessage(called) });
        return stream;
      },
    });
    const options = { reasoning: level, thinkingBudgets: { [level]: 50_000 }, maxTokens: 60_000 };
    const context = { messages: [{ role: "user", content: "Hi", timestamp: 1 }] };
    const response = await handler(post({ model: { provider: "p", id: "m" }, context, options }));
    await response.text();
    // A model whose api has no such field is rejected.
    if (response.status === 403) expect(body).toBeUndefined();
    else {
      expect(boundsIn(body)).toContain(LIMIT);
      expect(Math.max(...boundsIn(body))).toBeLessThanOrEqual(LIMIT);
    }
  }
});
