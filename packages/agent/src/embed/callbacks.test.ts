import { describe, expect, it } from "vitest";
import { Callbacks } from "./callbacks.js";

describe("callbacks", () => {
  it("a failure is logged as a warning if there is no error handler", async () => {
    const lines: string[] = [];
    const warned = new Callbacks({ log: { debug: () => {}, warn: (message) => void lines.push(message) } });
    const logged = new Callbacks({ log: { debug: (message) => void lines.push(message) } });
    for (const callbacks of [warned, logged]) {
      callbacks.run("onPartialReply", () => Promise.reject(new Error("late")));
      await callbacks.whenDelivered();
    }
    expect(lines).toEqual(["onPartialReply failed: late", "onPartialReply failed: late"]);
  });

  it("tolerates an error handler, a log or a thenable that throws", async () => {
    const fail = (): never => {
      throw new Error("again");
    };
    const callbacks = new Callbacks({ onCallbackError: fail, log: { debug: fail } });
    callbacks.run("a", fail);
    // biome-ignore lint/suspicious/noThenProperty: a callback may return anything.
    callbacks.run("b", () => Object.defineProperty({}, "then", { get: fail }));
    callbacks.debug("x");
    await callbacks.whenDelivered();
  });

  it("serial: a callback that is triggered inside another runs after it", async () => {
    const seen: string[] = [];
    const callbacks = new Callbacks({ delivery: "serial" });
    callbacks.run("outer", () => {
      callbacks.run("inner", () => void seen.push("inner"));
      seen.push("outer");
    });
    expect(seen).toEqual(["outer", "inner"]);
  });

  it("serial: a failure does not stop the queue, and a thousand keep their order", async () => {
    const seen: number[] = [];
    const errors: unknown[] = [];
    const callbacks = new Callbacks({ delivery: "serial", onCallbackError: (error) => void errors.push(error) });
    for (let index = 0; index < 1000; index++)
      callbacks.run("one", async () => {
        seen.push(index);
        if (index === 5) throw new Error("five");
      });
    await callbacks.whenDelivered();
    expect(seen).toEqual(Array.from({ length: 1000 }, (_, index) => index));
    expect(errors).toHaveLength(1);
  });
});
