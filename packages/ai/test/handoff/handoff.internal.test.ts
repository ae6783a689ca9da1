import type { AssistantMessage, Message } from "pi-ai";
import { findServerCompaction } from "pi-ai/count";
import { describe, expect, test } from "vitest";
import { buildBody, checkHandoff, opaqueData, TOOLS } from "./check-handoff.internal.js";
import { createConversations, user } from "./conversations.js";
import { PARTIES, type Party } from "./parties.js";
import { type OwnKind, opaque, PICTURE, UNKNOWN } from "./script.js";
import { createTurns } from "./turns.internal.js";
import { CITED_PAGE, FOUND_PAGE, SUMMARY } from "./written-content.js";

/** What {@link factsOf} finds for each kind of content. */
const FACTS: Readonly<Record<OwnKind, string>> = {
  tool: "serverTool done",
  failedTool: "serverTool failed",
  waitingTool: "serverTool waiting",
  citation: "citation",
  image: "image",
  file: "file",
  compaction: "compaction of text",
  hiddenCompaction: "compaction",
  unknown: `serverTool ${UNKNOWN}`,
};
/** The unknown item, with both of its fields. */
const HOLOGRAM = new RegExp(`"${UNKNOWN}"[^{}]{0,3}\\{?[^{}]*"data":"${opaque().slice(0, 16)}[^"]*","depth":3`, "g");

const pairs = PARTIES.flatMap((source) =>
  PARTIES.map((target) => ({ source, target, faults: checkHandoff(source, target) })),
);

test.each(pairs.map(({ source, target, faults }) => [source.model.api, target.model.api, faults] as const))(
  "%s hands over to %s",
  (_source, _target, faults) => {
    expect(faults).toEqual([]);
  },
);

test("every pair of apis", () => {
  const passed = pairs.filter(({ faults }) => faults.length === 0).length;
  expect(pairs.length).toBe(PARTIES.length ** 2);
  // biome-ignore lint/suspicious/noConsole: this line is what the command is for.
  console.log(`${drawTable()}\n\nhandoff: ${passed} of ${pairs.length} pairs pass`);
  expect(passed).toBe(pairs.length);
});

describe.each(PARTIES.map((party) => [party.model.api, party] as const))("%s", (_api, party) => {
  const turns = createTurns(party, "first");

  test("produces its own turns from its wire format", () => {
    const kinds = (message: AssistantMessage): string[] => message.content.map((block) => block.type);
    expect(kinds(turns.thoughtful)).toEqual(["thinking", "text"]);
    expect(kinds(turns.parallel)).toEqual(["thinking", "text", "toolCall", "toolCall", "toolCall"]);
    const ids = turns.parallel.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []));
    expect(new Set(ids).size).toBe(3);
    expect(opaqueData(turns.hiddenCall).length > 0).toBe(!party.hidesReasoning);
    expect(opaqueData(turns.thoughtful).length > 0).toBe(party.signsThinking);
    const endings = [turns.parallel, turns.thinkingOnly, turns.failed, turns.aborted].map((turn) => turn.stopReason);
    expect(endings).toEqual(["toolUse", "length", "error", "aborted"]);
    expect(turns.longIds.content).toMatchObject([{ id: expect.stringMatching(/.{400}/) }, { id: expect.anything() }]);
    expect(turns.failed.content).not.toEqual([]);
  });

  test("produces its provider's tools, citations and media", () => {
    const made = [turns.own, turns.ownAgain, turns.ownCall].map(factsOf);
    const wanted = party.wire.provides.filter((kind) => kind !== "waitingTool").map((kind) => FACTS[kind]);
    for (const facts of made) expect(facts).toEqual(expect.arrayContaining(wanted));
    expect(turns.waiting?.stopReason).toBe(party.wire.provides.includes("waitingTool") ? "toolUse" : undefined);
  });

  test("receives its own opaque data back", () => {
    const { thoughtful, hiddenCall, own } = turns;
    const call = hiddenCall.content.find((block) => block.type === "toolCall");
    const response = { role: "toolResult", toolCallId: call?.id ?? "", toolName: "read", isError: false } as const;
    const result = { ...response, content: [{ type: "text" as const, text: "d" }], timestamp: 0 };
    // A compaction by the provider replaces everything before it.
    const messages = [user("Hi"), own, user("Go on"), thoughtful, user("Go"), hiddenCall, result];
    const body = buildBody(party, party.model, messages, { tools: TOOLS, options: { reasoning: "high" } });
    // Binary fields are bytes until the SDK serializes them.
    const sent = JSON.stringify(body, (_name, value) =>
      value?.type === "Buffer" ? Buffer.from(value.data).toString("base64") : value,
    );
    const data = [...opaqueData(thoughtful), ...opaqueData(hiddenCall), ...opaqueData(own)];
    expect(data.filter((piece) => !sent.includes(piece))).toEqual([]);
  });

  test("receives an item of an unknown type back, whole and in its place", () => {
    expect(party.wire.provides).toContain("unknown");
    const body = buildBody(party, party.model, [user("Hi"), turns.own, user("Go")], { tools: TOOLS, options: {} });
    const sent = JSON.stringify(body);
    expect(sent.match(HOLOGRAM)).toHaveLength(1);
    expect(sent.indexOf("I look.")).toBeLessThan(sent.search(HOLOGRAM));
    expect(sent.search(HOLOGRAM)).toBeLessThan(sent.indexOf("That is all."));
  });
});

test.each(PARTIES.map((party) => [party.model.api, party] as const))(
  "%s receives another provider's tools, citations and media as text",
  (_api, target) => {
    const { written } = createTurns(target, "first");
    const call = written.content.find((block) => block.type === "serverTool" && block.status === "waiting");
    const id = call?.type === "serverTool" ? call.id : "";
    const content = [{ type: "text" as const, text: "a.txt" }];
    const result = {
      role: "toolResult",
      toolCallId: id,
      toolName: "shell",
      content,
      isError: false,
      timestamp: 0,
    } as const;
    const messages = [user("Hi"), written, result, user("Go on")];
    const sent = JSON.stringify(buildBody(target, target.model, messages, { tools: TOOLS, options: {} }));
    for (const words of [
      FOUND_PAGE,
      CITED_PAGE,
      SUMMARY,
      "42 results",
      "Unavailable",
      "report.pdf",
      "table.csv",
      "a.txt",
    ]) {
      expect(sent).toContain(words);
    }
    expect(sent.includes(PICTURE)).toBe(target.model.input.includes("image"));
  },
);

test.each(PARTIES.map((party) => [party.model.api, party] as const))(
  "%s receives another model's thinking only if asked to",
  (_api, target) => {
    const source = PARTIES.find((party) => party !== target) ?? target;
    const { thoughtful } = createTurns(source, "first");
    const [thinking] = thoughtful.content;
    const thought = thinking?.type === "thinking" ? thinking.thinking : "";
    const ask = (foreignThinking?: "text" | "drop"): string => {
      const options = { reasoning: "high" as const, ...(foreignThinking ? { foreignThinking } : {}) };
      return JSON.stringify(
        buildBody(target, target.model, [user("Hi"), thoughtful, user("Go")], { tools: TOOLS, options }),
      );
    };
    expect(thought).not.toBe("");
    expect(ask()).toContain(thought);
    expect(ask("text")).toContain(thought);
    expect(ask("drop")).not.toContain(thought);
    expect(ask("drop")).toContain("It is 42.");
  },
);

/** Providers find a repeated prefix in their caches only if it is unchanged. */
describe.each(PARTIES.map((party) => [party.model.api, party] as const))("%s", (_api, target) => {
  const source = PARTIES.find((party) => party !== target) ?? target;
  const conversations = createConversations(createTurns(source, "first"), createTurns(target, "second"));

  test.each(["files in", "what a provider did, cited and made", "every kind of content", "tools that wait"])(
    "sends again what it sent with provider content: %s",
    (name) => expectSamePrefixes(target, conversations[name] ?? []),
  );

  test.each(["there and back", "long ids", "parallel calls and images", "an unfinished tool loop"])(
    "sends again what it sent: %s",
    (name) => expectSamePrefixes(target, conversations[name] ?? []),
  );
});

function expectSamePrefixes(target: Party, messages: Message[]): void {
  const whole = sentMessages(target, messages);
  // A compaction of the provider begins a new prefix.
  const start = findServerCompaction(messages, target.model);
  const ends = messages.flatMap((message, index) => (message.role === "assistant" && index > start ? [index] : []));
  for (const end of ends) {
    const before = sentMessages(target, messages.slice(0, end));
    expect(whole.slice(0, before.length)).toEqual(before);
  }
}

/** The conversation on the wire, without the markers that move with its end. */
function sentMessages(target: Party, messages: Message[]): unknown[] {
  const body = buildBody(target, target.model, messages, { tools: TOOLS, options: {} });
  const text = JSON.stringify(body, (name, value) =>
    name === "cache_control" || value?.cachePoint ? undefined : value,
  );
  const { request, ...fields } = JSON.parse(text);
  const sent = { ...fields, ...request };
  const list: unknown[] = sent.messages ?? sent.input ?? sent.contents;
  // A removed marker leaves a hole.
  return JSON.parse(JSON.stringify(list).replaceAll(/,null(?=[\],])/g, ""));
}

function factsOf({ content }: AssistantMessage): string[] {
  return content.flatMap((block) => {
    if (block.type === "text") return block.citations ? ["citation"] : [];
    if (block.type === "compaction") return [block.text ? "compaction of text" : "compaction"];
    return block.type === "serverTool" ? [`serverTool ${block.status}`, `serverTool ${block.name}`] : [block.type];
  });
}

/** The number of broken rules, with sources as rows and targets as columns. */
function drawTable(): string {
  const apis = PARTIES.map((party) => party.model.api);
  const numbers = apis.map((_, index) => String(index + 1).padStart(3));
  const rows = PARTIES.map((source, index) => {
    const cells = pairs.filter((pair) => pair.source === source).map(({ faults }) => faults.length || "ok");
    return `${String(index + 1).padStart(3)} ${source.model.api.padEnd(24)}${cells.map((cell) => String(cell).padStart(5)).join("")}`;
  });
  return [`${"".padEnd(28)}${numbers.map((number) => number.padStart(5)).join("")}`, ...rows].join("\n");
}
