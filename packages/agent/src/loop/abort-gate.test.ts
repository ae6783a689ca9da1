import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { never } from "../../test/scripted-tool.js";
import { ABORT_GRACE_MS, AbortGate, OperationAborted } from "./abort-gate.js";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("AbortGate", () => {
  test("returns values at once, and waits for promises", async () => {
    const gate = new AbortGate(new AbortController().signal);
    expect(gate.wait(5)).toBe(5);
    expect(await gate.wait(Promise.resolve(6))).toBe(6);
    await expect(gate.wait(Promise.reject(new Error("x")))).rejects.toThrow("x");
    expect(await gate.waitWithGrace(Promise.resolve(7))).toBe(7);
  });

  test("ends a wait at once, one with grace a little later", async () => {
    const controller = new AbortController();
    const gate = new AbortGate(controller.signal);
    const ends: string[] = [];
    gate.wait(never()).then(undefined, () => ends.push("strict"));
    gate.waitWithGrace(never()).catch(() => ends.push("grace"));
    gate.waitForObserver(never()).then(() => ends.push("watcher"));
    controller.abort();
    await vi.advanceTimersByTimeAsync(ABORT_GRACE_MS - 1);
    expect(ends).toEqual(["strict"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(ends).toEqual(["strict", "grace", "watcher"]);
    expect(gate.graceOver).toBe(true);
  });

  test("lets a wait end within the grace period", async () => {
    const controller = new AbortController();
    const gate = new AbortGate(controller.signal);
    controller.abort();
    expect(await gate.waitWithGrace(Promise.resolve("last words"))).toBe("last words");
    gate.close();
  });

  test("does not wait after an abort, and leaves no rejection unhandled", async () => {
    const gate = new AbortGate(AbortSignal.abort());
    expect(() => gate.wait(5)).toThrow(OperationAborted);
    await expect(gate.wait(Promise.reject(new Error("late")))).rejects.toThrow(OperationAborted);
    await vi.advanceTimersByTimeAsync(ABORT_GRACE_MS);
    await expect(gate.waitWithGrace(Promise.reject(new Error("late")))).rejects.toThrow(OperationAborted);
    await gate.waitForObserver(never());
  });

  test("works without a signal", async () => {
    const gate = new AbortGate(undefined);
    expect(gate.aborted).toBe(false);
    expect(await gate.wait(Promise.resolve(1))).toBe(1);
    gate.close();
  });

  test("leaves no listener on the signal and no timer when it is closed", () => {
    const controller = new AbortController();
    const add = vi.spyOn(controller.signal, "addEventListener");
    const remove = vi.spyOn(controller.signal, "removeEventListener");
    const gate = new AbortGate(controller.signal);
    controller.abort();
    gate.close();
    expect(add).toHaveBeenCalledTimes(1);
    expect(remove.mock.calls[0]).toEqual(add.mock.calls[0]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
