/** The outcomes of tool calls: of those that ran, failed, were refused or aborted. Results of tools are as untrusted as models. */
import type { UserBlock } from "pi-ai";
import { DEFAULT_MAX_JSON_DEPTH, describeThrown, isDeeperThan, readCode } from "pi-ai/call";
import { WAITING_TEXT } from "../pause/index.js";
import type { AgentToolCall } from "../types/message.js";
import { TOOL_ERROR_BLOCKS, TOOL_ERROR_DETAILS } from "../types/parent-run.js";
import type { AgentToolCallOutcome, AgentToolResult } from "../types/tool.js";
import type { AfterToolCallResult, BeforeToolCallResult } from "../types/tool-call-hooks.js";
import type { AbortGate } from "./abort-gate.js";

const ABORTED_TEXT = "Operation aborted";
const BLOCKED_TEXT = "Tool execution was blocked";

/** For a call that must not run. */
export function createErrorOutcome(toolCall: AgentToolCall, text: string, details: object = {}): AgentToolCallOutcome {
  return { toolCall, result: { ...createTextResult(text), details }, isError: true };
}

/** For a call of a server tool that the application does not handle. */
export function describeMissingHandler(name: string): string {
  return `Server tool ${name} was not run: the application has no handler for it in serverToolHandlers`;
}

/** For a call whose arguments are incomplete. */
export function describeArgumentsError(toolCall: AgentToolCall, truncated: boolean): string {
  const cause = truncated ? " The response reached its output limit." : "";
  return (
    `Tool ${toolCall.name} was not run: its arguments are not one complete JSON object (${toolCall.argumentsError}).` +
    `${cause} Send the call again with complete arguments.`
  );
}

/** For a call of a response that was cut off by its output limit. */
export function describeTruncation(toolCall: AgentToolCall): string {
  return (
    `Tool ${toolCall.name} was not run: the response reached its output limit, so the call may be incomplete. ` +
    "Send the call again."
  );
}

/** For a call that waits for answers. */
export function createWaitingOutcome(
  toolCall: AgentToolCall,
  pause: NonNullable<AgentToolCallOutcome["pause"]>,
  details: unknown = {},
): AgentToolCallOutcome {
  return { toolCall, result: { ...createTextResult(WAITING_TEXT), details }, isError: false, pause };
}

/** For a call that was aborted. */
export function createAbortedOutcome(toolCall: AgentToolCall): AgentToolCallOutcome {
  return createErrorOutcome(toolCall, ABORTED_TEXT);
}

/** For a call whose tool or hook threw. */
export function createFailedOutcome(
  toolCall: AgentToolCall,
  error: unknown,
  run: { readonly gate: AbortGate; secrets(): readonly string[] },
): AgentToolCallOutcome {
  if (run.gate.aborted) return createAbortedOutcome(toolCall);
  const result = createTextResult(describeThrown(error, run.secrets()));
  const code = readCode(error);
  if (code !== undefined) result.details = { code };
  if (error instanceof Error) {
    if (TOOL_ERROR_DETAILS in error) result.details = error[TOOL_ERROR_DETAILS];
    if (TOOL_ERROR_BLOCKS in error && isContent(error[TOOL_ERROR_BLOCKS]))
      result.content.push(...error[TOOL_ERROR_BLOCKS]);
  }
  return { toolCall, result, isError: true };
}

/** For a call that a hook blocked; undefined if it may run. */
export function createBlockedOutcome(toolCall: AgentToolCall, verdict: unknown): AgentToolCallOutcome | undefined {
  return isBlocked(verdict) ? createErrorOutcome(toolCall, blockReason(verdict)) : undefined;
}

/** Any truthy value blocks, because a hook that guards something must not fail open. */
function isBlocked(verdict: unknown): verdict is BeforeToolCallResult {
  return typeof verdict === "object" && verdict !== null && "block" in verdict && Boolean(verdict.block);
}

function blockReason(verdict: BeforeToolCallResult): string {
  return typeof verdict.reason === "string" && verdict.reason !== "" ? verdict.reason : BLOCKED_TEXT;
}

/**
 * The outcome with the fields that `afterToolCall` returned. A hook that returns no object changes nothing.
 *
 * @throws Error when the hook's content is not an array of blocks
 */
export function applyAfterHook(outcome: AgentToolCallOutcome, response: unknown): AgentToolCallOutcome {
  if (typeof response !== "object" || response === null) return outcome;
  // Each field is optional and checked below where a wrong one could do harm.
  const change: AfterToolCallResult = response;
  const { result } = outcome;
  const content = change.content ?? result.content;
  if (!isContent(content)) throw new Error("afterToolCall must return content as an array of text and image blocks");
  const terminate = change.terminate ?? result.terminate;
  const output = change.output ?? result.output;
  return {
    ...outcome,
    result: {
      content: content === result.content ? content : copyContent(content),
      details: change.details ?? result.details,
      ...(terminate === undefined ? {} : { terminate }),
      ...(output === undefined ? {} : { output }),
    },
    isError: change.isError ?? outcome.isError,
  };
}

/** The text fields that each type of block must have. A record, so that a new type fails to compile here. */
const REQUIRED_TEXTS: {
  readonly [TType in UserBlock["type"]]: readonly (keyof Extract<UserBlock, { type: TType }>)[];
} = { text: ["text"], image: ["data", "mimeType"], file: ["mimeType"] };
const TEXT_FIELDS: ReadonlyMap<unknown, readonly string[]> = new Map(Object.entries(REQUIRED_TEXTS));

const NO_RESULT = "The tool returned nothing";

/**
 * What a tool returned, in the full form. A result and a list of blocks are copied two levels deep, so that a tool that changes
 * its content later does not change the transcript; `details` belong to the host and stay the same object. A string is the
 * text, any other JSON value its JSON, with the value itself in `details`.
 *
 * @throws Error that names the tool when the value is neither a result nor JSON
 */
export function toToolResult(toolName: string, value: unknown): AgentToolResult {
  if (value === undefined) return createTextResult(NO_RESULT);
  if (typeof value === "string") return createTextResult(value);
  if (isContent(value) && value.length > 0) return { content: copyContent(value), details: {} };
  if (typeof value === "object" && value !== null && "content" in value) {
    // The copy reads each field once, so a getter that later throws or returns another value does no harm.
    const { content, ...rest } = { ...value };
    // `details` may be anything, and may be missing.
    if (isContent(content)) return { ...rest, content: copyContent(content) } as AgentToolResult;
  }
  return { ...createTextResult(toJson(toolName, value)), details: value };
}

/** @throws Error that names the tool when a hook around it did not return a result in its full form */
export function checkHookResult(toolName: string, value: unknown): AgentToolResult {
  if (typeof value !== "object" || value === null)
    throw notAResult(toolName, `it returned ${value === null ? "null" : typeof value}`);
  if (!("content" in value && isContent(value.content)))
    throw notAResult(toolName, "`content` must be an array of text and image blocks");
  return toToolResult(toolName, value);
}

function notAResult(toolName: string, problem: string): Error {
  return new Error(`Tool ${toolName} did not return a result: ${problem}`);
}

/** All error results have this form, too. */
function createTextResult(text: string): AgentToolResult {
  return { content: [{ type: "text", text }], details: {} };
}

/** @throws Error that names the tool when JSON cannot hold the value, such as a function, a cycle or a bigint */
function toJson(toolName: string, value: unknown): string {
  const reject = (problem: string): never => {
    warnOnce(toolName, problem);
    throw notAResult(toolName, `it returned ${problem}`);
  };
  if (typeof value === "object" && value !== null && isDeeperThan(value, DEFAULT_MAX_JSON_DEPTH))
    return reject("a value that contains itself or is nested too deep");
  // JSON leaves functions and symbols out, and writes NaN as null.
  const json = JSON.stringify(value, (_name, part: unknown) => {
    if (part === undefined || !isLost(part)) return part;
    return reject(typeof part === "number" ? String(part) : `a value with a ${typeof part}`);
  });
  return json ?? reject(typeof value);
}

function isLost(part: unknown): boolean {
  if (typeof part === "number") return !Number.isFinite(part);
  return typeof part === "function" || typeof part === "symbol" || typeof part === "bigint";
}

function copyContent(content: AgentToolResult["content"]): AgentToolResult["content"] {
  return content.map((block) => ({ ...block }));
}

function isContent(value: unknown): value is UserBlock[] {
  return Array.isArray(value) && value.every(isBlock);
}

function isBlock(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("type" in value)) return false;
  const names = TEXT_FIELDS.get(value.type);
  return names?.every((name) => typeof Reflect.get(value, name) === "string") ?? false;
}

/** Tools whose developer was warned. Bounded, because an application can create tools without end. */
const warned = new Set<string>();
const MAX_WARNED = 100;

/** The model learns of the mistake each time, but only a developer can mend it. */
function warnOnce(toolName: string, problem: string): void {
  if (warned.has(toolName) || warned.size >= MAX_WARNED) return;
  warned.add(toolName);
  // biome-ignore lint/suspicious/noConsole: a mistake in the application's code, which nothing else shows.
  console.warn(
    `Tool ${toolName} returned ${problem}, which JSON cannot hold. Return a string, a JSON value or { content }.`,
  );
}
