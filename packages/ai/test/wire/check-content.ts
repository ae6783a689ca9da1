/** Rules "text", "thinking" and "tools": exactly the content of the recording. */
import { isDeepStrictEqual } from "node:util";
import type { AssistantMessage, ToolCall } from "pi-ai";
import type { Allowed, AllowedCall } from "./allowed.js";
import { type Case, isRecord, show, showDifference } from "./judgement.js";

export function checkText({ seen, allowed }: Case): string | undefined {
  const { texts = [], refusal } = allowed ?? {};
  const text = contentOf(seen.message)
    .map((block) => (block.type === "text" ? block.text : ""))
    .join("");
  if (texts.includes(text)) return undefined;
  if (refusal === undefined) return showDifference(text, texts[0] ?? "");
  if (seen.message?.errorMessage?.includes(refusal)) return undefined;
  return `the refusal ${show(refusal)} is lost, the text is ${show(text)}`;
}

export function checkThinking({ seen, allowed }: Case): string | undefined {
  const { thinkings = [] } = allowed ?? {};
  const thinking = contentOf(seen.message)
    .map((block) => (block.type === "thinking" && !block.redacted ? block.thinking : ""))
    .join("");
  return thinkings.includes(thinking) ? undefined : showDifference(thinking, thinkings[0] ?? "");
}

export function checkTools({ seen, allowed }: Case): string | undefined {
  if (!allowed) return undefined;
  const calls = contentOf(seen.message).filter((block) => block.type === "toolCall");
  const rest = [...calls];
  const isCutShort = seen.message?.stopReason === "length" || seen.message?.stopReason === "error";
  for (const wanted of allowed.calls) {
    const call = rest[0];
    const isSame = call?.name === wanted.name && hasId(call, wanted, allowed);
    if (isSame) rest.shift();
    // Arguments that are not JSON may be left out or marked.
    else if (wanted.isJson) return `wanted the call ${show(wanted)}, got ${show(call)} (of ${calls.length})`;
    const problem = isSame && checkArguments(call, wanted, isCutShort);
    if (problem) return `call ${show(wanted.name)}: ${problem}`;
  }
  if (rest.length > 0) return `unexpected calls: ${show(rest)}`;
  return checkIds(calls);
}

function checkArguments(call: ToolCall, wanted: AllowedCall, isCutShort: boolean): string | undefined {
  const { arguments: args, argumentsError } = call;
  if (!wanted.isJson) {
    return argumentsError || isCutShort
      ? undefined
      : `arguments ${show(args)} from broken ${show(wanted.raw)}, unmarked`;
  }
  if (isRecord(wanted.arguments)) {
    if (argumentsError) return `good arguments are marked: ${argumentsError}`;
    return isDeepStrictEqual(args, wanted.arguments)
      ? undefined
      : `arguments ${show(args)}, wanted ${show(wanted.arguments)}`;
  }
  const isEmptyForNull = wanted.arguments === null && isDeepStrictEqual(args, {});
  return argumentsError || isEmptyForNull ? undefined : `arguments ${show(args)} from ${show(wanted.raw)}, unmarked`;
}

function hasId(call: ToolCall, wanted: AllowedCall, allowed: Allowed): boolean {
  if (wanted.id === undefined || call.id === wanted.id) return true;
  return allowed.idsMayHaveItem && call.id.startsWith(`${wanted.id}|`);
}

function checkIds(calls: readonly ToolCall[]): string | undefined {
  const ids = calls.map((call) => call.id);
  const areGood = ids.every((id) => typeof id === "string" && id !== "") && new Set(ids).size === ids.length;
  return areGood ? undefined : `ids are empty or not unique: ${show(ids)}`;
}

function contentOf(message: AssistantMessage | undefined): AssistantMessage["content"] {
  return message?.content ?? [];
}
