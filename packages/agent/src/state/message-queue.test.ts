import type { AgentMessage } from "pi-agent";
import { describe, expect, test, vi } from "vitest";
import { user } from "../../test/scripted-stream.js";
import { AgentQueues, MessageQueue } from "./message-queue.js";

const [a, b, c] = [user("a"), user("b"), user("c")];

function queueOf(mode: "all" | "one-at-a-time"): MessageQueue {
  const queue = new MessageQueue(mode);
  queue.add(a);
  queue.add(b);
  return queue;
}

test("returns one message or all, in order, and none when empty", () => {
  const single = queueOf("one-at-a-time");
  expect([single.take(), single.take(), single.take()]).toEqual([[a], [b], []]);
  expect(queueOf("all").take()).toEqual([a, b]);
});

test("peeks at the next messages without removing them", () => {
  const queue = queueOf("one-at-a-time");
  expect([queue.peek(), queue.peek()]).toEqual([[a], [a]]);
  expect(queueOf("all").peek()).toEqual([a, b]);
});

test("puts undelivered messages back before newer ones", () => {
  const queue = queueOf("all");
  queue.take();
  queue.confirm(a);
  queue.add(c);
  queue.restore();
  expect(queue.take()).toEqual([b, c]);
});

test("puts nothing back after it was cleared", () => {
  const queue = queueOf("all");
  queue.take();
  queue.clear();
  queue.restore();
  expect(queue.isEmpty).toBe(true);
});

test("removes in any order, and one entry if a message was queued twice", () => {
  const queue = queueOf("all");
  queue.add(a);
  queue.take();
  queue.confirm(b);
  queue.confirm(a);
  queue.confirm(c);
  queue.restore();
  expect(queue.take()).toEqual([a]);
});

test.each(["all", "one-at-a-time"] as const)("%s takes and restores 200,000 messages in linear time", (mode) => {
  const messages = Array.from({ length: 200_000 }, (_, index) => user(String(index)));
  const queue = new MessageQueue(mode);
  for (const message of messages) queue.add(message);
  // A quadratic implementation would move or search the rest for each message.
  const moves = (["splice", "shift", "unshift", "indexOf"] as const).map((name) => vi.spyOn(Array.prototype, name));
  while (!queue.isEmpty) queue.take();
  for (const message of messages.slice(0, 100_000)) queue.confirm(message);
  queue.restore();
  const uses = moves.map((move) => move.mock.calls.length);
  vi.restoreAllMocks();
  expect(uses).toEqual([0, 0, 0, 0]);
  queue.mode = "all";
  const rest = queue.take();
  expect(rest).toHaveLength(100_000);
  expect(rest[0]).toBe(messages[100_000]);
  expect(rest.at(-1)).toBe(messages.at(-1));
});

describe("AgentQueues", () => {
  function queuesOf({ steering = [], followUps = [] }: { steering?: AgentMessage[]; followUps?: AgentMessage[] }) {
    const queues = new AgentQueues({ state: { messages: [] } }, {});
    for (const message of steering) void queues.accept({ kind: "steer", message });
    for (const message of followUps) void queues.accept({ kind: "followUp", message });
    return queues;
  }

  test("takes steering before follow-ups as the prompts of a run, and peeks at the same", () => {
    const queues = queuesOf({ steering: [a], followUps: [b] });
    expect([queues.peek(), queues.takePrompts(), queues.peek(), queues.takePrompts()]).toEqual([[a], [a], [b], [b]]);
    expect(queues.isEmpty).toBe(true);
  });

  test("gives the first turn no more steering after prompts that were steering, and the second turn the next", () => {
    const queues = queuesOf({ steering: [a, b] });
    queues.takePrompts();
    expect([queues.takeSteering(), queues.takeSteering()]).toEqual([[], [b]]);
  });

  test("gives the first turn steering after prompts that were follow-ups", () => {
    const queues = queuesOf({ followUps: [a] });
    queues.takePrompts();
    void queues.accept({ kind: "steer", message: b });
    expect(queues.takeSteering()).toEqual([b]);
  });

  test("forgets with `restore` that the prompts were steering, and puts back what was not confirmed", () => {
    const queues = queuesOf({ steering: [a, b] });
    queues.takePrompts();
    queues.restore();
    expect([queues.takeSteering(), queues.takeSteering()]).toEqual([[a], [b]]);
  });

  test("has a late message only if it came after a run has found no follow-up", () => {
    const queues = queuesOf({});
    void queues.accept({ kind: "steer", message: a });
    expect(queues.hasLate).toBe(false);
    queues.takeSteering();
    expect(queues.takeFollowUps()).toEqual([]);
    expect(queues.hasLate).toBe(false);
    void queues.accept({ kind: "followUp", message: b });
    expect(queues.hasLate).toBe(true);
    queues.beginRun();
    expect(queues.hasLate).toBe(false);
  });

  test("confirms a message in whichever queue it stood", () => {
    const queues = queuesOf({ steering: [a], followUps: [b] });
    queues.takePrompts();
    queues.takeFollowUps();
    queues.confirm(b);
    queues.restore();
    expect([queues.steering.peek(), queues.followUps.peek()]).toEqual([[a], []]);
  });
});
