import { afterAll, beforeAll, expect, it } from "vitest";
import { type Change, PatchedSources } from "./patched-sources.js";

const TIMEOUT_MS = 120_000;

let sources: PatchedSources;
beforeAll(async () => {
  sources = await PatchedSources.create();
}, TIMEOUT_MS);
afterAll(() => sources[Symbol.asyncDispose]());

const MESSAGE = "ai/src/types/message.ts";

const SEAMS: [string, Change, string[]][] = [
  ["a field of a message", { file: MESSAGE, after: "  responseModel?: string;\n", insert: "  fake?: string;\n" }, []],
  ["a count of the usage", { file: MESSAGE, after: "  reasoning?: number;\n", insert: "  fake?: number;\n" }, []],
  ["a part of the cost", { file: MESSAGE, after: "  /** The sum of the other four. */\n", insert: "  fake?: number;\n" }, []],
  ["a fact of a failure", { file: MESSAGE, after: "  attempts?: number;\n", insert: "  fake?: number;\n" }, []],
  ["a field of a text block", { file: MESSAGE, after: "  textSignature?: string;\n", insert: "  fake?: string;\n" }, []],
  ["a field of a tool call", { file: MESSAGE, after: "  thoughtSignature?: string;\n", insert: "  fake?: string;\n" }, []],
  ["a type of block in assistant messages", { file: MESSAGE, after: "export type AssistantBlock =", insert: ' | { type: "fake"; fake: string } | ' }, []],
  ["a type of block in user messages", { file: MESSAGE, after: "export type UserBlock =", insert: ' | { type: "fake"; fake: string } | ' }, []],
  ["a common option", { file: "ai/src/types/options.ts", after: "  cacheRetention?: CacheRetention;\n", insert: "  fake?: string;\n" }, []],
  ["a field of a tool", { file: "ai/src/types/context.ts", after: "  parameters: TParameters;\n", insert: "  fake?: string;\n" }, []],
  ["an event of a response", { file: "ai/src/types/event.ts", after: "export type AssistantMessageEvent =\n", insert: '  | { type: "fake"; contentIndex: number; partial: AssistantMessage }\n' }, []],
  ["an event of a run", { file: "agent/src/types/event.ts", after: "export type AgentEvent =\n", insert: '  | { type: "fake" }\n' }, []],
  ["a hook of a run", { file: "agent/src/types/config.ts", after: "export interface AgentLoopHooks {\n", insert: "  fake?: () => void;\n" }, []],
  ["a limit of a run", { file: "agent/src/types/config.ts", after: "export interface AgentLimits {\n", insert: "  fake?: number;\n" }, []],
  ["a thinking format", { file: "ai/src/types/compat.ts", after: "export type ThinkingFormat =\n", insert: '  | "fake"\n' }, []],
];

it.each(SEAMS)("names every place that %s concerns", async (_what, change, places) => {
  expect(await sources.brokenBy(change)).toEqual(places);
}, TIMEOUT_MS);
