import { checkDuration, startTimer } from "pi-ai/call";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

it.each([0, 0.5, 1000, 2 ** 31, Number.POSITIVE_INFINITY])("accepts %d", (milliseconds) => {
  expect(checkDuration("timeoutMs", milliseconds)).toBe(milliseconds);
});

it.each([-1, Number.NEGATIVE_INFINITY, Number.NaN, "5" as unknown as number, null as unknown as number])(
  "rejects %s and names the option",
  (milliseconds) => {
    expect(() => checkDuration("timeoutMs", milliseconds)).toThrow(/^timeoutMs must be a number of milliseconds/);
  },
);

it.each([1, 2 ** 31 - 1, 2 ** 31, 2 ** 33 + 5])("fires after %d ms, once, and not before", (milliseconds) => {
  const onTime = vi.fn();
  startTimer(onTime, milliseconds);
  vi.advanceTimersByTime(milliseconds - 1);
  expect(onTime).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onTime).toHaveBeenCalledTimes(1);
});

it("never fires after Infinity", () => {
  startTimer(() => expect.unreachable(), Number.POSITIVE_INFINITY);
  expect(vi.getTimerCount()).toBe(0);
});

it("can be cancelled, in its second part too", () => {
  const cancel = startTimer(() => expect.unreachable(), 2 ** 32);
  vi.advanceTimersByTime(2 ** 31);
  cancel();
  expect(vi.getTimerCount()).toBe(0);
});
