/** What a run began with, so that another process does not silently continue it with something else. */
import { ContentHash } from "../limits/content-hash.js";
import type { AgentMessage } from "../types/message.js";
import type { RunBeginning } from "../types/run-steps.js";

/** The value of the first step. */
export interface BeginRecord {
  prompts: AgentMessage[];
  /** The number of messages before the prompts. */
  base: number;
  /** The provider and id of the model. */
  model: string;
  /** Hashes. */
  systemPrompt: string;
  prompt: string;
}

export function createBeginRecord(
  prompts: readonly AgentMessage[],
  { transcript, model, systemPrompt }: RunBeginning,
): BeginRecord {
  return {
    prompts: prompts.slice(),
    base: transcript().length,
    model: `${model.provider}/${model.id}`,
    systemPrompt: hashOf(systemPrompt),
    // Without their times, which differ in each process.
    prompt: hashOf(JSON.stringify(prompts, (key, value: unknown) => (key === "timestamp" ? undefined : value))),
  };
}

/** Returns what has changed since the run began, as a part of a sentence; undefined if nothing has. */
export function findChange(began: BeginRecord, now: BeginRecord): string | undefined {
  const changes: string[] = [];
  if (began.model !== now.model) changes.push(`another model (${began.model}, now ${now.model})`);
  if (began.systemPrompt !== now.systemPrompt) changes.push("another system prompt");
  if (began.prompt !== now.prompt) changes.push("another prompt");
  return changes.length > 0 ? changes.join(" and ") : undefined;
}

/**
 * Whether the messages after those from before the run are messages of the run itself, as in a session log that was loaded.
 * They begin with the prompts; the process may have died before it logged them all.
 */
export function holdsRun({ base, prompts }: BeginRecord, messages: readonly AgentMessage[]): boolean {
  const own = messages.slice(base, base + prompts.length);
  return own.length > 0 && own.every((message, index) => JSON.stringify(message) === JSON.stringify(prompts[index]));
}

function hashOf(text: string): string {
  return new ContentHash().addText(text).take().toString(36);
}
