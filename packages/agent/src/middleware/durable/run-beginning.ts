/** The inputs of a run, stored so that another process does not silently continue it with others. */

import { findPausedResponse, isMark } from "../../pause/index.js";
import type { AgentMessage } from "../../types/message.js";
import type { StepRun } from "../../types/run-steps.js";
import { ContentHash } from "../limits/index.js";

/** The value of the first step. */
export interface BeginRecord {
  prompts: AgentMessage[];
  /** The number of messages before the prompts. */
  base: number;
  /** The records of the calls that waited, which results of the run replace. Earlier versions have none. */
  waiting?: readonly AgentMessage[];
  /** The provider and id of the model. */
  model: string;
  /** Hashes. */
  systemPrompt: string;
  prompt: string;
  /** The names of the middleware. Earlier versions did not remember them. */
  middleware?: readonly string[];
}

export function createBeginRecord(
  prompts: readonly AgentMessage[],
  { context, config: { model }, middleware }: StepRun,
): BeginRecord {
  const open = findPausedResponse(context.messages);
  const waiting = open && context.messages.filter((one) => isMark(one) && open.calls.has(one.toolCallId));
  return {
    prompts: prompts.slice(),
    base: context.messages.length,
    ...(waiting && { waiting }),
    model: `${model.provider}/${model.id}`,
    systemPrompt: hashOf(context.systemPrompt),
    // Without their times, which differ in each process.
    prompt: hashOf(JSON.stringify(prompts, (key, value: unknown) => (key === "timestamp" ? undefined : value))),
    middleware: middleware.names,
  };
}

/** Returns what has changed since the run began, as the text of an error; undefined if nothing has. */
export function findChange(began: BeginRecord, now: BeginRecord): string | undefined {
  if (began.middleware && now.middleware) {
    const change = describeList(began.middleware, now.middleware);
    if (change !== undefined) return describeMiddleware(change);
  }
  const changes: string[] = [];
  if (began.model !== now.model) changes.push(`another model (${began.model}, now ${now.model})`);
  if (began.systemPrompt !== now.systemPrompt) changes.push("another system prompt");
  if (began.prompt !== now.prompt) changes.push("another prompt");
  return changes.length > 0 ? describeChange(changes.join(" and ")) : undefined;
}

function describeList(began: readonly string[], now: readonly string[]): string | undefined {
  if (began.join("\n") === now.join("\n")) return undefined;
  const missing = began.filter((name) => !now.includes(name)).map((name) => `${name} is missing`);
  const added = now.filter((name) => !began.includes(name)).map((name) => `${name} was added`);
  const changes = [...missing, ...added];
  return changes.length > 0 ? changes.join(", ") : `its list was ${began.join(", ")} and is ${now.join(", ")}`;
}

function describeMiddleware(change: string): string {
  return (
    `The middleware has changed since the run began: ${change}. Finish the run with the list that began it, or start a new ` +
    "run from the transcript in `messages`."
  );
}

function describeChange(change: string): string {
  return (
    `The run began with ${change}. Finish it with what began it, start a new run from the transcript in \`messages\`, or ` +
    "set `detectChanges: false` if the change is meant, such as a date in the system prompt."
  );
}

/** Describes that another conversation was passed than the one with which the run began. */
export function describeBase(began: number, now: number): string {
  return (
    `The run began on a conversation of ${began} messages, and this process passed one of ${now}. Its steps hold what came ` +
    `after: pass \`messages: messages.slice(0, ${began})\` of the conversation from before the run.`
  );
}

/**
 * Whether the messages after those from before the run are messages of the run itself, as in a session log that was loaded.
 * They begin with the prompts; the process may have died before it logged them all. A run that goes on after a pause has none.
 */
export function holdsRun({ base, prompts, waiting = [] }: BeginRecord, messages: readonly AgentMessage[]): boolean {
  if (waiting.length > 0 && prompts.length === 0) return true;
  const own = messages.slice(base, base + prompts.length);
  return own.length > 0 && own.every((message, index) => JSON.stringify(message) === JSON.stringify(prompts[index]));
}

function hashOf(text: string): string {
  return new ContentHash().addText(text).take().toString(36);
}
