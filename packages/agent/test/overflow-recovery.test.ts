/** An overflow error that arrives after the response has begun, on every api: one compaction, and the request goes out again. */
import { Agent } from "pi-agent";
import { compact, isCompactionMessage } from "pi-agent/compact";
import { streamSimple } from "pi-ai";
import { expect, test } from "vitest";
import { type FaultWireFormat, responseOf, textPart, type WireEvent } from "../../ai/test/faults/fault-wire-format.js";
import { API_TESTS } from "../../ai/test/protocols/all-apis.js";
import { history } from "./compact-script.js";

const OVERFLOW = "Your input exceeds the context window of this model. Please adjust your input and try again.";

function respondWith(wire: FaultWireFormat, events: readonly WireEvent[]): Response {
  const body = Buffer.concat(events.map((event) => wire.frame(event)));
  return new Response(body, { headers: { "content-type": wire.fixtures.contentType } });
}

test.each(API_TESTS.map((tests) => [tests.api, tests] as const))("%s", async (_api, { faultWires, handoff }) => {
  const [wire] = faultWires;
  if (!wire) throw new Error("The api has no wire format");
  const model = { ...wire.fixtures.model("https://models.test"), contextWindow: 1200 };
  const bodies: string[] = [];
  const isSummary = (body: string): boolean => body.includes("You summarise conversations");
  const options = {
    apiKey: handoff.apiKey ?? "key",
    ...wire.fixtures.options,
    maxRetries: 0,
    fetch: async (_input: unknown, init?: RequestInit): Promise<Response> => {
      const body = String(init?.body);
      bodies.push(body);
      if (isSummary(body)) return respondWith(wire, responseOf(wire, [textPart("They counted.")]));
      if (bodies.length === 1) return respondWith(wire, [...wire.start(), wire.error(OVERFLOW)]);
      return respondWith(wire, responseOf(wire, [textPart("Yes.")]));
    },
  };
  const agent = new Agent({
    streamFn: (called, context, more) => streamSimple(called, context, { ...more, ...options }),
    middleware: [compact({ at: 1, keep: 100, requestOptions: options })],
    initialState: { model, messages: history(8) },
  });
  await agent.prompt("Go on");
  expect(agent.state.errorMessage).toBeUndefined();
  const reply = agent.state.messages.findLast(({ role }) => role === "assistant");
  expect(reply).toMatchObject({ content: [{ text: "Yes." }], stopReason: "stop" });
  const sent = bodies.filter((body) => !isSummary(body));
  expect(sent).toHaveLength(2);
  expect(sent[1]).toContain("They counted.");
  await agent.prompt("And on");
  expect(agent.state.messages.filter(isCompactionMessage)).toHaveLength(1);
});
