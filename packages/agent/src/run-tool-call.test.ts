import {
  type AgentTool,
  type AgentToolCall,
  type AgentToolCallOutcome,
  type AnyAgentTool,
  type RunToolCallOptions,
  runToolCall,
} from "pi-agent";
import { type TSchema, Type } from "pi-ai";
import { describe, expect, test, vi } from "vitest";
import { call, calls, response } from "../test/scripted-stream.js";
import { never, result, tool } from "../test/scripted-tool.js";

type Options = Partial<RunToolCallOptions>;

function run(toolCall: AgentToolCall, tools: AnyAgentTool[], options: Options = {}): Promise<AgentToolCallOutcome> {
  const assistantMessage = response([toolCall]);
  const context = { systemPrompt: "", messages: [assistantMessage] };
  return runToolCall(toolCall, { tools, assistantMessage, context, ...options });
}

function runA(execute: AgentTool["execute"], options?: Options): Promise<AgentToolCallOutcome> {
  return run(call("1", "a"), [tool("a", execute)], options);
}

const textOf = (outcome: AgentToolCallOutcome): unknown => outcome.result.content[0];
const error = (text: unknown) => ({ isError: true, result: { content: [{ type: "text", text }], details: {} } });

const circular: Record<string, unknown> = {};
circular["self"] = circular;

const hostileError = Object.defineProperty(new Error("hidden"), "message", {
  get: () => {
    throw new Error("getter");
  },
});

describe("a tool's error", () => {
  test.each([
    { title: "an Error", thrown: new Error("no luck"), text: "no luck" },
    { title: "a text", thrown: "no luck", text: "no luck" },
    { title: "nothing", thrown: undefined, text: "failed without a message (undefined)" },
    { title: "an object without a message", thrown: { code: 7 }, text: "failed without a message (Object)" },
    { title: "an object with a message", thrown: { message: "no luck" }, text: "no luck" },
    { title: "an error whose message throws", thrown: hostileError, text: "failed without a message (Error)" },
    { title: "a circular object", thrown: circular, text: "failed without a message (Object)" },
  ])("$title becomes the error result", async ({ thrown, text }) => {
    const outcomes = [
      await runA(() => {
        throw thrown;
      }),
      await runA(() => Promise.reject(thrown)),
    ];
    for (const outcome of outcomes) expect(outcome).toMatchObject(error(text));
  });
});

describe("a tool's result", () => {
  const hostile = {
    get content(): never {
      throw new Error("getter");
    },
  };
  test.each<{ title: string; value: unknown; text: string; details?: unknown }>([
    { title: "a string is the text", value: "sunny", text: "sunny" },
    { title: "an empty string is an empty text", value: "", text: "" },
    { title: "undefined is an empty result", value: undefined, text: "The tool returned nothing" },
    { title: "null is JSON", value: null, text: "null", details: null },
    { title: "a number is JSON", value: 5, text: "5", details: 5 },
    {
      title: "an object is JSON",
      value: { a: [1, { b: true }] },
      text: '{"a":[1,{"b":true}]}',
      details: { a: [1, { b: true }] },
    },
    { title: "an empty object is JSON", value: {}, text: "{}", details: {} },
    { title: "a list is JSON", value: [1, 2], text: "[1,2]", details: [1, 2] },
    {
      title: "an object whose content is no list of blocks is JSON",
      value: { content: "x" },
      text: '{"content":"x"}',
      details: { content: "x" },
    },
    {
      title: "blocks that are none are JSON",
      value: { content: [null] },
      text: '{"content":[null]}',
      details: { content: [null] },
    },
    {
      title: "a block of no kind is JSON",
      value: { content: [{ type: "video" }] },
      text: '{"content":[{"type":"video"}]}',
      details: { content: [{ type: "video" }] },
    },
    {
      title: "a date is its JSON",
      value: { at: new Date(0) },
      text: '{"at":"1970-01-01T00:00:00.000Z"}',
      details: { at: new Date(0) },
    },
    { title: "a list of blocks is the content", value: [{ type: "text", text: "hi" }], text: "hi" },
  ])("$title", async ({ value, text, details = {} }) => {
    const outcome = await runA(async () => value as never);
    expect(outcome).toMatchObject({ isError: false, result: { content: [{ type: "text", text }] } });
    expect(outcome.result.details).toEqual(details);
  });

  const no = "Tool a did not return a result: it returned";
  const raise = (thrown: unknown): never => {
    throw thrown;
  };
  let deep: unknown = [];
  for (let level = 0; level < 100_000; level++) deep = [deep];
  test.each([
    { title: "a function", value: () => {}, text: `${no} a value with a function` },
    { title: "a symbol", value: Symbol("x"), text: `${no} a value with a symbol` },
    { title: "a bigint", value: 5n, text: `${no} a value with a bigint. Return String(value)` },
    { title: "a number that is none", value: Number.NaN, text: `${no} NaN` },
    {
      title: "a bigint and a function",
      value: { big: 1n, run: () => {} },
      text: `${no} a value with a bigint. Return String(value)`,
    },
    { title: "a circular object", value: circular, text: `${no} a value that contains itself or is nested too deep` },
    { title: "a very deep list", value: deep, text: `${no} a value that contains itself or is nested too deep` },
    { title: "a getter that throws", value: hostile, text: "getter" },
    {
      title: "a Response",
      value: new Response("text"),
      text: `${no} a Response. Return its text, such as await response.text()`,
    },
    { title: "a Map", value: new Map([["a", 1]]), text: `${no} a Map. Return Object.fromEntries(map)` },
    { title: "a Set in a field", value: { found: new Set([1]) }, text: `${no} a Set. Return [...set]` },
    {
      title: "bytes",
      value: new Uint8Array(2),
      text: `${no} a Uint8Array. Return an image or file block, or base64 text`,
    },
    { title: "an Error", value: new RangeError("too far"), text: "too far" },
    { title: "an Error in a field", value: { error: new Error("x") }, text: `${no} an Error. Return its message` },
    {
      title: "a toJSON that throws",
      value: { toJSON: () => raise(new Error("not now")) },
      text: `${no} a value that cannot be written as JSON: not now`,
    },
    {
      title: "a getter that throws nothing",
      value: {
        a: {
          get b() {
            return raise(undefined);
          },
        },
      },
      text: `${no} a value that cannot be written as JSON: failed without a message (undefined)`,
    },
    {
      title: "a toJSON that returns nothing",
      value: { toJSON: () => undefined },
      text: `${no} an object without JSON`,
    },
    { title: "an empty object of a class", value: new (class Row {})(), text: `${no} a Row, whose JSON is empty` },
  ])("$title is an error result", async ({ value, text }) => {
    expect(await runA(async () => value as never)).toMatchObject(error(text));
  });

  test("a result keeps its other fields", async () => {
    const given = { ...result("x"), details: { a: 1 }, extra: true };
    const outcome = await runA(async () => given);
    expect(outcome).toMatchObject({ isError: false, result: given });
    expect(outcome.result.content).not.toBe(given.content);
    expect(outcome.durationMs).toBeGreaterThanOrEqual(0);
  });

  test("content that the tool changes afterwards does not change", async () => {
    const given = result("before");
    const outcome = await runA(async () => given);
    Object.assign(given.content[0] ?? {}, { text: "after" });
    given.content.push({ type: "text", text: "more" });
    expect(outcome.result.content).toEqual([{ type: "text", text: "before" }]);
  });

  test("an image is a result", async () => {
    const content = [{ type: "image" as const, data: "aGk=", mimeType: "image/png" }];
    expect(await runA(async () => ({ content, details: {} }))).toMatchObject({ isError: false });
  });
});

describe("a tool call that cannot run", () => {
  test.each(["other", "constructor", "__proto__", "toString", "hasOwnProperty"])("names no tool: %s", async (name) => {
    expect(await run(call("1", name), [tool("a")])).toMatchObject(error(`Tool ${name} not found`));
  });

  const parameters: TSchema = Type.Object({ count: Type.Number() });
  const counting = (seen: unknown[], more: Partial<AnyAgentTool> = {}): AnyAgentTool =>
    tool(
      "a",
      async (_id, args) => {
        seen.push(args);
        return result("a");
      },
      { parameters, ...more },
    );

  test("has arguments that break the schema", async () => {
    const seen: unknown[] = [];
    const outcome = await run(call("1", "a", { count: "many" }), [counting(seen)]);
    expect(seen).toEqual([]);
    expect(outcome.isError).toBe(true);
    expect(outcome.durationMs).toBeUndefined();
    expect(textOf(outcome)).toMatchObject({
      text: expect.stringContaining('Validation failed for tool "a":\n  - count'),
    });
  });

  test("has incomplete arguments", async () => {
    const seen: unknown[] = [];
    const broken = { ...call("1", "a", { count: 1 }), argumentsError: "Unexpected end" };
    expect(await run(broken, [counting(seen)])).toMatchObject(
      error(
        "Tool a was not run: its arguments are not one complete JSON object (Unexpected end). " +
          "Send the call again with complete arguments.",
      ),
    );
    expect(seen).toEqual([]);
  });

  test("has arguments that prepareArguments rejects", async () => {
    const refusing = counting([], {
      prepareArguments: () => {
        throw new Error("too old");
      },
    });
    expect(await run(call("1", "a", { count: 1 }), [refusing])).toMatchObject(error("too old"));
  });

  test("receives coerced arguments, and those that prepareArguments repaired", async () => {
    const seen: unknown[] = [];
    await run(call("1", "a", { count: "5" }), [counting(seen)]);
    const prepareArguments = (args: unknown) => {
      const mended = args as { count: number; amount?: number };
      mended.count = mended.amount ?? 0;
      return mended;
    };
    const old = call("1", "a", { amount: 7 });
    await run(old, [counting(seen, { prepareArguments })]);
    expect(seen).toEqual([{ count: 5 }, { amount: 7, count: 7 }]);
    expect(old.arguments).toEqual({ amount: 7 });
  });
});

test("a tool that changes its arguments does not change the tool call", async () => {
  const toolCall = call("1", "a", { list: [1], text: "x" });
  const changing = tool(
    "a",
    async (_id, args) => {
      args.list.push(2);
      delete args.text;
      return result("a");
    },
    { parameters: Type.Object({ list: Type.Array(Type.Number()), text: Type.String() }) },
  );
  expect(await run(toolCall, [changing])).toMatchObject({ isError: false });
  expect(toolCall.arguments).toEqual({ list: [1], text: "x" });
});

describe("beforeToolCall", () => {
  test.each([
    { title: "a block with a reason", response: { block: true, reason: "not today" }, text: "not today" },
    { title: "a block without one", response: { block: true }, text: "Tool execution was blocked" },
    { title: "a block that is no boolean", response: { block: "yes" }, text: "Tool execution was blocked" },
    { title: "a reason that is no text", response: { block: true, reason: 5 }, text: "Tool execution was blocked" },
  ])("$title keeps the tool from running", async ({ response, text }) => {
    const execute = vi.fn(async () => result("a"));
    const outcome = await runA(execute, { beforeToolCall: async () => response as never });
    expect(outcome).toMatchObject(error(text));
    expect(execute).not.toHaveBeenCalled();
  });

  test.each([undefined, null, 42, {}, { block: false }])("%j lets it run", async (verdict) => {
    expect(await runA(async () => result("a"), { beforeToolCall: async () => verdict as never })).toMatchObject({
      isError: false,
    });
  });

  test.each([
    { verdict: false, text: "beforeToolCall returned false. Return nothing or { block, reason }" },
    { verdict: { blocked: true }, text: "beforeToolCall returned the unknown field" },
  ])("$verdict counts as a hook that throws", async ({ verdict, text }) => {
    const execute = vi.fn(async () => result("a"));
    const outcome = await runA(execute, { beforeToolCall: async () => verdict as never });
    expect(outcome).toMatchObject(error(expect.stringContaining(text)));
    expect(execute).not.toHaveBeenCalled();
  });

  test("an error keeps the tool from running", async () => {
    const execute = vi.fn(async () => result("a"));
    const beforeToolCall = async () => {
      throw new Error("hook");
    };
    expect(await runA(execute, { beforeToolCall })).toMatchObject(error("hook"));
    expect(execute).not.toHaveBeenCalled();
  });

  test("may change the validated arguments, and sees the original tool call", async () => {
    const seen: unknown[] = [];
    const toolCall = call("1", "a", { count: "1" });
    const counting = tool(
      "a",
      async (_id, args) => {
        seen.push(args.count);
        return result("a");
      },
      { parameters: Type.Object({ count: Type.Number() }) },
    );
    await run(toolCall, [counting], {
      beforeToolCall: async (context) => {
        expect(context.toolCall).toBe(toolCall);
        expect(context.args).toEqual({ count: 1 });
        context.args.count = "not checked again";
      },
    });
    expect(seen).toEqual(["not checked again"]);
    expect(toolCall.arguments).toEqual({ count: "1" });
  });
});

describe("afterToolCall", () => {
  test("replaces the fields that it returns, one by one", async () => {
    const content = [{ type: "text" as const, text: "shorter" }];
    const execute = async () => ({ ...result("long"), details: { a: 1 }, extra: true });
    expect(await runA(execute, { afterToolCall: async () => ({ content }) })).toMatchObject({
      isError: false,
      result: { content, details: { a: 1 } },
    });
    const outcome = await runA(execute, { afterToolCall: async () => ({ terminate: true, isError: true }) });
    expect(outcome).toMatchObject({ isError: true, result: { terminate: true } });
    expect(outcome.result).not.toHaveProperty("extra");
  });

  test.each([undefined, null, 42])("%j changes nothing", async (given) => {
    const outcome = await runA(async () => result("a"), { afterToolCall: async () => given as never });
    expect(outcome).toMatchObject({ isError: false, result: result("a") });
  });

  test("sees failures of the tool, and may clear them", async () => {
    const execute = () => Promise.reject(new Error("no luck"));
    const outcome = await runA(execute, {
      afterToolCall: async (context) => {
        expect(context).toMatchObject({ isError: true, result: { content: [{ text: "no luck" }] } });
        return { isError: false };
      },
    });
    expect(outcome.isError).toBe(false);
  });

  test("does not run for a tool call that did not run", async () => {
    const afterToolCall = vi.fn(async () => undefined);
    await run(call("1", "other"), [], { afterToolCall });
    await runA(async () => result("a"), { afterToolCall, beforeToolCall: async () => ({ block: true }) });
    expect(afterToolCall).not.toHaveBeenCalled();
  });

  test.each([
    {
      title: "throws",
      hook: async () => {
        throw new Error("hook");
      },
      text: "hook",
    },
    {
      title: "returns false",
      hook: async () => false as never,
      text: "afterToolCall returned false. Return nothing or { content, details, isError, terminate, output }",
    },
    {
      title: "gives content that is not an array of blocks",
      hook: async () => ({ content: "x" }) as never,
      text: "afterToolCall must return content as an array of text and image blocks",
    },
  ])("a hook that $title replaces the result with an error", async ({ hook, text }) => {
    expect(await runA(async () => result("secret"), { afterToolCall: hook })).toMatchObject(error(text));
  });
});

describe("progress", () => {
  test("reaches the caller while the tool runs, and not after its end", async () => {
    const seen: unknown[] = [];
    let late: (() => void) | undefined;
    await runA(
      async (_id, _args, _signal, onUpdate) => {
        late = () => onUpdate?.(result("late"));
        onUpdate?.(result("half"));
        return result("a");
      },
      { onUpdate: (partial) => seen.push(partial) },
    );
    late?.();
    expect(seen).toEqual([result("half")]);
  });

  const fail = (): never => {
    throw new Error("watcher");
  };
  // Nobody handles a rejection that is left, so it would fail this file.
  test.each([{ onUpdate: fail }, { onUpdate: async () => fail() }])(
    "an error of the caller does not affect the tool: $onUpdate",
    async ({ onUpdate }) => {
      const outcome = await runA(
        async (_id, _args, _signal, report) => {
          report?.(result("half"));
          return result("a");
        },
        { onUpdate },
      );
      expect(outcome.isError).toBe(false);
    },
  );
});

describe("time", () => {
  test("a tool that takes too long is abandoned, its signal is aborted, and later results are dropped", async () => {
    vi.useFakeTimers();
    const seen: unknown[] = [];
    let signal: AbortSignal | undefined;
    let late: (() => void) | undefined;
    const outcome = runA(
      (_id, _args, given, onUpdate) => {
        signal = given;
        late = () => onUpdate?.(result("late"));
        return never();
      },
      { toolTimeoutMs: 1000, onUpdate: (partial) => seen.push(partial) },
    );
    await vi.advanceTimersByTimeAsync(999);
    expect(signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcome).toMatchObject(error("Tool a timed out after 1000 ms"));
    expect(signal?.aborted).toBe(true);
    late?.();
    expect(seen).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  test.each([
    { own: 50, common: 1000, ends: 50 },
    { own: 50, common: undefined, ends: 50 },
    { own: undefined, common: 70, ends: 70 },
  ])("a tool's own timeout ($own) overrides the common one ($common)", async ({ own, common, ends }) => {
    vi.useFakeTimers();
    const slow = tool("a", () => never(), own === undefined ? {} : { toolTimeoutMs: own });
    const outcome = run(call("1", "a"), [slow], common === undefined ? {} : { toolTimeoutMs: common });
    await vi.advanceTimersByTimeAsync(ends);
    expect(await outcome).toMatchObject(error(`Tool a timed out after ${ends} ms`));
    vi.useRealTimers();
  });

  test.each([Number.POSITIVE_INFINITY, 2 ** 31, 1e12])(
    "toolTimeoutMs of %d does not end a tool at once",
    async (toolTimeoutMs) => {
      expect(await runA(async () => result("a"), { toolTimeoutMs })).toMatchObject({ isError: false });
    },
  );

  test.each([-1, Number.NaN, Number.NEGATIVE_INFINITY])("toolTimeoutMs of %d is rejected", async (toolTimeoutMs) => {
    const options = { toolTimeoutMs };
    await expect(runA(async () => result("a"), options)).rejects.toThrow(/^toolTimeoutMs must be/);
    const ofTool = run(call("1", "a"), [tool("a", async () => result("a"), options)], {});
    await expect(ofTool).rejects.toThrow(/^toolTimeoutMs of tool "a" must be/);
  });

  test("a tool may opt out with 0, and a quick one leaves no timer behind", async () => {
    vi.useFakeTimers();
    const quick = tool("a", async () => result("a"), { toolTimeoutMs: 0 });
    expect(await run(call("1", "a"), [quick], { toolTimeoutMs: 5 })).toMatchObject({ isError: false });
    expect(await runA(async () => result("a"), { toolTimeoutMs: 5 })).toMatchObject({ isError: false });
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });
});

describe("abort", () => {
  const aborted = error("Operation aborted");

  test.each<{ title: string; execute: AgentTool["execute"]; options?: Options }>([
    { title: "a tool that ignores it", execute: () => never() },
    { title: "a tool with a bound", execute: () => never(), options: { toolTimeoutMs: 100_000 } },
    { title: "a hook before", execute: async () => result("a"), options: { beforeToolCall: () => never() } },
    { title: "a hook after", execute: async () => result("a"), options: { afterToolCall: () => never() } },
  ])("ends $title at once", async ({ execute, options }) => {
    const controller = new AbortController();
    const outcome = runA(execute, { ...options, signal: controller.signal });
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect(await outcome).toMatchObject(aborted);
  });

  test("before the start keeps the tool from running", async () => {
    const execute = vi.fn(async () => result("a"));
    expect(await runA(execute, { signal: AbortSignal.abort() })).toMatchObject(aborted);
    expect(execute).not.toHaveBeenCalled();
  });

  test("reaches the tool's own signal, also if the call has a timeout", async () => {
    for (const options of [{}, { toolTimeoutMs: 100_000 }]) {
      const controller = new AbortController();
      let seen: AbortSignal | undefined;
      const outcome = runA(
        (_id, _args, signal) => {
          seen = signal;
          return never();
        },
        { ...options, signal: controller.signal },
      );
      await new Promise((resolve) => setImmediate(resolve));
      controller.abort();
      await outcome;
      expect(seen?.aborted).toBe(true);
    }
  });
});

test("other tool calls of the message do not matter", async () => {
  const assistantMessage = calls("a", "b");
  const context = { systemPrompt: "", messages: [assistantMessage], tools: [] };
  const outcome = await runToolCall(call("2", "b"), { tools: [tool("b")], assistantMessage, context });
  expect(outcome).toMatchObject({ isError: false, toolCall: { id: "2" } });
});
