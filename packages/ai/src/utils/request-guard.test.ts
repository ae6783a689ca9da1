import { RequestGuard } from "pi-ai/call";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const forever = (): Promise<never> => new Promise(() => {});

/** Stores the rejection of a promise without awaiting it. */
function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "resolved",
    (error: unknown) => error,
  );
}

describe("RequestGuard", () => {
  it("notices silence when the time of the system is set back", async () => {
    const guard = new RequestGuard({ idleTimeoutMs: 1000 });
    guard.touch();
    await vi.advanceTimersByTimeAsync(500);
    guard.touch();
    vi.setSystemTime(Date.now() - 3_600_000);
    await vi.advanceTimersByTimeAsync(999);
    expect(guard.failure).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(guard.failure?.kind).toBe("timeout");
  });

  it("returns the outcome of work that settles in time", async () => {
    const guard = new RequestGuard({ idleTimeoutMs: 1000 });
    expect(await guard.race(Promise.resolve(5))).toBe(5);
    expect(await guard.race(6)).toBe(6);
    await expect(guard.race(Promise.reject(new Error("own")))).rejects.toThrow("own");
    guard.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("rejects the current wait and aborts its signal when the caller aborts", async () => {
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

  it("fails from the start if the caller has already aborted", async () => {
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

  it("ends a request after the total timeout, even if data arrives", async () => {
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

  it("ends a request after the idle timeout, which each touch restarts", async () => {
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

  it("stops the idle timeout while it rests", async () => {
    const guard = new RequestGuard({ idleTimeoutMs: 1000 });
    guard.touch();
    guard.rest();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(guard.failure).toBeUndefined();
    guard.touch();
    await vi.advanceTimersByTimeAsync(1000);
    expect(guard.failure).toMatchObject({ kind: "timeout" });
  });

  it.each([0, Number.POSITIVE_INFINITY])("treats %d ms as no limit", async (ms) => {
    const guard = new RequestGuard({ idleTimeoutMs: ms, timeoutMs: ms });
    guard.touch();
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(1_000_000);
    expect(guard.failure).toBeUndefined();
  });

  it("supports a timeout that is longer than a platform timer allows", async () => {
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

  it("sleeps, and leaves no timer if an abort ends the sleep", async () => {
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

  it("sleeps for more than 24 days", async () => {
    const guard = new RequestGuard({ idleTimeoutMs: 0 });
    const slept = vi.fn();
    void guard.sleep(2 ** 33).then(slept);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(slept).not.toHaveBeenCalled();
  });
});
