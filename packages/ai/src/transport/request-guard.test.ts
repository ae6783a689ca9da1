import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RequestGuard } from "./request-guard.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const forever = (): Promise<never> => new Promise(() => {});

/** What a promise rejects with, without waiting for it in the test's own flow. */
function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "resolved",
    (error: unknown) => error,
  );
}

describe("CallGuard", () => {
  it("lets work pass that settles in time", async () => {
    const guard = new RequestGuard({ idleTimeoutMs: 1000 });
    expect(await guard.race(Promise.resolve(5))).toBe(5);
    expect(await guard.race(6)).toBe(6);
    await expect(guard.race(Promise.reject(new Error("own")))).rejects.toThrow("own");
    guard.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends what is waited for when the caller aborts, and its own signal with it", async () => {
    const caller = new AbortController();
    const guard = new RequestGuard({ signal: caller.signal, idleTimeoutMs: 1000, timeoutMs: 5000 });
    guard.touch();
    const failure = failureOf(guard.race(forever()));
    caller.abort("a reason of any kind");
    expect(await failure).toMatchObject({ kind: "aborted", message: "Request was aborted" });
    expect(guard.signal.aborted).toBe(true);
    expect(guard.failure).toMatchObject({ kind: "aborted" });
    expect(vi.getTimerCount()).toBe(0);
    caller.abort();
    await expect(guard.race(5)).rejects.toMatchObject({ kind: "aborted" });
  });

  it("has failed from the start when the caller had aborted before", async () => {
    const guard = new RequestGuard({ signal: AbortSignal.abort(), idleTimeoutMs: 1000, timeoutMs: 1000 });
    guard.touch();
    expect(await failureOf(guard.race(Promise.reject(new Error("unheard"))))).toMatchObject({ kind: "aborted" });
    guard.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("leaves no listener on the caller's signal", () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, "addEventListener");
    const removed = vi.spyOn(signal, "removeEventListener");
    for (let count = 0; count < 3; count++) new RequestGuard({ signal, idleTimeoutMs: 0 }).close();
    expect(added).toHaveBeenCalledTimes(3);
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
      added.mock.calls.map(([, listener]) => listener),
    );
  });

  it("ends a call that takes too long in all, however busy it is", async () => {
    const guard = new RequestGuard({ timeoutMs: 3000, idleTimeoutMs: 2000 });
    const failure = failureOf(guard.race(forever()));
    for (let second = 0; second < 3; second++) {
      guard.touch();
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(await failure).toMatchObject({
      kind: "timeout",
      retryable: true,
      message: "The request took longer than 3000 ms (timeoutMs)",
    });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends a call after silence, which each touch begins anew", async () => {
    const guard = new RequestGuard({ idleTimeoutMs: 1000 });
    guard.touch();
    const failure = failureOf(guard.race(forever()));
    for (let step = 0; step < 5; step++) {
      await vi.advanceTimersByTimeAsync(900);
      expect(guard.failure).toBeUndefined();
      guard.touch();
    }
    await vi.advanceTimersByTimeAsync(999);
    expect(guard.failure).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(await failure).toMatchObject({ kind: "timeout", message: "Nothing arrived for 1000 ms (idleTimeoutMs)" });
  });

  it("does not watch over silence while it rests", async () => {
    const guard = new RequestGuard({ idleTimeoutMs: 1000 });
    guard.touch();
    guard.rest();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(guard.failure).toBeUndefined();
    guard.touch();
    await vi.advanceTimersByTimeAsync(1000);
    expect(guard.failure).toMatchObject({ kind: "timeout" });
  });

  it.each([0, Number.POSITIVE_INFINITY])("takes %d ms for no bound", async (ms) => {
    const guard = new RequestGuard({ idleTimeoutMs: ms, timeoutMs: ms });
    guard.touch();
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(1_000_000);
    expect(guard.failure).toBeUndefined();
  });

  it("keeps a bound that is longer than a timer can hold", async () => {
    const guard = new RequestGuard({ idleTimeoutMs: 2 ** 31, timeoutMs: 2 ** 32 });
    guard.touch();
    await vi.advanceTimersByTimeAsync(2 ** 31 - 1);
    expect(guard.failure).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(guard.failure).toMatchObject({ message: `Nothing arrived for ${2 ** 31} ms (idleTimeoutMs)` });
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([{ timeoutMs: -1 }, { idleTimeoutMs: Number.NaN }])("fails at once for %j", (limits) => {
    const guard = new RequestGuard({ idleTimeoutMs: 0, ...limits });
    expect(guard.failure).toMatchObject({ kind: "config" });
    expect(guard.signal.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("sleeps, and leaves no timer when it is woken by an abort", async () => {
    const guard = new RequestGuard({ idleTimeoutMs: 0 });
    const slept = vi.fn();
    void guard.sleep(500).then(slept);
    await vi.advanceTimersByTimeAsync(499);
    expect(slept).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(slept).toHaveBeenCalled();
    const failure = failureOf(guard.sleep(60_000));
    guard.abort();
    expect(await failure).toMatchObject({ kind: "aborted" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("does not take a wait of more than 24 days for none", async () => {
    const guard = new RequestGuard({ idleTimeoutMs: 0 });
    const slept = vi.fn();
    void guard.sleep(2 ** 33).then(slept);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(slept).not.toHaveBeenCalled();
  });
});
