/** A durable run ends the same wherever its process dies. */

import type { AgentMessage, AgentOptions } from "pi-agent";
import { describe, expect, it } from "vitest";
import { sample } from "../../../../test/support/suite.js";
import { user } from "../scripted-stream.js";
import { book, createWorld, type Outcome, type World } from "./booking.js";
import { type Death, MemoryEngine, MOMENTS } from "./memory-engine.js";

const YES = { approved: true };
const MODES: Record<string, Partial<AgentOptions>> = {
  "in parallel": {},
  "two at a time": { maxParallelTools: 2 },
  "one after the other": { toolExecution: "sequential" },
};

/** Runs processes until one finishes. Each one except the last dies at its given step. */
async function bookThrough(
  deaths: readonly Death[],
  options: Partial<AgentOptions>,
): Promise<{ outcome: Outcome; world: World; engine: MemoryEngine; steps: number }> {
  const engine = new MemoryEngine();
  for (let position = 1; position < 60; position++)
    for (const index of [1, 2, 3]) engine.signals.set(`approval:${position}.${index}`, YES);
  const world = createWorld();
  world.inbox.push(user("Thanks!"));
  for (const death of deaths) {
    const finished = await book(engine.start(death), world, options);
    // It may finish before the step at which it would die.
    if (finished) break;
  }
  const process = engine.start();
  const outcome = await book(process, world, options);
  if (!outcome) throw new Error("The last process does not die");
  return { outcome, world, engine, steps: process.count };
}

/** Without fields that differ between processes. */
function withoutTimes(messages: readonly AgentMessage[]): unknown[] {
  return messages.map((message) => ({ ...message, timestamp: 0, durationMs: 0 }));
}

function countOf(list: readonly unknown[]): Map<unknown, number> {
  const counts = new Map<unknown, number>();
  for (const entry of list) counts.set(entry, (counts.get(entry) ?? 0) + 1);
  return counts;
}

/** The calls whose result reports an unknown effect. */
function unknownCalls(messages: readonly AgentMessage[]): string[] {
  return messages.flatMap((message) =>
    message.role === "toolResult" && JSON.stringify(message.content).includes("It may have run")
      ? [message.toolCallId]
      : [],
  );
}

function expectSame(found: readonly AgentMessage[], reference: readonly AgentMessage[]): void {
  const unknown = (message: AgentMessage | undefined): boolean =>
    message !== undefined && unknownCalls([message]).length > 0;
  const known = withoutTimes(reference).map((message, index) => (unknown(found[index]) ? "unknown" : message));
  expect(withoutTimes(found).map((message, index) => (unknown(found[index]) ? "unknown" : message))).toEqual(known);
}

describe.each(Object.entries(MODES))("tools %s", (_mode, options) => {
  it("ends the same wherever a process dies, runs no unsafe tool twice, and pays no complete response twice", async () => {
    const reference = await bookThrough([], options);
    expect(reference.world.requests).toEqual([0, 1, 2, 3]);
    expect(unknownCalls(reference.outcome.messages)).toEqual([]);
    const deaths = Array.from({ length: reference.steps }, (_, step) =>
      MOMENTS.map((moment) => ({ step, moment })),
    ).flat();
    const seen = { unknown: 0, repeated: 0, again: 0 };
    for (const death of deaths) {
      const { outcome, world } = await bookThrough([death], options);
      const at = JSON.stringify(death);
      expectSame(outcome.messages, reference.outcome.messages);
      for (const [effect, count] of countOf(world.tools)) {
        if (!String(effect).startsWith("search")) expect(count, `${effect} ${at}`).toBe(1);
      }
      const repeated = [...countOf(world.requests).values()].filter((count) => count > 1).length;
      expect(repeated, at).toBeLessThanOrEqual(1);
      expect(outcome.ledger.lost.responses, at).toBeGreaterThanOrEqual(repeated);
      expect(outcome.ledger.completed.responses).toBe(4);
      expect(unknownCalls(outcome.messages)).toEqual(outcome.ledger.unknownEffects);
      seen.unknown += outcome.ledger.unknownEffects.length;
      seen.repeated += repeated;
      seen.again += world.tools.length - new Set(world.tools).size;
    }
    // Some processes died during a request or a tool.
    expect(seen).toEqual({ unknown: expect.any(Number), repeated: 4, again: expect.any(Number) });
    expect(Math.min(seen.unknown, seen.again)).toBeGreaterThan(0);
  });

  it("ends the same after two deaths, and a third process sees the same to the millisecond", async () => {
    const reference = await bookThrough([], options);
    const pairs = sample(
      Array.from({ length: reference.steps }, (_, first) =>
        Array.from({ length: reference.steps }, (_, second) => ({ first, second })),
      ).flat(),
      17,
    );
    for (const [index, { first, second }] of pairs.entries()) {
      const moment = MOMENTS[index % 3] ?? "inside";
      const deaths: Death[] = [
        { step: first, moment },
        { step: second, moment: "inside" },
      ];
      const { outcome, world, engine } = await bookThrough(deaths, options);
      expectSame(outcome.messages, reference.outcome.messages);
      for (const [effect, count] of countOf(world.tools)) {
        if (!String(effect).startsWith("search")) expect(count, `${effect} ${JSON.stringify(deaths)}`).toBe(1);
      }
      const again = await book(engine.start(), world, options);
      expect(again?.messages).toEqual(outcome.messages);
      expect(again?.ledger).toEqual(outcome.ledger);
    }
  });
});
