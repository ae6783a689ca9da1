/** Rules of several hosts with the wire format of Chat Completions. */
import * as find from "../../find.js";
import { type Fields, fieldsOf, listOf, type RequestView } from "../../request-view.js";
import type { Finding, Rule } from "../../rule.js";
import { CHAT_FORM } from "../openai/form.js";

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
export const ask = { role: "user", content: "Hi" };
export const schema = (parameters: object): Fields => CHAT_FORM.tools({ parameters });

/** Where a host's own refusal was reported: the thread and its date. */
export type Reports = Readonly<Partial<Record<string, readonly [source: string, date: string]>>>;

/**
 * Rules that every server of this wire format has: it cannot read the request, or cannot join calls and results.
 *
 * @param reports of this host, by the subject of the rule. Default: those of others
 */
export function commonRules(vendor: string, reports: Reports = {}): Rule[] {
  return rulesOf(vendor).map((rule) => {
    const [source, date] = reports[rule.id.slice(vendor.length + 1)] ?? [rule.source, rule.date];
    return { ...rule, source, date };
  });
}

/** Earlier thinking in a field that the host does not know. */
export function foreignReasoning({ body }: RequestView): Finding | undefined {
  const turn = listOf(body["messages"]).findIndex((message) => message["reasoning_content"] !== undefined);
  return turn < 0 ? undefined : { at: `messages.${turn}`, turn, name: "reasoning_content" };
}

/** Calls in a message whose content is `null`. */
export function callsWithoutContent({ body }: RequestView): Finding | undefined {
  const turn = listOf(body["messages"]).findIndex(
    ({ content, tool_calls: calls }) => content === null && listOf(calls).length > 0,
  );
  return turn < 0 ? undefined : { at: `messages.${turn}`, turn };
}

/** A choice of tools that is not one of these. */
export function otherChoice(...taken: readonly string[]): (request: RequestView) => Finding | undefined {
  return ({ body }) => {
    const choice = body["tool_choice"];
    const isTaken = choice === undefined || (typeof choice === "string" && taken.includes(choice));
    return isTaken ? undefined : { at: "tool_choice", value: JSON.stringify(choice) };
  };
}

export function thinkingIs(type: string): (request: RequestView) => boolean {
  return ({ body }) => fieldsOf(body["thinking"])["type"] === type;
}

function rulesOf(vendor: string): Rule[] {
  return [
    {
      id: `${vendor}/half-pair`,
      refuses: "half of a surrogate pair anywhere in the body",
      find: find.halfPair,
      says: "Failed to parse the request body as JSON: unexpected end of hex escape",
      source: "elizaOS/eliza#18079",
      date: "2026-08",
      certainty: "reported",
      example: CHAT_FORM.say({ type: "text", text: "a\ud83d" }),
    },
    {
      id: `${vendor}/no-messages`,
      refuses: "a request without messages",
      find: find.noTurns,
      says: "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      source: "openai/openai-openapi, openapi.yaml",
      date: "2026-11",
      certainty: "documented",
      example: { messages: [] },
    },
    {
      id: `${vendor}/unanswered-call`,
      refuses: "a call without a tool message after it",
      find: find.unansweredCall("following"),
      says: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)",
      source: "smallmain/vscode-unify-chat-provider#248",
      date: "2026-07",
      certainty: "reported",
      example: CHAT_FORM.called([{}], []),
    },
    {
      id: `${vendor}/orphan-result`,
      refuses: "a tool message that no call comes before",
      find: find.orphanResult("before"),
      says: "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
      source: "qwersyk/Newelle#425",
      date: "2026-08",
      certainty: "reported",
      example: { messages: [ask, { role: "tool", tool_call_id: "a1", content: "x" }] },
    },
  ];
}

export function nameRules(vendor: string, source: string, date: string): Rule[] {
  const words =
    "Invalid '{at}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
  return [
    {
      id: `${vendor}/tool-name`,
      refuses: "a tool whose name is not 1 to 64 letters, digits, `_` and `-`",
      find: find.toolName(NAME),
      says: words,
      source,
      date,
      certainty: "reported",
      example: CHAT_FORM.tools({ name: "a.b" }),
    },
    {
      id: `${vendor}/call-name`,
      refuses: "a call in the history whose name is not 1 to 64 letters, digits, `_` and `-`",
      find: find.callName(NAME),
      says: words,
      source,
      date,
      certainty: "reported",
      example: CHAT_FORM.called([{ name: "$lookup" }], ["a1"]),
    },
  ];
}
