/** An option that does not exist is refused where it is written: it would be ignored without a word. */
import type { StreamFn } from "pi-ai";
import { getModel } from "pi-ai";
import { watchCache } from "pi-ai/cache";
import { withCachedContent } from "pi-ai/cached-content";
import { findLocalServers, listModels } from "pi-ai/list-models";
import { traceStream } from "pi-ai/otel";
import { createProxyHandler, toNodeListener } from "pi-ai/proxy-server";
import { route } from "pi-ai/route";
import { fileSearchTool, mcpServerTool, toolSearchTool, webSearchTool } from "pi-ai/server-tools";
import { createScriptedStreamFn, fauxAssistantMessage, record, registerFauxProvider, replay } from "pi-ai/testing";
import { expect, test } from "vitest";

const streamFn: StreamFn = createScriptedStreamFn(["a"]);
const model = getModel("anthropic", "claude-sonnet-5-5");
const api = { trace: { getTracer: () => ({}) }, metrics: { getMeter: () => ({}) } };
const handler = { authorize: "t".repeat(32), allowModels: ["anthropic/claude-sonnet-5-5"] };

/** Calls a function with options as plain JavaScript may write them. */
type Call = (options: never) => unknown;

test.each<[place: string, wrong: object, right: string, call: Call]>([
  ["listModels", { timeoutms: 5 }, "timeoutMs", (options) => listModels({ baseUrl: "http://127.0.0.1:9" }, options)],
  ["findLocalServers", { port: [1] }, "ports", (options) => findLocalServers(options)],
  ["watchCache", { onbreak: () => {} }, "onBreak", (options) => watchCache(streamFn, options)],
  [
    "withCachedContent",
    { onMis: () => {} },
    "onMiss",
    (options) => withCachedContent(streamFn, () => undefined, options),
  ],
  [
    "trace",
    { redcat: (text: string) => text },
    "redact",
    (options) => traceStream(streamFn, Object.assign({ api }, options)),
  ],
  [
    "toNodeListener",
    { onerror: () => {} },
    "onError",
    (options) => toNodeListener(async () => new Response(), options),
  ],
  ["createProxyHandler", { ...handler, onUsag: () => {} }, "onUsage", (options) => createProxyHandler(options)],
  ["route", { maxQueu: 1 }, "maxQueue", (options) => route([model], options)],
  ["webSearchTool", { allowedDomain: ["a.test"] }, "allowedDomains", (options) => webSearchTool(options)],
  ["fileSearchTool", { storeIds: ["a"], maxResult: 1 }, "maxResults", (options) => fileSearchTool(options)],
  [
    "mcpServerTool",
    { name: "a", url: "https://a.test", allowedTool: ["a"] },
    "allowedTools",
    (options) => mcpServerTool(options),
  ],
  ["toolSearchTool", { variants: "bm25" }, "variant", (options) => toolSearchTool(options)],
  ["record", { onLine: () => {}, secret: ["a"] }, "secrets", (options) => record(options)],
  ["replay", { strikt: true }, "strict", (options) => replay("", options)],
  ["registerFauxProvider", { tokenPerSecond: 5 }, "tokensPerSecond", (options) => registerFauxProvider(options)],
])("%s refuses %j, and names %s", async (place, wrong, right, call) => {
  const refused = async (options: object): Promise<string> => {
    try {
      await call(options as never); // As plain JavaScript may write it.
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  };
  const misspelt = Object.keys(wrong).at(-1);
  expect(await refused(wrong)).toBe(`${place}: unknown option "${misspelt}". Did you mean "${right}"?`);
  expect(await refused({ ...wrong, unheardOf: 1, [String(misspelt)]: undefined })).toContain("unknown option");
});

test("fauxAssistantMessage names the nearest option", () => {
  expect(() => fauxAssistantMessage("x", { stopReasn: "stop" } as never)).toThrow('did you mean "stopReason"?');
});
