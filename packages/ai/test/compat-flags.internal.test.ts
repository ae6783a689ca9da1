/** Every compatibility flag changes the request or how the response is read. A flag without a case is a type error. */

import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { readApiRows } from "../scripts/api-rows.js";
import { OUTPUT_ROWS, resolveOutputRules } from "../src/catalogue/compat/output-rules.js";
import { alternatesRoles } from "../src/catalogue/compat/server-traits.js";
import type { ApiAdapter, VendorAdapter } from "../src/driver/api-adapter.js";
import { AssistantMessageBuilder } from "../src/message/assistant-message-builder.js";
import { COUNT_ENDPOINTS } from "../src/tokens/count-endpoints.js";
import type { Message } from "../src/types/message.js";
import type { KnownApi, Model } from "../src/types/model.js";
import type { SimpleStreamOptions } from "../src/types/options.js";
import { DONE } from "../src/wire/body-decoder.js";
import { TOOLS } from "./handoff/check-handoff.internal.js";
import { IMAGE, user } from "./handoff/conversations.js";
import { createResponse } from "./messages.js";
import { adapterOf } from "./protocols/adapters.internal.js";
import { API_TESTS, testsOf } from "./protocols/all-apis.js";

describe.each(API_TESTS.flatMap(({ api, flags }) => (flags ? [{ api, adapter: adapterOf(api), flags }] : [])))(
  "$api",
  ({ adapter, flags }) => {
    test.each(Object.entries(flags))("%s makes a difference", (flag, { values, beside }) => {
      const [one, other] = values.map((value) => observe(adapter, { ...beside, [flag]: value }));
      expect(one).not.toEqual(other);
    });
  },
);

test("the flags of every api have cases", () => {
  const rows = readApiRows(fileURLToPath(new URL("..", import.meta.url)));
  const tested = new Set(rows.filter(({ api }) => testsOf(api).flags).map(({ compat }) => compat));
  expect(rows.filter(({ compat }) => compat !== undefined && !tested.has(compat))).toEqual([]);
});

test.each(API_TESTS)("the output of $api is planned by the rows of its adapter", ({ api }) => {
  const adapter: VendorAdapter = adapterOf(api);
  expect(OUTPUT_ROWS.get(api)).toBe(adapter.outputRows);
});

/** Everything that a flag can change: requests in several ways, a response without a finish reason, the output mode, the order of roles, and counting. */
function observe(adapter: ApiAdapter, compat: object): unknown {
  const model: Model = {
    id: "model-1",
    name: "Model",
    api: adapter.api,
    provider: "other-provider",
    baseUrl: "https://api.test/v1",
    reasoning: true,
    input: ["text", "image"],
    cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
    contextWindow: 100_000,
    maxTokens: 10_000,
    compat,
  };
  const requests = WAYS.map(({ tools, options }) => {
    const context = { systemPrompt: "You help.", messages: conversation(model), tools };
    const native = adapter.simpleOptions(model, options);
    const { headers, body } = adapter.buildRequest({
      model,
      context,
      options: native,
      apiKey: "key",
      keyIsBearer: false,
    });
    return JSON.stringify([headers, body]);
  });
  const counts = COUNT_ENDPOINTS[adapter.api as KnownApi]?.map(({ isOffered }) => isOffered?.(model));
  return [...requests, readUnfinished(adapter, model), resolveOutputRules(model), alternatesRoles(model), counts];
}

const WAYS: readonly { tools: typeof TOOLS; options: SimpleStreamOptions }[] = [
  { tools: TOOLS, options: { reasoning: "high", sessionId: "s", maxTokens: 9000, thinkingBudgets: { high: 5000 } } },
  { tools: TOOLS.map((tool) => ({ ...tool, once: true })), options: {} },
  { tools: [], options: { temperature: 1, sessionId: "s", cacheRetention: "long" } },
];

function conversation({ api, provider, id: model }: Model): Message[] {
  const maker = { api, provider, model };
  const call = { type: "toolCall", id: "call12345", name: "read", arguments: {} } as const;
  const result = { toolCallId: call.id, toolName: call.name, content: [IMAGE], isError: false, timestamp: 0 };
  return [
    user("Hi"),
    createResponse({
      ...maker,
      content: [
        { type: "thinking", thinking: "Hm." },
        { type: "text", text: "Ha." },
      ],
    }),
    user("Longer"),
    createResponse({
      ...maker,
      content: [{ type: "thinking", thinking: "Hm.", thinkingSignature: "reasoning_content" }],
      stopReason: "length",
    }),
    user("Go"),
    createResponse({ ...maker, content: [call], stopReason: "toolUse" }),
    { ...result, role: "toolResult", content: [{ type: "text", text: "a" }] },
    user("And?"),
  ];
}

function readUnfinished(adapter: ApiAdapter, model: Model): unknown {
  const request = { model, context: { messages: [] }, options: {}, apiKey: "key", keyIsBearer: false };
  const mapping = adapter.createMapping(request, { baseUrl: "", path: "", headers: {}, body: {} });
  const builder = new AssistantMessageBuilder({ model, emit: () => {}, timestamp: 0 });
  for (const event of [{ choices: [{ index: 0, delta: { content: "Hi" } }] }, DONE]) mapping(event, builder);
  if (!builder.stopped) return "unfinished";
  return builder.finish().diagnostics?.map(({ type }) => type);
}
