import { cleanupSessionResources, registerSessionResourceCleanup } from "pi-ai";
import { expect, it, vi } from "vitest";

it("calls every function, collects failures, and throws once at the end", () => {
  const calls: string[] = [];
  const failures = [new Error("first"), "second"];
  const unregister = [
    registerSessionResourceCleanup((id) => {
      calls.push(`a ${id}`);
      throw failures[0];
    }),
    registerSessionResourceCleanup((id) => {
      calls.push(`b ${id}`);
      throw failures[1];
    }),
    registerSessionResourceCleanup((id) => calls.push(`c ${id}`)),
  ];
  let thrown: unknown;
  try {
    cleanupSessionResources("s1");
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(AggregateError);
  expect(Object(thrown).errors).toEqual(failures);
  expect(calls).toEqual(["a s1", "b s1", "c s1"]);
  for (const remove of unregister) remove();
  expect(() => cleanupSessionResources()).not.toThrow();
  expect(calls).toHaveLength(3);
});

it("removes one of two registrations", () => {
  const cleanup = vi.fn();
  const first = registerSessionResourceCleanup(cleanup);
  const second = registerSessionResourceCleanup(cleanup);
  first();
  first();
  cleanupSessionResources();
  expect(cleanup).toHaveBeenCalledExactlyOnceWith(undefined);
  second();
});

it("lets a function remove itself while it is called", () => {
  const calls: string[] = [];
  const removeFirst = registerSessionResourceCleanup(() => {
    calls.push("first");
    removeFirst();
  });
  const removeSecond = registerSessionResourceCleanup(() => calls.push("second"));
  cleanupSessionResources();
  cleanupSessionResources();
  expect(calls).toEqual(["first", "second", "second"]);
  removeSecond();
});
