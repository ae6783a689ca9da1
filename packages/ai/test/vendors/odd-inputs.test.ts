/** Odd schemas and names go to every vendor in a form that it takes, or an error of ours names what it cannot take. */
import { type Context, completeSimple, type Model, type Tool, type ToolResultMessage, type UserBlock } from "pi-ai";
import { expect, test } from "vitest";
import { isFullSuite, sample } from "../../../../test/support/suite.js";
import { createResponse } from "../messages.js";
import { testsOf } from "../protocols/all-apis.js";
import { changesOf } from "./changes-of.js";
import { createDouble } from "./double.js";
import { MORE_CONVERSATIONS } from "./more-odd-conversations.js";
import { MORE_FILES } from "./more-odd-files.js";
import { ODD_CONVERSATIONS, REFUSED_CONVERSATIONS } from "./odd-conversations.js";
import { ODD_FILES } from "./odd-files.js";
import { ODD_KEYWORDS } from "./odd-keywords.js";
import { MCP_SCHEMAS } from "./odd-mcp-schemas.js";
import { ODD_NAMES, ODD_SCHEMAS } from "./odd-schemas.js";
import { modelsOf } from "./vendor-models.js";
import { VENDORS, type Vendor } from "./vendors.js";

const HI = { role: "user", content: "Hi", timestamp: 1 } as const;

/** What is wrong; undefined if the vendor takes the request, or nothing is sent and the error says why. */
async function problemOf(
  vendor: Vendor,
  model: Model,
  { context, isSent }: { context: Context; isSent: boolean },
): Promise<string | undefined> {
  const { fixtures } = testsOf(model.api);
  const double = createDouble(vendor, fixtures);
  const before = JSON.stringify(context);
  const sending = { apiKey: "test-key", maxRetries: 0, ...fixtures.options, fetch: double.fetch };
  const message = await completeSimple(model, context, sending);
  if (JSON.stringify(context) !== before) return "the conversation was changed";
  const refusal = double.requests.find((request) => request.refusal)?.refusal;
  if (refusal) return `${refusal.rule.id} at ${refusal.at}: ${refusal.words}`;
  const [sent] = double.requests;
  if (!sent && isSent) return `not sent: ${message.errorMessage}`;
  if (!sent) return message.error?.kind === "config" ? undefined : `not sent: ${message.errorMessage}`;
  if (message.stopReason === "error") return `failed: ${message.errorMessage}`;
  const changes = message.diagnostics?.length ? [] : changesOf(vendor, { context, model, sent });
  return changes.length > 0 ? `not told: ${changes.join(", ")}` : undefined;
}

/** In the quick suite a part, another one for each vendor. */
function shareOf<TItem>(vendor: Vendor, items: readonly TItem[]): TItem[] {
  if (items.length < QUICK_SHARE) return [...items];
  const first = VENDORS.indexOf(vendor) % QUICK_SHARE;
  return isFullSuite ? [...items] : items.filter((_, index) => index % QUICK_SHARE === first);
}

const QUICK_SHARE = 10;

/** @param isSent whether a conversation must be sent, by its name. Default: it may be an error */
async function problemsOf(
  vendor: Vendor,
  contexts: Readonly<Record<string, Context>>,
  isSent: (name: string) => boolean = () => false,
): Promise<string[]> {
  const problems: string[] = [];
  for (const model of sample(modelsOf(vendor), 4))
    for (const [name, context] of shareOf(vendor, Object.entries(contexts))) {
      const problem = await problemOf(vendor, model, { context, isSent: isSent(name) }).catch(
        (error: unknown) => `threw ${error}`,
      );
      if (problem) problems.push(`${model.id}, ${name}: ${problem}`);
    }
  return problems;
}

const resultOf = (toolCallId: string, toolName: string, block: UserBlock): ToolResultMessage => ({
  role: "toolResult",
  toolCallId,
  toolName,
  content: [block],
  isError: false,
  timestamp: 1,
});

const tool = (name: string, parameters: unknown): Tool => ({
  name,
  description: "Odd",
  parameters: parameters as Tool["parameters"],
}); // As a server sends it.

test.each(VENDORS)("$name takes odd schemas", async (vendor) => {
  const contexts = Object.entries({ ...ODD_SCHEMAS, ...MCP_SCHEMAS, ...ODD_KEYWORDS }).map(
    ([name, schema]): [string, Context] => [
      name,
      { messages: [HI], tools: [tool("odd", schema), tool("plain", { type: "object", properties: {} })] },
    ],
  );
  expect(await problemsOf(vendor, Object.fromEntries(contexts))).toEqual([]);
});

test.each(VENDORS)("$name takes odd names of calls, and of tools", async (vendor) => {
  const contexts = ODD_NAMES.flatMap((name): [string, Context][] => {
    const called = createResponse({
      content: [{ type: "toolCall", id: "c1", name, arguments: { a: "\ud83d" } }],
      stopReason: "toolUse",
    });
    const messages: Context["messages"] = [HI, called, resultOf("c1", name, { type: "text", text: "\udc00" }), HI];
    return [
      [
        `call ${JSON.stringify(name.slice(0, 20))} ${name.length}`,
        { messages, tools: [tool("plain", { type: "object", properties: {} })] },
      ],
      [
        `tool ${JSON.stringify(name.slice(0, 20))} ${name.length}`,
        { messages: [HI], tools: [tool(name, { type: "object", properties: {} })] },
      ],
    ];
  });
  const all = { messages: [HI], tools: ODD_NAMES.map((name) => tool(name, { type: "object", properties: {} })) };
  expect(await problemsOf(vendor, { ...Object.fromEntries(contexts), "all tools": all })).toEqual([]);
});

test.each(VENDORS)("$name takes odd pictures and files, of users and of tools", async (vendor) => {
  const contexts = Object.entries({ ...ODD_FILES, ...MORE_FILES }).flatMap(
    ([name, { data, mimeType }]): [string, Context][] => {
      const type = String(mimeType).startsWith("image/") ? "image" : "file";
      const block = { type, data, mimeType, ...(type === "file" && { name: "a.pdf" }) } as UserBlock; // One of the two.
      const called = createResponse({
        content: [{ type: "toolCall", id: "c1", name: "a", arguments: {} }],
        stopReason: "toolUse",
      });
      const tools = [tool("a", { type: "object", properties: {} })];
      const asked: Context["messages"][number] = {
        role: "user",
        content: [{ type: "text", text: "See" }, block],
        timestamp: 1,
      };
      return [
        [`prompt: ${name}`, { messages: [asked] }],
        [
          `earlier prompt: ${name}`,
          { messages: [asked, createResponse({ content: [{ type: "text", text: "Yes" }] }), HI] },
        ],
        [`result: ${name}`, { messages: [HI, called, resultOf("c1", "a", block)], tools }],
      ];
    },
  );
  expect(await problemsOf(vendor, Object.fromEntries(contexts))).toEqual([]);
});

const half = "a\ud83d";

test.each(VENDORS)("$name takes halves of surrogate pairs anywhere", async (vendor) => {
  const called = createResponse({
    content: [
      { type: "text", text: half },
      { type: "toolCall", id: "c1", name: "a", arguments: { [half]: [half] } },
    ],
    stopReason: "toolUse",
  });
  const messages: Context["messages"] = [
    { ...HI, content: half },
    called,
    resultOf("c1", "a", { type: "text", text: half }),
  ];
  const tools = [
    {
      ...tool("a", { type: "object", properties: { [half]: { type: "string", description: half } } }),
      description: half,
    },
  ];
  expect(await problemsOf(vendor, { halves: { systemPrompt: half, messages, tools } })).toEqual([]);
});

test.each(VENDORS)("$name takes conversations that others have written", async (vendor) => {
  const isSent = (name: string): boolean =>
    !REFUSED_CONVERSATIONS.has(name) && !name.endsWith("a result at an address");
  expect(await problemsOf(vendor, ODD_CONVERSATIONS, isSent)).toEqual([]);
});

test.each(VENDORS)("$name takes conversations with gaps, repetitions and other forms", async (vendor) => {
  expect(await problemsOf(vendor, MORE_CONVERSATIONS)).toEqual([]);
});
