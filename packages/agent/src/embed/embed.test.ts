/** Each row of the reference's section on embedding has its test here; the pure pieces are tested beside their files. */

import { Agent } from "pi-agent";
import { type BlockChunker, type EmbedEvent, type ReplyDirectiveCodec, subscribeEmbedded } from "pi-agent/embed";
import { describe, expect, it, vi } from "vitest";
import {
  delta,
  end,
  failed,
  inner,
  message,
  start,
  textEnd,
  toolEnd,
  toolStart,
  type Watched,
  watch,
} from "../../test/embed-events.js";
import { call, response, scripted, text } from "../../test/scripted-stream.js";
import { tool } from "../../test/scripted-tool.js";

const SENT = "The report is ready for you";
const thinking = (...texts: string[]): EmbedEvent =>
  end([...texts.map((one) => ({ type: "thinking" as const, thinking: one })), { type: "text", text: "Answer" }]);

/** `{{media:url}}`, `{{to:id}}` and `{{voice}}`, wherever they stand. */
const codec: ReplyDirectiveCodec = {
  parse: (value) => {
    const mediaUrls = [...value.matchAll(/\{\{media:(.*?)\}\}/g)].map((match) => match[1]!);
    const replyToId = /\{\{to:(.*?)\}\}/.exec(value)?.[1];
    return {
      text: value.replace(/\{\{.*?\}\}/g, ""),
      ...(mediaUrls.length > 0 && { mediaUrls }),
      ...(replyToId && { replyToId }),
    };
  },
  stripTrailing: (value) => value.replace(/\{(\{[^}]*\}?)?$/, ""),
};

describe("5.1, the returned object", () => {
  it("has the twelve members, with live arrays and copies", () => {
    const { source, subscription } = watch({
      classifyOutbound: ({ args }) => ({ target: args["to"], text: String(args["text"]) }),
      describeTool: (name) => `calls ${name}`,
    });
    const { assistantTexts, toolMetas } = subscription;
    source.emit(...message("Hello"), toolStart("1", "send", { to: "ann", text: SENT }), toolEnd("1", "send"));
    source.emit(toolStart("2", "read"), toolEnd("2", "read", failed("no file"), true));
    expect(assistantTexts).toEqual(["Hello"]);
    expect(toolMetas).toEqual([
      { toolName: "send", meta: "calls send" },
      { toolName: "read", meta: "calls read" },
    ]);
    expect(subscription.getMessagingToolSentTexts()).toEqual([SENT]);
    expect(subscription.getMessagingToolSentTexts()).not.toBe(subscription.getMessagingToolSentTexts());
    expect(subscription.getMessagingToolSentTargets()).toEqual(["ann"]);
    expect(subscription.getMessagingToolSentTargets()).not.toBe(subscription.getMessagingToolSentTargets());
    expect(subscription.didSendViaMessagingTool()).toBe(true);
    expect(subscription.getLastToolError()).toEqual({ toolName: "read", meta: "calls read", error: "no file" });
    expect(subscription.getLastToolError()).not.toBe(subscription.getLastToolError());
    expect(subscription.isCompacting()).toBe(false);
    expect(subscription.isCompactionInFlight()).toBe(false);
    expect(subscription.getCompactionCount()).toBe(0);
    expect(subscription.getUsageTotals()).toMatchObject({ input: 7, output: 3, totalTokens: 10, assistantMessages: 1 });
    expect(subscription.waitForCompactionRetry()).toBeInstanceOf(Promise);
    subscription.unsubscribe();
    expect(subscription.closed).toBe(true);
  });

  it("didSendViaMessagingTool: targets alone do not count", () => {
    const { source, subscription } = watch({ classifyOutbound: () => ({ target: "ann" }) });
    source.emit(toolStart("1", "react"), toolEnd("1", "react"));
    expect(subscription.getMessagingToolSentTargets()).toEqual(["ann"]);
    expect(subscription.didSendViaMessagingTool()).toBe(false);
  });
});

describe("5.3, event routing", () => {
  it("message_start, message_update, message_end: at once", () => {
    const { source, partials, texts } = watch();
    source.emit(start, delta("Hel"));
    expect(partials).toEqual([{ text: "Hel", delta: "Hel" }]);
    source.emit(end("Hello"));
    expect(texts()).toEqual(["Hello"]);
  });

  it("tool_execution_start and _end: errors of their handlers are logged", () => {
    const { source, debug, subscription } = watch({
      describeTool: () => {
        throw new Error("no words");
      },
      sanitizeToolResult: () => {
        throw new Error("no result");
      },
    });
    source.emit(toolStart("1", "read"), toolEnd("1", "read"));
    expect(debug).toEqual([
      "tool_execution_start handler failed: no words",
      "tool_execution_end handler failed: no result",
    ]);
    expect(subscription.toolMetas).toEqual([{ toolName: "read" }]);
  });

  it("tool_execution_update: at once, sanitised", () => {
    const updates: unknown[] = [];
    const { source } = watch({ sanitizeToolResult: () => "clean", onToolUpdate: (info) => void updates.push(info) });
    source.emit({ type: "tool_execution_update", toolCallId: "1", toolName: "read", args: {}, partialResult: "dirty" });
    expect(updates).toEqual([{ toolCallId: "1", toolName: "read", partialResult: "clean" }]);
  });

  it("agent_start, agent_end, compaction start and end: at once, under both names", () => {
    const told: unknown[] = [];
    const { source } = watch({
      onAgentStart: () => void told.push("start"),
      onAgentEnd: () => void told.push("end"),
      onCompactionStart: ({ type }) => void told.push(type),
      onCompactionEnd: ({ type, willRetry }) => void told.push([type, willRetry]),
    });
    source.emit({ type: "agent_start" }, { type: "agent_end", messages: [] });
    source.emit({ type: "auto_compaction_start" }, { type: "auto_compaction_end" });
    source.emit({ type: "compaction_start" }, { type: "compaction_end", willRetry: true });
    const expected = ["start", "end", "auto_compaction_start", ["auto_compaction_end", false], "compaction_start"];
    expect(told).toEqual([...expected, ["compaction_end", true]]);
  });

  it("other types are ignored, malformed events are logged, and the listener returns nothing", () => {
    const { source, debug, subscription } = watch({ onBlockReply: () => Promise.reject(new Error("late")) });
    const odd = [{ type: "turn_start" }, { type: "unknown" }, { type: "message_end" }, null] as unknown as EmbedEvent[];
    expect(source.emit(...odd, ...message("Hello"))).toEqual(Array.from({ length: odd.length + 4 }, () => undefined));
    expect(debug).toHaveLength(2);
    expect(subscription.assistantTexts).toEqual(["Hello"]);
  });

  it("callbacks are not awaited, and their errors and rejections go to onCallbackError", async () => {
    const { source, subscription, errors } = watch({
      onPartialReply: () => {
        throw new Error("thrown");
      },
      onBlockReply: () => Promise.reject(new Error("rejected")),
    });
    source.emit(...message("Hello"));
    expect(errors).toEqual([["onPartialReply", "thrown"]]);
    await subscription.whenDelivered();
    expect(errors).toEqual([
      ["onPartialReply", "thrown"],
      ["onBlockReply", "rejected"],
    ]);
  });
});

describe("5.4, message_start is the only reset boundary", () => {
  it("is ignored unless it is the assistant's", () => {
    let starts = 0;
    const { source, texts } = watch({ onAssistantMessageStart: () => void starts++ });
    source.emit(start, delta("Hel"), { type: "message_start", message: { role: "user", content: "x", timestamp: 1 } });
    source.emit(delta("lo"), end("Hello"));
    expect([starts, texts()]).toEqual([1, ["Hello"]]);
  });

  it("forgets the unfinished message: text, tags, directives, chunks, reasoning", () => {
    const { source, partials, texts } = watch({
      chunker: { minChars: 5, maxChars: 50 },
      blockReplyBreak: "text_end",
      directives: codec,
    });
    source.emit(start, delta("old `"), delta("<think>old {{media:"), delta("old"));
    source.emit(start, delta("new<think>x</think>"), textEnd("new<think>x</think>"), end("new<think>x</think>"));
    expect(texts()).toEqual(["new"]);
    expect(partials.at(-1)).toEqual({ text: "new", delta: "new" });
  });

  it("the same text in the next message is not a repeat", () => {
    const { source, texts, subscription } = watch();
    source.emit(...message("Same text again"), ...message("Same text again"));
    expect(texts()).toEqual(["Same text again", "Same text again"]);
    expect(subscription.assistantTexts).toHaveLength(2);
  });

  it("text_end is not a boundary, late or repeated", () => {
    const { source, partials, texts } = watch();
    source.emit(
      start,
      delta("One. "),
      textEnd("One. "),
      delta("Two."),
      textEnd("One. "),
      textEnd("Two."),
      end("One. Two."),
    );
    expect(partials.map((partial) => partial.text)).toEqual(["One. ", "One. Two."]);
    expect(texts()).toEqual(["One. Two."]);
  });
});

describe("5.5, message_update", () => {
  it("step 3: without a chunker the text waits, with one it is appended to it", () => {
    const seen: string[] = [];
    const chunker: BlockChunker = {
      append: (value) => void seen.push(value),
      hasBuffered: () => false,
      bufferedText: "",
      drain: () => {},
      reset: () => {},
    };
    const { source } = watch({ chunker });
    source.emit(start, delta("a"), delta("b"));
    expect(seen).toEqual(["a", "b"]);
  });

  it("step 4: partials show the whole text and the new part, without tags", () => {
    const { source, partials } = watch();
    source.emit(start, delta("<thi"), delta("nk>no</think>\n\n Hel"), delta("lo <b"), delta(">!"), delta("<final>"));
    expect(partials).toEqual([
      { text: "Hel", delta: "Hel" },
      { text: "Hello <b", delta: "lo <b" },
      { text: "Hello <b>!", delta: ">!" },
    ]);
  });

  it("step 4: a text that does not continue the previous one has an empty delta", () => {
    const { source, partials } = watch();
    source.emit(start, delta("Helo"), end("Hello"));
    expect(partials.at(-1)).toEqual({ text: "Hello", delta: "" });
  });

  it("step 4: directives are removed, also if they arrive in pieces", () => {
    const { source, partials } = watch({ directives: codec });
    source.emit(start, delta("See {"), delta("{media:a.p"), delta("ng}} this"));
    expect(partials).toEqual([
      { text: "See ", delta: "See " },
      { text: "See  this", delta: " this", mediaUrls: ["a.png"] },
    ]);
  });

  it("step 5: complete chunks go out while the text streams, unless they wait for message_end", () => {
    const during = (blockReplyBreak: "text_end" | "message_end"): unknown[] => {
      const { source, texts } = watch({ chunker: { minChars: 4, maxChars: 40 }, blockReplyBreak });
      source.emit(start, delta("First.\n\nSec"));
      return texts();
    };
    expect(during("text_end")).toEqual(["First."]);
    expect(during("message_end")).toEqual([]);
  });

  it.each([
    ["with a chunker: a forced drain", { minChars: 50, maxChars: 90 }],
    ["without: the whole buffer", false as const],
  ])("step 6: text_end flushes, %s", (_, chunker) => {
    const { source, texts } = watch({ chunker, blockReplyBreak: "text_end" });
    source.emit(start, delta("One."), textEnd("One."), textEnd("One."));
    expect(texts()).toEqual(["One."]);
    source.emit(delta("Two."), textEnd("Two."), end("One.Two."), textEnd("Two."), textEnd("One.Two."));
    expect(texts()).toEqual(["One.", "Two."]);
  });

  it.each(["message", "contentIndex"] as const)(
    "a source that sends only text_end, accumulated by %s",
    (accumulate) => {
      const { source, texts } = watch({ accumulate, blockReplyBreak: "text_end" });
      source.emit(start, textEnd("Done.", 0), textEnd("Done. Really.", 1));
      expect(texts()).toEqual(accumulate === "message" ? ["Done.", "Really."] : ["Done.", "Done. Really."]);
    },
  );

  it("the block emitter skips a block that is empty, repeats the previous one, or was sent by a tool", () => {
    const { source, texts, subscription } = watch({
      blockReplyBreak: "text_end",
      accumulate: "contentIndex",
      classifyOutbound: () => ({ target: 1, text: SENT }),
    });
    source.emit(toolStart("1", "send"), toolEnd("1", "send"), start);
    source.emit(...["  \n", "Once.", "Once.", `${SENT}!`].map(textEnd));
    expect(texts()).toEqual(["Once."]);
    expect(subscription.assistantTexts).toEqual(["Once."]);
  });
});

describe("5.6, message_end", () => {
  it("step 1: only the assistant's, its text blocks joined, without tags", () => {
    const { source, texts } = watch();
    source.emit({ type: "message_end", message: { role: "user", content: "x", timestamp: 1 } });
    source.emit(
      start,
      end([{ type: "text", text: "<final>A" }, call("1", "read"), { type: "text", text: "B</final>" }]),
    );
    expect(texts()).toEqual(["AB"]);
  });

  it("step 2: directives are parsed", () => {
    const { source, blocks, subscription } = watch({ directives: codec });
    source.emit(start, end("{{to:7}}See {{media:a.png}}"));
    expect(blocks).toEqual([{ text: "See ", mediaUrls: ["a.png"], replyToId: "7" }]);
    expect(subscription.assistantTexts).toEqual(["See "]);
  });

  it.each([
    ["text outside of enforced final tags", "Hello", "Hello"],
    ["empty final tags", " <Final></final> ", "<Final></final>"],
    ["reasoning whose end is missing", "<think>Hello <final>you</final>", "<think>Hello you"],
  ])("step 3: if the tags leave nothing, the text without final tags is shown: %s", (_, raw, shown) => {
    const { source, partials, texts, subscription } = watch({ tags: { enforceFinal: true } });
    source.emit(start, end(raw));
    expect([partials, texts(), subscription.assistantTexts]).toEqual([
      [{ text: shown, delta: shown }],
      [shown],
      [shown],
    ]);
  });

  it("step 3: reasoning that ended is never shown", () => {
    const { source, partials, texts, subscription } = watch();
    source.emit(...message("<think>secret</think>"));
    expect([partials, texts(), subscription.assistantTexts]).toEqual([[], [], []]);
  });

  it("step 4: one partial if none was sent", () => {
    const { source, partials } = watch();
    source.emit(start, end("Hello"), ...message("He", "llo"));
    expect(partials.map(({ delta }) => delta)).toEqual(["Hello", "He", "llo"]);
  });

  it("step 5: assistantTexts receives texts that the blocks did not add", () => {
    const streamed = watch({ blockReplyBreak: "text_end" });
    streamed.source.emit(...message("One."));
    const atOnce = watch({ blockReplyBreak: "text_end" });
    atOnce.source.emit(start, end("One."), end("One."), end("one."));
    for (const { subscription } of [streamed, atOnce]) expect(subscription.assistantTexts).toEqual(["One."]);
  });

  it("step 6, message_end: one reply, or with a chunker as few as possible", () => {
    const long = "First part.\n\nSecond part.\n\nThird part.";
    const replies = (chunker: false | { maxChars: number; minChars: number }): unknown[] => {
      const { source, texts } = watch({ chunker });
      source.emit(...message("First part.\n\nSec", "ond part.\n\nThird part."));
      return texts();
    };
    expect(replies(false)).toEqual([long]);
    expect(replies({ minChars: 5, maxChars: 30 })).toEqual(["First part.\n\nSecond part.", "Third part."]);
  });

  it("step 6, text_end: buffered text is sent if its text_end is missing", () => {
    const { source, texts } = watch({ blockReplyBreak: "text_end" });
    source.emit(start, delta("One."), textEnd("One."), delta(" Two."), end("One. Two."));
    expect(texts()).toEqual(["One.", "Two."]);
  });

  it("step 6, text_end: text that never streamed is sent", () => {
    const { source, texts } = watch({ blockReplyBreak: "text_end", chunker: { minChars: 2, maxChars: 6 } });
    source.emit(start, delta("One. "), end("One. Two."));
    expect(texts()).toEqual(["One.", "Two."]);
  });

  it("step 6: the final text replaces a streamed one that differs", () => {
    for (const chunker of [false as const, { minChars: 2, maxChars: 60 }]) {
      const { source, texts } = watch({ chunker });
      source.emit(start, delta("Helo"), end("Hello"));
      expect(texts()).toEqual(["Hello"]);
    }
  });

  it("step 6: a duplicate of a text that a tool sent is skipped, and logged", () => {
    const { source, texts, debug, subscription } = watch({ classifyOutbound: () => ({ target: 1, text: SENT }) });
    source.emit(toolStart("1", "send"), toolEnd("1", "send"), ...message(`${SENT}. 🎉`));
    expect(texts()).toEqual([]);
    expect(debug).toEqual(["Skipped a block reply: a messaging tool has already sent it"]);
    expect(subscription.assistantTexts).toEqual([`${SENT}. 🎉`]);
  });

  it("step 6: a directive that never ends is text at last", () => {
    const { source, texts } = watch({ directives: codec, chunker: { minChars: 1, maxChars: 90 } });
    source.emit(...message("Hello ", "{{media:a"));
    expect(texts().join("")).toBe("Hello {{media:a");
  });

  it("step 7: reasoning is reported once, if enabled", () => {
    for (const [mode, told] of [
      ["off", []],
      ["on", [["One\n\nTwo", true]]],
    ] as const) {
      const { source, reasoning } = watch({ reasoning: mode });
      source.emit(
        start,
        inner({ type: "thinking_delta", delta: "One" }),
        thinking("One", "Two"),
        thinking("One", "Two"),
      );
      expect(reasoning).toEqual(told);
    }
  });

  it("step 7: streamed reasoning grows, block by block", () => {
    const { source, reasoning } = watch({ reasoning: "stream" });
    source.emit(start, inner({ type: "thinking_start" }), inner({ type: "thinking_delta", delta: "On" }));
    source.emit(inner({ type: "thinking_end", content: "One" }), inner({ type: "thinking_end", content: "One" }));
    source.emit(
      inner({ type: "thinking_start" }),
      inner({ type: "thinking_delta", delta: "Two" }),
      thinking("One", "Two"),
    );
    expect(reasoning).toEqual([
      ["On", false],
      ["One", false],
      ["One\n\nTwo", false],
      ["One\n\nTwo", true],
    ]);
  });

  it("step 8: a late text_end after the message adds nothing", () => {
    for (const blockReplyBreak of ["text_end", "message_end"] as const) {
      const { source, texts, partials } = watch({ blockReplyBreak, chunker: { minChars: 1, maxChars: 9 } });
      source.emit(...message("One. Two."), textEnd("One. Two."), textEnd("Two."), end("One. Two."));
      expect(texts().join(" ")).toBe("One. Two.");
      expect(partials).toHaveLength(1);
    }
  });

  it("step 9: usage adds up, once for each message", () => {
    const { source, subscription } = watch();
    source.emit(...message("One"), end("One"), ...message("Two"));
    source.emit(start, end("Three", { usage: {} as never }));
    expect(subscription.getUsageTotals()).toEqual({
      input: 14,
      output: 6,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 20,
      costTotal: 0,
      assistantMessages: 3,
    });
  });
});

describe("5.7, messaging tools", () => {
  const sending = (): Watched<string> =>
    watch<string>({
      classifyOutbound: ({ toolName, args }) => (toolName === "send" ? { target: String(args["to"]) } : undefined),
    });

  it.each(["content", "message"])("start: the text is the argument %s; it is not sent yet", (name) => {
    const { source, subscription, texts } = sending();
    source.emit(toolStart("1", "send", { to: "ann", [name]: SENT }), ...message(SENT));
    expect([subscription.getMessagingToolSentTexts(), texts()]).toEqual([[], [SENT]]);
    source.emit(toolEnd("1", "send"));
    expect([subscription.getMessagingToolSentTexts(), subscription.getMessagingToolSentTargets()]).toEqual([
      [SENT],
      ["ann"],
    ]);
  });

  it("end: a failed send is dropped and does not suppress the same reply", () => {
    const { source, subscription, texts } = sending();
    source.emit(
      toolStart("1", "send", { content: SENT }),
      toolEnd("1", "send", failed("offline"), true),
      ...message(SENT),
    );
    expect([subscription.getMessagingToolSentTexts(), subscription.getMessagingToolSentTargets()]).toEqual([[], []]);
    expect(texts()).toEqual([SENT]);
  });

  it("tool calls of other tools send nothing", () => {
    const { source, texts } = sending();
    source.emit(toolStart("1", "write", { content: SENT }), toolEnd("1", "write"), ...message(SENT));
    expect(texts()).toEqual([SENT]);
  });

  it("the newest 200 are remembered", () => {
    const { source, subscription, texts } = sending();
    for (let index = 0; index <= 200; index++)
      source.emit(toolStart("1", "send", { to: "a", content: `message number ${index}.` }), toolEnd("1", "send"));
    expect(subscription.getMessagingToolSentTexts()).toHaveLength(200);
    expect(subscription.getMessagingToolSentTexts()[0]).toBe("message number 1.");
    expect(subscription.getMessagingToolSentTargets()).toHaveLength(200);
    source.emit(...message("message number 0."), ...message("message number 1."));
    expect(texts()).toEqual(["message number 0."]);
  });

  it("a sent text of emoji alone, or a short one, suppresses nothing", () => {
    const { source, texts } = sending();
    for (const content of ["🎉🎉", "ok"]) source.emit(toolStart("1", "send", { content }), toolEnd("1", "send"));
    source.emit(...message("That is ok with me 🎉"));
    expect(texts()).toEqual(["That is ok with me 🎉"]);
  });

  it("limits and normalizer can be configured, and a normalizer that throws is tolerated", () => {
    const outbound = { classifyOutbound: () => ({ target: 1, text: "HI" }) };
    const short = watch({ ...outbound, dedupe: { minLength: 1, maxEntries: 1 } });
    short.source.emit(toolStart("1", "send"), toolEnd("1", "send"), ...message("hi"));
    expect(short.texts()).toEqual([]);
    const broken = watch({
      ...outbound,
      dedupe: {
        normalize: () => {
          throw new Error("no");
        },
      },
    });
    broken.source.emit(toolStart("1", "send"), toolEnd("1", "send"), ...message("hi"));
    expect(broken.texts()).toEqual(["hi"]);
    expect(broken.errors).toContainEqual(["dedupe.normalize", "no"]);
  });
});

describe("5.8, tools", () => {
  it("the after-call hook gets parameters, result, error and duration; the start record is always deleted", () => {
    let now = 100;
    const after: unknown[] = [];
    const ends: unknown[] = [];
    const { source } = watch({
      now: () => now,
      describeTool: () => "a file",
      sanitizeToolResult: () => "clean",
      afterToolCall: (info) => void after.push(info),
      onToolEnd: (info) => void ends.push(info),
    });
    source.emit(toolStart("1", "read", { path: "a" }));
    now = 140;
    source.emit(toolEnd("1", "read", failed("no file"), true), toolEnd("1", "read"));
    expect(after).toEqual([
      { toolCallId: "1", toolName: "read", params: { path: "a" }, result: "clean", error: "clean", durationMs: 40 },
      { toolCallId: "1", toolName: "read", params: {}, result: "clean" },
    ]);
    expect(ends[0]).toEqual({
      toolCallId: "1",
      toolName: "read",
      meta: "a file",
      result: "clean",
      isError: true,
      error: "clean",
      durationMs: 40,
    });
  });

  it("start records belong to one subscription", () => {
    const durations: unknown[] = [];
    const one = watch();
    const other = watch({ afterToolCall: ({ durationMs }) => void durations.push(durationMs) });
    one.source.emit(toolStart("1", "read"));
    other.source.emit(toolEnd("1", "read"));
    expect(durations).toEqual([undefined]);
  });

  it("a rejection of the after-call hook is caught", async () => {
    const { source, subscription, errors } = watch({ afterToolCall: () => Promise.reject(new Error("hook")) });
    source.emit(toolStart("1", "read"), toolEnd("1", "read"));
    await subscription.whenDelivered();
    expect(errors).toEqual([["afterToolCall", "hook"]]);
  });

  it("the last error is kept until a tool call succeeds", () => {
    const { source, subscription } = watch();
    source.emit(toolStart("1", "read"), toolEnd("1", "read", { error: { message: "broken" } }, true));
    expect(subscription.getLastToolError()).toEqual({ toolName: "read", error: "broken" });
    source.emit(toolStart("2", "list"), toolEnd("2", "list"));
    expect(subscription.getLastToolError()).toBeUndefined();
  });

  it("hostile arguments from a model are tolerated", () => {
    const { source, subscription } = watch({ classifyOutbound: ({ args }) => ({ target: args["to"] }) });
    source.emit(toolStart("__proto__", "constructor", "text"), toolEnd("__proto__", "constructor", null, true));
    source.emit(toolStart("2", "send", { content: { text: "x" } }), toolEnd("2", "send"));
    expect(subscription.getMessagingToolSentTexts()).toEqual([]);
    expect(subscription.toolMetas).toHaveLength(2);
  });
});

describe("5.11, the rules", () => {
  it("works with an Agent, whose run it neither stalls nor breaks", async () => {
    const agent = new Agent({
      initialState: { tools: [tool("send")] },
      streamFn: scripted(response([call("1", "send", { message: SENT })]), text(SENT), text("Anything else?")).streamFn,
    });
    const replies: unknown[] = [];
    const subscription = subscribeEmbedded(agent, {
      classifyOutbound: ({ toolName }) => (toolName === "send" ? { target: "ann" } : undefined),
      onPartialReply: () => {
        throw new Error("broken");
      },
      onBlockReply: ({ text: reply }) => {
        replies.push(reply);
        return new Promise(() => {});
      },
      log: { debug: () => {} },
    });
    await agent.prompt("Tell Ann");
    await agent.prompt("And now?");
    expect(replies).toEqual(["Anything else?"]);
    expect(subscription.assistantTexts).toEqual([SENT, "Anything else?"]);
    expect(subscription.didSendViaMessagingTool()).toBe(true);
    expect(subscription.getUsageTotals().assistantMessages).toBe(3);
    subscription.unsubscribe();
    await agent.prompt("Hello?");
    expect(replies).toHaveLength(1);
  });

  it("serial delivery keeps the order of callbacks, concurrent does not wait", async () => {
    const run = async (delivery: "serial" | "concurrent"): Promise<string[]> => {
      const seen: string[] = [];
      const gates: (() => void)[] = [];
      const { source, subscription } = watch({
        delivery,
        blockReplyBreak: "text_end",
        onPartialReply: () => {},
        onBlockReply: async ({ text: reply }) => {
          seen.push(`begin ${reply}`);
          await new Promise<void>((resolve) => gates.push(resolve));
          seen.push(`end ${reply}`);
        },
      });
      source.emit(start, textEnd("A"), textEnd("B"));
      const delivered = subscription.whenDelivered();
      for (let turn = 0; turn < 2; turn++) {
        gates.pop()?.();
        await new Promise((resolve) => setImmediate(resolve));
      }
      await delivered;
      return seen;
    };
    expect(await run("serial")).toEqual(["begin A", "end A", "begin B", "end B"]);
    expect(await run("concurrent")).toEqual(["begin A", "begin B", "end B", "end A"]);
  });

  it("after unsubscribe no callback runs, including queued ones, and the getters keep working", async () => {
    let release = (): void => {};
    const seen: unknown[] = [];
    const { source, subscription } = watch({
      delivery: "serial",
      onBlockReply: ({ text: reply }) => {
        seen.push(reply);
        return new Promise<void>((resolve) => {
          release = resolve;
        });
      },
    });
    source.emit(...message("One"), ...message("Two"));
    subscription.unsubscribe();
    subscription.handleEvent({ type: "compaction_start" });
    for (const event of message("Three")) subscription.handleEvent(event);
    release();
    await subscription.whenDelivered();
    expect(seen).toEqual(["One"]);
    expect(subscription.assistantTexts).toEqual(["One", "Two"]);
    expect(subscription.isCompacting()).toBe(false);
  });

  it("events can be passed in directly, and the functions can be detached", () => {
    const { subscription, texts } = watch();
    const { handleEvent } = subscription;
    for (const event of message("Hello")) handleEvent(event);
    expect(texts()).toEqual(["Hello"]);
  });

  it("a callback may end the subscription", () => {
    const seen: unknown[] = [];
    const watched = watch({
      chunker: { minChars: 1, maxChars: 4 },
      onBlockReply: ({ text: reply }) => {
        seen.push(reply);
        watched.subscription.unsubscribe();
      },
    });
    watched.source.emit(...message("one two three"));
    expect(seen).toEqual(["one"]);
  });
});

describe("order and content that a product can rely on", () => {
  it("no error text contains a secret that the sanitizer removes from a result", () => {
    const seen: unknown[] = [];
    const { source, subscription } = watch({
      sanitizeToolResult: (result) => JSON.parse(JSON.stringify(result).replaceAll("hunter22", "***")),
      afterToolCall: (info) => void seen.push(info),
      onToolEnd: (info) => void seen.push(info),
    });
    source.emit(toolStart("1", "login"), toolEnd("1", "login", failed("wrong password hunter22"), true));
    seen.push(subscription.getLastToolError());
    expect(seen).toMatchObject(Array(3).fill({ error: "wrong password ***" }));
    expect(JSON.stringify(seen)).not.toContain("hunter22");
  });

  it.each(["concurrent", "serial"] as const)("reasoning comes before the reply at message_end: %s", (delivery) => {
    const order: string[] = [];
    const { source } = watch({
      delivery,
      reasoning: "on",
      onReasoning: (text) => void order.push(text),
      onPartialReply: ({ text }) => void order.push(`partial ${text}`),
      onBlockReply: ({ text }) => void order.push(`block ${text}`),
    });
    source.emit(
      start,
      end([
        { type: "thinking", thinking: "Hm." },
        { type: "text", text: "Yes." },
      ]),
    );
    expect(order).toEqual(["Hm.", "partial Yes.", "block Yes."]);
  });

  it("a tool that starts without a message_end flushes the text before it", () => {
    for (const options of [{}, { chunker: {} }]) {
      const { source, texts } = watch(options);
      source.emit(start, delta("Let me look."), toolStart("1", "read"));
      expect(texts()).toEqual(["Let me look."]);
      source.emit(toolEnd("1", "read"), delta("\n\nFound it."), end("Let me look.\n\nFound it."));
      expect(texts()).toEqual(["Let me look.", "Found it."]);
    }
  });

  it("a late text_end adds nothing, for any text", () => {
    for (const blockReplyBreak of ["text_end", "message_end"] as const) {
      const { source, subscription, texts } = watch({ blockReplyBreak });
      source.emit(...message("One."), textEnd("Two, another text."), textEnd("One."));
      expect(texts()).toEqual(["One."]);
      expect(subscription.assistantTexts).toEqual(["One."]);
    }
  });

  it.each([-1, Number.NaN, Number.NEGATIVE_INFINITY])("rejects a deliveryTimeoutMs of %d", (deliveryTimeoutMs) => {
    expect(() => watch({ deliveryTimeoutMs })).toThrow(/^deliveryTimeoutMs must be 0 or more milliseconds/);
  });

  it.each([2 ** 31, 1e15])("a deliveryTimeoutMs of %d does not end the wait at once", async (deliveryTimeoutMs) => {
    vi.useFakeTimers();
    const { source, subscription, errors } = watch({
      onBlockReply: () => new Promise<void>(() => {}),
      deliveryTimeoutMs,
    });
    source.emit(...message("One."));
    void subscription.whenDelivered();
    await vi.advanceTimersByTimeAsync(1_000_000);
    expect(errors).toEqual([]);
    subscription.unsubscribe();
    vi.useRealTimers();
  });

  it("a block reply that never settles does not hang whenDelivered", async () => {
    vi.useFakeTimers();
    const { source, subscription, errors } = watch({
      onBlockReply: () => new Promise<void>(() => {}),
      deliveryTimeoutMs: 5000,
    });
    source.emit(...message("One."));
    let delivered = false;
    const waiting = subscription.whenDelivered().then(() => {
      delivered = true;
    });
    await vi.advanceTimersByTimeAsync(4999);
    expect(delivered).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await waiting;
    expect(errors).toEqual([["whenDelivered", "Callbacks were still pending after 5000 ms"]]);
    subscription.unsubscribe();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });
});
