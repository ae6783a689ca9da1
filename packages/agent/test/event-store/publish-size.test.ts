/** What `publish` sends to a store grows as what the model writes does. */
import { Agent } from "pi-agent";
import { publish, type RunEvent } from "pi-agent/event-store";
import type { AssistantMessageEvent } from "pi-ai";
import type { EventStore } from "pi-ai/proxy-server";
import { expect, test } from "vitest";
import { MODEL, response, streamOf, text, user } from "../scripted-stream.js";

/** Publishes a response of so many deltas, and counts the characters that the store gets. */
async function publishedBy(deltas: number, length: number, kind: "delta" | "citation" = "delta"): Promise<number> {
  let size = 0;
  let offset = 0;
  let snapshots = 0;
  const store: EventStore<RunEvent> = {
    append: async (_id, event) => {
      size += JSON.stringify(event).length;
      return ++offset;
    },
    snapshot: async (_id, _offset, event) => {
      snapshots++;
      size += JSON.stringify(event).length;
    },
    read: async function* () {},
    end: async () => {},
  };
  const delta = "x".repeat(length);
  const whole = response([{ type: "text", text: kind === "delta" ? delta.repeat(deltas) : delta }]);
  const events = function* (): Generator<AssistantMessageEvent> {
    let partial = { ...whole, content: [{ type: "text" as const, text: "" }] };
    yield { type: "start", partial: { ...whole, content: [] } };
    yield { type: "text_start", contentIndex: 0, partial };
    const citations: { url: string }[] = [];
    for (let count = 0; count < deltas; count++) {
      if (kind === "delta") {
        partial = { ...partial, content: [{ type: "text", text: delta.repeat(count + 1) }] };
        yield { type: "text_delta", contentIndex: 0, delta, partial };
      } else {
        const citation = { url: `https://a.test/${count}` };
        citations.push(citation);
        partial = { ...partial, content: [{ type: "text", text: delta, ...{ citations: [...citations] } }] };
        yield { type: "citation", contentIndex: 0, citation, partial };
      }
    }
    yield { type: "text_end", contentIndex: 0, content: delta, partial };
    yield { type: "done", reason: "stop", message: whole };
  };
  const agent = new Agent({
    initialState: { model: MODEL },
    middleware: [publish(store, "run")],
    streamFn: () => streamOf([...events()]),
  });
  await agent.prompt("Go.");
  if (kind === "delta") expect(snapshots).toBeGreaterThan(0);
  return size;
}

test.each(["delta", "citation"] as const)(
  "four times as many events of the kind %s are at most five times the size",
  async (kind) => {
    const [few, many] = kind === "delta" ? [5000, 20_000] : [300, 1200];
    const size = await publishedBy(few, 50, kind);
    expect(await publishedBy(many, 50, kind)).toBeLessThan(5 * size);
  },
);

test("a store gets at most three times the events of a long text", async () => {
  expect(await publishedBy(20_000, 50)).toBeLessThan(3 * 20_000 * (50 + 100));
});

test("a short answer to a long conversation is no reason to store all of it", async () => {
  let snapshots = 0;
  let offset = 0;
  const store: EventStore<RunEvent> = {
    append: async () => ++offset,
    snapshot: async () => void snapshots++,
    read: async function* () {},
    end: async () => {},
  };
  const delta = "x";
  const partial = text(delta);
  const deltas = Array.from({ length: 1500 }, () => ({ type: "text_delta", contentIndex: 0, delta, partial }) as const);
  const agent = new Agent({
    initialState: { model: MODEL, messages: [user("x".repeat(1_000_000))] },
    middleware: [publish(store, "run")],
    streamFn: () =>
      streamOf([
        { type: "start", partial: response([]) },
        { type: "text_start", contentIndex: 0, partial },
        ...deltas,
        { type: "done", reason: "stop", message: text(delta.repeat(1500)) },
      ]),
  });
  await agent.prompt("Go.");
  expect(snapshots).toBe(0);
});

test("the run is published as before", async () => {
  const events: RunEvent[] = [];
  const store: EventStore<RunEvent> = {
    append: async (_id, event) => events.push(event),
    snapshot: async () => {},
    read: async function* () {},
    end: async () => {},
  };
  const agent = new Agent({
    initialState: { model: MODEL },
    middleware: [publish(store, "run")],
    streamFn: () => streamOf([]),
  });
  agent.streamFn = () => streamOf([{ type: "done", reason: "stop", message: text("Hi") }]);
  await agent.prompt("Go.");
  expect(events.map(({ type }) => type)).toContain("agent_end");
});
