import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { never } from "../test/scripted-tool.js";
import { ABORT_GRACE_MS, AbortGate, OperationAborted } from "./abort-gate.js";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("AbortGate", () => {
  test("returns values, and waits for promises", async () => {
    const gate = new AbortGate(new AbortController().signal);
    expect(await gate.wait(5)).toBe(5);
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
    await expect(gate.wait(5)).rejects.toThrow(OperationAborted);
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

  describe("a wait with a limit of time", () => {
    const limit = (milliseconds: number) => ({ milliseconds, onTimeout: () => "late" });
    const late = () => new Promise<string>((resolve) => void setTimeout(() => resolve("in time"), 10));

    test.each(["waitAtMost", "waitAtMostWithGrace"] as const)(
      "%s ends with the value or with the time",
      async (wait) => {
        const gate = new AbortGate(new AbortController().signal);
        const ends = Promise.all([gate[wait](late(), limit(11)), gate[wait](late(), limit(9))]);
        await vi.advanceTimersByTimeAsync(10);
        expect(await ends).toEqual(["in time", "late"]);
        expect(vi.getTimerCount()).toBe(0);
      },
    );

    test("rejects with what onTimeout throws", async () => {
      const gate = new AbortGate(undefined);
      const onTimeout = (): never => {
        throw new Error("too late");
      };
      const ended = expect(gate.waitAtMost(never(), { milliseconds: 5, onTimeout })).rejects.toThrow("too late");
      await vi.advanceTimersByTimeAsync(5);
      await ended;
    });

    test.each([0, Number.POSITIVE_INFINITY])("%d is no limit", async (milliseconds) => {
      const gate = new AbortGate(undefined);
      const ended = gate.waitAtMost(late(), limit(milliseconds));
      await vi.advanceTimersByTimeAsync(10);
      expect(await ended).toBe("in time");
    });

    test("ends with an abort, and leaves no timer", async () => {
      const controller = new AbortController();
      const gate = new AbortGate(controller.signal);
      const waits = [gate.waitAtMost(never(), limit(1000)), gate.sleep(1000)];
      const ended = Promise.all(waits.map((wait) => expect(wait).rejects.toThrow(OperationAborted)));
      controller.abort();
      await ended;
      gate.close();
      expect(vi.getTimerCount()).toBe(0);
    });
  });

  test("sleeps for a time", async () => {
    const gate = new AbortGate(undefined);
    await gate.sleep(0);
    let woke = false;
    gate.sleep(20).then(() => {
      woke = true;
    });
    await vi.advanceTimersByTimeAsync(19);
    expect(woke).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(woke).toBe(true);
  });
});
