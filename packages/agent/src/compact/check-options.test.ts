import { type CompactOptions, compact } from "pi-agent/compact";
import { describe, expect, it } from "vitest";
import { model, setUp } from "../../test/compact-script.js";
import { user } from "../../test/scripted-stream.js";

/** As JavaScript callers pass them. */
const untyped = (options: unknown) => options as CompactOptions;

describe("compact refuses", () => {
  it.each<[string, unknown, string]>([
    ["no options", undefined, 'compact needs an object of options, such as { model: getModel("anthropic",'],
    ["no model", {}, 'model must be a model, such as getModel("anthropic", "claude-sonnet-4-6"), not undefined'],
    ["the name of a model", { model: "claude" }, 'not "claude"'],
    ["a text for a number", { model, at: "0.8" }, 'at must be a number, not "0.8"'],
    ["null", { model, keep: null }, "keep must be a number, not null"],
    ["a prompt that is not text", { model, prompt: ["Keep names."] }, "prompt must be a string, not a list"],
    ["a stream function that is not a function", { model, streamFn: {} }, "streamFn must be a function, not an object"],
    [
      "the name of a summary model",
      { model, summaryModel: "gpt-5" },
      'summaryModel must be a model, such as getModel("',
    ],
  ])("%s", (_name, options, words) => {
    expect(() => compact(untyped(options))).toThrow(TypeError);
    expect(() => compact(untyped(options))).toThrow(words);
  });

  it.each([
    [{ at: 0 }, "at must be above 0 and at most 1, not 0"],
    [{ at: 1.1 }, "at must be above 0 and at most 1, not 1.1"],
    [{ at: Number.NaN }, "at must be above 0 and at most 1, not NaN"],
    [{ keep: -1 }, "keep must be a number of tokens, not -1"],
    [{ keep: Number.NaN }, "keep must be a number of tokens, not NaN"],
    [{ model: { ...model, contextWindow: 0 } }, 'The contextWindow of model "scripted-1" must be a number of tokens'],
    [{ summaryModel: { ...model, contextWindow: Number.NaN } }, "The contextWindow of summaryModel"],
  ])("%o", (options, words) => {
    expect(() => compact({ model, ...options })).toThrow(RangeError);
    expect(() => compact({ model, ...options })).toThrow(words);
  });

  it("a function that returns no model, when it is called", async () => {
    const { compaction } = setUp(untyped({ model: () => undefined }));
    await expect(compaction([user("Hi")])).rejects.toThrow("model must be a model");
  });
});

it.each([undefined, { state: {} }])("refuses %o for the messages", async (messages) => {
  const { compaction, events } = setUp();
  const untypedMessages = messages as never; // as JavaScript callers pass it
  const words = "messages must be a list, such as agent.state.messages, not";
  await expect(compaction(untypedMessages)).rejects.toThrow(words);
  await expect(compaction.compact(untypedMessages)).rejects.toThrow(words);
  expect(events).toEqual([]);
});

it("accepts no limit for what is kept", () => {
  expect(() => compact({ model, keep: Number.POSITIVE_INFINITY })).not.toThrow();
});
