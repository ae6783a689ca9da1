import { getEventListeners } from "node:events";
import { anySignal } from "pi-ai/call";
import { afterEach, describe, expect, it } from "vitest";

const native = Object.getOwnPropertyDescriptor(AbortSignal, "any");

afterEach(() => {
  if (native) Object.defineProperty(AbortSignal, "any", native);
});

describe.each(["with", "without"])("anySignal, in a runtime %s AbortSignal.any", (which) => {
  function create(...signals: AbortSignal[]): AbortSignal {
    if (which === "without") Reflect.deleteProperty(AbortSignal, "any");
    return anySignal(signals);
  }

  it("aborts with one of the signals, for its reason", () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const signal = create(one.signal, other.signal);
    expect(signal.aborted).toBe(false);
    other.abort("gone");
    expect([signal.aborted, signal.reason]).toEqual([true, "gone"]);
  });

  it("is aborted at once if a signal is", () => {
    const signal = create(new AbortController().signal, AbortSignal.abort("gone"));
    expect([signal.aborted, signal.reason]).toEqual([true, "gone"]);
  });
});

it("stops listening to all signals at the first abort", () => {
  Reflect.deleteProperty(AbortSignal, "any");
  const [one, other] = [new AbortController(), new AbortController()];
  anySignal([one.signal, other.signal]);
  expect(getEventListeners(other.signal, "abort")).toHaveLength(1);
  one.abort();
  expect(getEventListeners(other.signal, "abort")).toEqual([]);
});
