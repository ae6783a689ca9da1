import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SocketCache, type SocketLease } from "./socket-cache.js";
import type { TextSocket } from "./websocket.js";

class FakeSocket implements TextSocket {
  isOpen = true;
  dropped = 0;
  readonly #listeners: (() => void)[] = [];
  send(): void {}
  read(): Promise<string> {
    return Promise.resolve("");
  }
  dropUnread(): void {
    this.dropped++;
  }
  onClose(listener: () => void): void {
    this.#listeners.push(listener);
  }
  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    for (const listener of this.#listeners) listener();
  }
}

let cache: SocketCache<string>;
let made: FakeSocket[];
beforeEach(() => {
  vi.useFakeTimers();
  cache = new SocketCache({ idleMs: 1000, maxAgeMs: 10_000 });
  made = [];
});
afterEach(() => {
  cache.close();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

function lease(session: string | undefined, identity = "me"): Promise<SocketLease<string>> {
  return cache.lease(session, identity, async () => {
    const socket = new FakeSocket();
    made.push(socket);
    return socket;
  });
}

test("reuses the connection of a session, with the state of the last request", async () => {
  const first = await lease("s");
  expect(first.reused).toBe(false);
  if (first.memory) first.memory.value = "left";
  first.release();
  const second = await lease("s");
  expect(second).toMatchObject({ reused: true, memory: { value: "left" } });
  expect(second.socket).toBe(first.socket);
  expect(made).toHaveLength(1);
  expect(made[0]?.dropped).toBe(2);
});

test("closes an idle connection, but not one in use", async () => {
  const first = await lease("s");
  vi.advanceTimersByTime(5000);
  expect(made[0]?.isOpen).toBe(true);
  first.release();
  vi.advanceTimersByTime(999);
  const again = await lease("s");
  vi.advanceTimersByTime(5000);
  expect(made[0]?.isOpen).toBe(true);
  again.release();
  vi.advanceTimersByTime(1000);
  expect(made[0]?.isOpen).toBe(false);
  await lease("s");
  expect(made).toHaveLength(2);
});

test("replaces a connection that is old, broken or has another identity", async () => {
  for (let age = 0; age < 10_000; age += 500) {
    (await lease("s")).release();
    vi.advanceTimersByTime(500);
  }
  (await lease("s")).release();
  expect(made.map((socket) => socket.isOpen)).toEqual([false, true]);
  made[1]?.close();
  (await lease("s")).release();
  expect(made).toHaveLength(3);
  (await lease("s", "another identity")).release();
  expect(made.map((socket) => socket.isOpen)).toEqual([false, false, false, true]);
});

test("opens a temporary connection for a second request of a session", async () => {
  const [first, second] = await Promise.all([lease("s"), lease("s")]);
  expect(made).toHaveLength(2);
  expect(second.memory).toBeUndefined();
  second.release();
  first.release();
  expect(made.map((socket) => socket.isOpen)).toEqual([true, false]);
});

test("keeps no connection without a session", async () => {
  (await lease(undefined)).release();
  (await lease(undefined)).discard();
  expect(made.map((socket) => socket.isOpen)).toEqual([false, false]);
});

test("does not reuse a connection that was discarded, or closed while in use", async () => {
  (await lease("s")).discard();
  const used = await lease("s");
  cache.close("other");
  expect(made[1]?.isOpen).toBe(true);
  cache.close("s");
  used.release();
  await lease("s");
  expect(made.map((socket) => socket.isOpen)).toEqual([false, false, true]);
});

test("stores nothing if connecting fails", async () => {
  await expect(cache.lease("s", "me", () => Promise.reject(new Error("No")))).rejects.toThrow("No");
  expect((await lease("s")).reused).toBe(false);
});

test("the age of a connection does not depend on the time of the system", async () => {
  (await lease("one")).release();
  vi.setSystemTime(Date.now() - 3_600_000);
  for (let used = 0; used < 11; used++) {
    vi.advanceTimersByTime(900);
    (await lease("one")).release();
  }
  expect(made).toHaveLength(1);
  vi.advanceTimersByTime(900);
  (await lease("one")).release();
  expect(made).toHaveLength(2);
});
