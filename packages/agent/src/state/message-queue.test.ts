import { expect, test } from "vitest";
import { user } from "../../test/scripted-stream.js";
import { MessageQueue } from "./message-queue.js";

const [a, b, c] = [user("a"), user("b"), user("c")];

function queueOf(mode: "all" | "one-at-a-time"): MessageQueue {
  const queue = new MessageQueue(mode);
  queue.add(a);
  queue.add(b);
  return queue;
}

test("hands out one message or all, in order, and nothing when empty", () => {
  const single = queueOf("one-at-a-time");
  expect([single.take(), single.take(), single.take()]).toEqual([[a], [b], []]);
  expect(queueOf("all").take()).toEqual([a, b]);
});

test("shows what it would hand out without doing so", () => {
  const queue = queueOf("one-at-a-time");
  expect([queue.peek(), queue.peek()]).toEqual([[a], [a]]);
  expect(queueOf("all").peek()).toEqual([a, b]);
});

test("takes back what did not arrive, before what came meanwhile", () => {
  const queue = queueOf("all");
  queue.take();
  queue.confirm(a);
  queue.add(c);
  queue.restore();
  expect(queue.take()).toEqual([b, c]);
});

test("takes nothing back after it was cleared", () => {
  const queue = queueOf("all");
  queue.take();
  queue.clear();
  queue.restore();
  expect(queue.isEmpty).toBe(true);
});
