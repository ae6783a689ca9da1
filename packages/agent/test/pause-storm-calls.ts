/** The calls of a conversation whose processes died: what the model was told of each, and what its tool has done. */
import type { AgentMessage } from "pi-agent";
import type { ToolResultMessage } from "pi-ai";
import type { LedgerLine } from "./pause-storm-facts.js";

/** What the model was told of a call; `none` for the call of an agent that a tool runs, whose conversation is its own. */
type Outcome = "done" | "declined" | "cut off" | "unknown" | "none" | "other";

export interface StormCall {
  n: number;
  name: string;
  outcome: Outcome;
  text: string;
  /** How often its effect began, and how often it ended. */
  begun: number;
  ended: number;
}

/** The tools that run with an approval or an answer only. */
const ASKED: ReadonlySet<string> = new Set(["pay", "fetch", "ask", "a nested tool"]);

/** Whether the ledger may say this of a call with an outcome. */
const IS_RIGHT: Readonly<Record<Outcome, (call: StormCall) => boolean>> = {
  // The agent that `run` runs has calls of its own. What is safe to repeat may have run in a process that died, too.
  done: ({ name, begun, ended }) => name === "run" || (name === "fetch" ? ended >= 1 : begun === 1 && ended === 1),
  declined: ({ begun }) => begun === 0,
  // Its process died before the session knew that it waits, so nobody has approved it.
  "cut off": ({ name, begun }) => (ASKED.has(name) ? begun === 0 : begun <= 1),
  // What is safe to repeat is repeated instead.
  unknown: ({ name, begun }) => name !== "fetch" && begun <= 1,
  none: ({ begun }) => begun <= 1,
  other: () => false,
};

export function findCallFaults(call: StormCall, isApproved: boolean): string[] {
  const { n, name, outcome, text, begun } = call;
  const faults: string[] = [];
  if (!IS_RIGHT[outcome](call))
    faults.push(`the call ${n} of ${name} began ${begun} times, and its result is: ${text}`);
  if (begun > 0 && ASKED.has(name) && !isApproved) faults.push(`the call ${n} of ${name} ran, and was declined`);
  return faults;
}

export function readCalls(messages: readonly AgentMessage[], ledger: readonly LedgerLine[]): StormCall[] {
  const count = (kind: "begin" | "end", n: number): number =>
    ledger.filter((line) => line.kind === kind && line.n === n).length;
  const toCall = (call: Pick<StormCall, "n" | "name" | "outcome" | "text">): StormCall => ({
    ...call,
    begun: count("begin", call.n),
    ended: count("end", call.n),
  });
  const own = resultsOf(messages).map(({ n, name, text }) => toCall({ n, name, outcome: outcomeOf(name, text), text }));
  const known = new Set(own.map(({ n }) => n));
  const begun = new Set(ledger.flatMap((line) => (line.kind === "begin" ? [line.n] : [])));
  const nested = [...begun].filter((n) => !known.has(n));
  return [...own, ...nested.map((n) => toCall({ n, name: "a nested tool", outcome: "none", text: "" }))];
}

function outcomeOf(name: string, text: string): Outcome {
  if (text === `${name} is done` || (name === "run" && text === "Done.")) return "done";
  if (text.includes(" was declined")) return "declined";
  if (text === "The process ended before this tool call had a result") return "cut off";
  const unknown = `The process ended while ${name} was about to run or running. It may have run`;
  return text.startsWith(unknown) ? "unknown" : "other";
}

/** The results of the conversation's own calls, with the arguments of the calls. Ids may repeat in later responses. */
function resultsOf(messages: readonly AgentMessage[]): { name: string; n: number; text: string }[] {
  const numbers = new Map<string, number>();
  return messages.flatMap((message) => {
    if (message.role === "assistant")
      for (const block of message.content) if (block.type === "toolCall") numbers.set(block.id, block.arguments["n"]);
    if (message.role !== "toolResult" || "pause" in message) return [];
    return [{ name: message.toolName, n: numbers.get(message.toolCallId) ?? -1, text: textOf(message) }];
  });
}

function textOf({ content: [block] }: ToolResultMessage): string {
  return block?.type === "text" ? block.text : "";
}
