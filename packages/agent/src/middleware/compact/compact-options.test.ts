import { type CompactOptions, compact, type ManualCompactOptions } from "pi-agent/compact";
import { describe, expect, it } from "vitest";
import { model, setUp } from "../../../test/compact-script.js";
import { user } from "../../../test/scripted-stream.js";

/** As JavaScript callers pass them. */
const untyped = (options: unknown) => options as CompactOptions & ManualCompactOptions;

describe("compact refuses", () => {
  it.each<[string, unknown, string]>([
    ["null for the options", null, "compact needs an object of options, such as { at: 0.8 }, but got null"],
    ["a model, which is that of the run", { model }, 'Unknown option "model"'],
    ["a text for a number", { at: "0.8" }, 'at must be a number, not "0.8"'],
    ["null", { keep: null }, "keep must be a number, not null"],
    ["a prompt that is not text", { prompt: ["Keep names."] }, "prompt must be a string, not a list"],
    ["the name of a summary model", { summaryModel: "gpt-5" }, 'summaryModel must be a model, such as getModel("'],
  ])("%s", (_name, options, words) => {
    expect(() => compact(untyped(options))).toThrow(TypeError);
    expect(() => compact(untyped(options))).toThrow(words);
  });

  it.each<[CompactOptions, string]>([
    [{ at: 0 }, "at must be above 0 and at most 1, not 0"],
    [{ at: 1.1 }, "at must be above 0 and at most 1, not 1.1"],
    [{ at: Number.NaN }, "at must be above 0 and at most 1, not NaN"],
    [{ keep: -1 }, "keep must be a number of tokens, not -1"],
    [{ keep: Number.NaN }, "keep must be a number of tokens, not NaN"],
    [{ summaryModel: { ...model, contextWindow: Number.NaN } }, "The contextWindow of summaryModel"],
  ])("%o", (options, words) => {
    expect(() => compact(options)).toThrow(RangeError);
    expect(() => compact(options)).toThrow(words);
  });

  it.each<[string, unknown, string]>([
    ["no model", {}, 'model must be a model, such as getModel("anthropic", "claude-sonnet-5-5"), not undefined'],
    ["the name of a model", { model: "claude" }, 'not "claude"'],
    ["a model without a window", { model: { ...model, contextWindow: 0 } }, "The contextWindow of model"],
    ["a stream function that is not a function", { model, streamFn: {} }, "streamFn must be a function, not an object"],
  ])("a compaction by hand with %s", async (_name, options, words) => {
    await expect(compact().compact([user("Hi")], untyped(options))).rejects.toThrow(words);
  });

  it("a run whose model has no window", async () => {
    const { viewOf } = setUp({ model: { ...model, contextWindow: 0 } });
    const words = 'The contextWindow of model "scripted-1" must be a number of tokens';
    await expect(viewOf([user("Hi")])).rejects.toThrow(words);
  });
});

it.each([undefined, { state: {} }])("refuses %o for the messages", async (messages) => {
  const { byHand, events } = setUp();
  const untypedMessages = messages as never; // as JavaScript callers pass it
  const words = "messages must be a list, such as agent.state.messages, not";
  await expect(byHand(untypedMessages)).rejects.toThrow(words);
  expect(events).toEqual([]);
});

it("accepts no options, and no limit for what is kept", () => {
  expect(() => compact()).not.toThrow();
  expect(() => compact({ keep: Number.POSITIVE_INFINITY })).not.toThrow();
});
