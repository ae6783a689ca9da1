import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { end, failed, message, start, toolEnd, toolStart, watch } from "../../test/embed-events.js";
import { CompactionGate } from "./compaction-gate.js";
import type { EmbedEvent, EmbedSubscription } from "./index.js";

const compactionStart: EmbedEvent = { type: "auto_compaction_start" };
const compactionEnd: EmbedEvent = { type: "auto_compaction_end", willRetry: false };
const compactionRetry: EmbedEvent = { type: "auto_compaction_end", willRetry: true };
const agentStart: EmbedEvent = { type: "agent_start" };
const agentEnd: EmbedEvent = { type: "agent_end", messages: [] };

const unhandled: unknown[] = [];
const onUnhandled = (error: unknown): void => void unhandled.push(error);
beforeEach(() => void process.on("unhandledRejection", onUnhandled));
afterEach(() => {
  process.off("unhandledRejection", onUnhandled);
  expect(unhandled.splice(0)).toEqual([]);
});

/** Waits until all promises settle and Node has reported unhandled rejections. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The state of a wait. */
async function stateOf(wait: Promise<void>): Promise<string> {
  let state = "waiting";
  wait.then(
    () => {
      state = "resolved";
    },
    (error: Error) => {
      state = error.name;
    },
  );
  await settle();
  return state;
}

describe("5.8, waitForCompactionRetry", () => {
  it("resolves if there is no compaction", async () => {
    expect(await stateOf(watch().subscription.waitForCompactionRetry())).toBe("resolved");
  });

  it("waits while a compaction is in flight", async () => {
    const { source, subscription } = watch();
    source.emit(compactionStart);
    expect([subscription.isCompacting(), subscription.isCompactionInFlight()]).toEqual([true, true]);
    const wait = subscription.waitForCompactionRetry();
    expect(await stateOf(wait)).toBe("waiting");
    source.emit(compactionEnd);
    expect(await stateOf(wait)).toBe("resolved");
    expect(subscription.isCompacting()).toBe(false);
  });

  it("waits while a retry is pending, until the repeated run has ended", async () => {
    const { source, subscription } = watch();
    source.emit(agentEnd, compactionStart, compactionRetry);
    expect([subscription.isCompacting(), subscription.isCompactionInFlight()]).toEqual([true, false]);
    const wait = subscription.waitForCompactionRetry();
    expect(await stateOf(wait)).toBe("waiting");
    source.emit(agentStart);
    expect(await stateOf(wait)).toBe("waiting");
    source.emit(agentEnd);
    expect(await stateOf(wait)).toBe("resolved");
  });

  it("keeps waiting if the repeated run is compacted again", async () => {
    const { source, subscription } = watch();
    source.emit(compactionStart, compactionRetry, agentStart, compactionStart);
    const wait = subscription.waitForCompactionRetry();
    source.emit(agentEnd);
    expect(await stateOf(wait)).toBe("waiting");
    source.emit(compactionEnd);
    expect(await stateOf(wait)).toBe("resolved");
  });

  it("checks again after a microtask, because a compaction may begin right after the run", async () => {
    const { source, subscription } = watch();
    source.emit(agentEnd);
    const wait = subscription.waitForCompactionRetry();
    source.emit(compactionStart);
    expect(await stateOf(wait)).toBe("waiting");
    source.emit(compactionEnd);
    expect(await stateOf(wait)).toBe("resolved");
  });

  it("rejects with an AbortError: already closed, closed within the microtask, closed while waiting", async () => {
    const closed = watch().subscription;
    closed.unsubscribe();
    expect(await stateOf(closed.waitForCompactionRetry())).toBe("AbortError");
    const soon = watch().subscription;
    const early = soon.waitForCompactionRetry();
    soon.unsubscribe();
    expect(await stateOf(early)).toBe("AbortError");
    const { source, subscription } = watch();
    source.emit(compactionStart);
    const wait = subscription.waitForCompactionRetry();
    subscription.unsubscribe();
    await expect(wait).rejects.toBeInstanceOf(Error);
    expect(await stateOf(wait)).toBe("AbortError");
  });
});

describe("5.8, compaction start and end", () => {
  it.each([
    ["with a result", { result: {} }, 1],
    ["without a result", {}, 1],
    ["with a result that says nothing was done", { result: undefined }, 0],
    ["with an empty result", { result: null }, 0],
    ["aborted", { result: {}, aborted: true }, 0],
    ["failed", { result: {}, errorMessage: "too long" }, 0],
  ])("counts completed compactions only: %s", (_, more, count) => {
    const { source, subscription } = watch();
    source.emit(compactionStart, { type: "compaction_end", ...more });
    expect(subscription.getCompactionCount()).toBe(count);
  });

  it("a retry clears the collected output, but keeps the array objects and the usage", () => {
    const { source, subscription, texts } = watch({
      classifyOutbound: ({ toolName }) =>
        toolName === "send" ? { target: 1, text: "Sent before the retry" } : undefined,
    });
    const { assistantTexts, toolMetas } = subscription;
    source.emit(...message("Before"), toolStart("1", "send"), toolEnd("1", "send"), toolStart("2", "send"));
    source.emit(toolStart("3", "read"), toolEnd("3", "read", failed("no"), true), start);
    source.emit(compactionStart, compactionRetry, toolEnd("2", "send"));
    expect([assistantTexts, toolMetas]).toEqual([[], []]);
    expect([subscription.getMessagingToolSentTexts(), subscription.getMessagingToolSentTargets()]).toEqual([[], []]);
    expect(subscription.getLastToolError()).toBeUndefined();
    expect(subscription.getUsageTotals().assistantMessages).toBe(1);
    source.emit(end("Sent before the retry"));
    expect(texts()).toEqual(["Before", "Sent before the retry"]);
    expect(subscription.assistantTexts).toBe(assistantTexts);
    expect(assistantTexts).toEqual(["Sent before the retry"]);
  });

  it("without a retry everything stays", () => {
    const { source, subscription } = watch();
    source.emit(...message("Before"), compactionStart, compactionEnd);
    expect(subscription.assistantTexts).toEqual(["Before"]);
  });
});

describe("5.9, unsubscribe", () => {
  it("marks itself, rejects the waits, aborts the compaction and detaches, once", async () => {
    const { source, subscription } = watch();
    source.isCompacting = true;
    source.emit(compactionStart);
    const wait = subscription.waitForCompactionRetry();
    wait.catch(() => source.done.push("rejected"));
    const abort = source.abortCompaction.bind(source);
    source.abortCompaction = () => {
      expect(subscription.closed).toBe(true);
      // Events caused by the abort must not turn the rejection into success.
      source.emit(compactionEnd);
      abort();
    };
    subscription.unsubscribe();
    subscription.unsubscribe();
    expect(source.done).toEqual(["abortCompaction", "detach"]);
    await settle();
    expect(source.done).toEqual(["abortCompaction", "detach", "rejected"]);
    expect(subscription.getCompactionCount()).toBe(0);
  });

  it("does not abort a source that is not compacting", () => {
    const { source, subscription } = watch();
    subscription.unsubscribe();
    expect(source.done).toEqual(["detach"]);
  });

  it("detaches even if the abort fails", () => {
    const { source, subscription, debug } = watch();
    source.isCompacting = true;
    source.abortCompaction = () => {
      throw new Error("cannot");
    };
    subscription.unsubscribe();
    expect([source.done, debug]).toEqual([["detach"], ["abortCompaction failed: cannot"]]);
  });
});

describe("all orders of events", () => {
  const STEPS: Record<string, (subscription: EmbedSubscription) => void> = {
    start: (subscription) => subscription.handleEvent(compactionStart),
    end: (subscription) => subscription.handleEvent(compactionEnd),
    retry: (subscription) => subscription.handleEvent(compactionRetry),
    agentEnd: (subscription) => subscription.handleEvent(agentEnd),
    wait: (subscription) => void subscription.waitForCompactionRetry(),
    unsubscribe: (subscription) => subscription.unsubscribe(),
  };

  /** Tries one order; returns how the wait ended. */
  async function tryOrder(order: readonly string[], pause: boolean): Promise<string> {
    const { subscription } = watch();
    let ended = "left behind";
    const onResolve = (): void => {
      ended = subscription.closed && subscription.isCompacting() ? "false success" : "done";
    };
    const onReject = (error: Error): void => {
      ended = error.name;
    };
    for (const step of order) {
      if (step === "wait") subscription.waitForCompactionRetry().then(onResolve, onReject);
      STEPS[step]?.(subscription);
      if (pause) await Promise.resolve();
    }
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    return ended;
  }

  it.each([false, true])(
    "every wait ends, none succeeds wrongly, no rejection is unhandled; pauses: %s",
    async (pause) => {
      const endings = new Set<string>();
      let cases = 0;
      for (const order of permutations(Object.keys(STEPS))) {
        endings.add(await tryOrder(order, pause));
        cases++;
      }
      await settle();
      expect([...endings].sort()).toEqual(["AbortError", "done"]);
      expect(cases).toBe(720);
    },
  );

  /** The effect of a step on the plain counts. */
  const PLAIN: Record<string, (inFlight: boolean, retries: number) => [boolean, number]> = {
    begin: (_, retries) => [true, retries],
    end: (_, retries) => [false, retries],
    retry: (_, retries) => [false, retries + 1],
    endRun: (inFlight, retries) => [inFlight, Math.max(0, retries - 1)],
  };
  const REAL: Record<string, (gate: CompactionGate) => void> = {
    begin: (gate) => gate.begin(),
    end: (gate) => gate.end({ completed: true, willRetry: false }),
    retry: (gate) => gate.end({ completed: true, willRetry: true }),
    endRun: (gate) => gate.endRun(),
  };

  it("the gate agrees with a plain count at every step of every order", () => {
    for (const order of permutations(["begin", "end", "retry", "endRun", "begin", "endRun"])) {
      const gate = new CompactionGate();
      let counts: [boolean, number] = [false, 0];
      for (const step of order) {
        REAL[step]!(gate);
        counts = PLAIN[step]!(...counts);
        expect([gate.isInFlight, gate.isBusy]).toEqual([counts[0], counts[0] || counts[1] > 0]);
      }
    }
  });
});

function permutations<TItem>(items: readonly TItem[]): TItem[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, index) =>
    permutations(items.filter((_, other) => other !== index)).map((rest) => [item, ...rest]),
  );
}
