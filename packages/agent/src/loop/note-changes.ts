/** Notes in the transcript how the prompt, the tools and the level differ from what the model was told before. */
import type { SystemMessage } from "pi-ai";
import {
  type Beginning,
  changesSince,
  declareTools,
  isNote,
  NOTE_ORIGIN,
  PromptReplay,
  replaySystemMessages,
} from "pi-ai/call";
import type { AgentContext } from "../types/agent-context.js";
import type { AgentMessage } from "../types/message.js";
import type { AnyAgentTool } from "../types/tool.js";
import type { AgentRun } from "./agent-run.js";

/** The last request, and how to see that the next one says the same. */
interface Told {
  beginning: Beginning;
  /** The first message of its conversation: another one was told nothing. */
  first: AgentMessage | undefined;
  /** How many messages it had. */
  length: number;
  /** The values of which it was made. If they are the same, nothing has changed. */
  from: readonly unknown[];
}

/** By the agent, else by the run. */
const told = new WeakMap<object, Told>();

/**
 * Adds a note if something has changed since the last request: of this agent, or of the one that wrote the last note.
 *
 * @param tools those that the next request offers
 * @param remembered what an earlier process has added before this request, if it sent it
 * @returns the note
 */
export async function noteChanges(
  run: AgentRun,
  tools: AgentContext["tools"],
  remembered?: { note: AgentMessage | undefined },
): Promise<AgentMessage | undefined> {
  const due = updateTold(run, tools ?? []);
  const note = remembered ? remembered.note : due;
  if (note) await run.transcript.deliver(note);
  return note;
}

/** Keeps what the next request tells the model. Returns the note that is due, because something differs from the last one. */
function updateTold(run: AgentRun, tools: readonly AnyAgentTool[]): SystemMessage | undefined {
  if (run.gate.aborted) return undefined;
  const { messages, systemPrompt } = run.transcript.context;
  const key = run.options.owner ?? run;
  const level = run.settings.streamOptions.reasoning ?? "off";
  const earlier = told.get(key);
  const first = messages[0];
  const length = messages.length;
  const from = [run, systemPrompt, level, ...tools];
  if (earlier && earlier.first === first && isSame(from, earlier.from) && !hasChangedPrompt(messages, earlier.length)) {
    earlier.length = length;
    return undefined;
  }
  const prompt = run.transcript.defaultConversion?.promptOf(systemPrompt, messages) ?? systemPrompt;
  const beginning = new PromptReplay(prompt, tools, level).now();
  const notes = messages.filter(isNote);
  // Without the first of them, which has a base, they say nothing.
  const isBased = notes.some(({ base }) => base);
  const known = isBased ? replaySystemMessages(notes).now() : earlier && earlier.first === first && earlier.beginning;
  const roles = messages.filter((message) => !isNote(message)).map(({ role }): string => role);
  // Before the first response nothing is cached.
  const isDue = known && roles.includes("assistant");
  // A paused response is continued as it is. The next request after it says what has changed.
  if (isDue && roles.at(-1) === "assistant") return undefined;
  told.set(key, { beginning, first, length, from });
  if (!isDue) return undefined;
  const changes = changesSince(known, beginning);
  return (
    changes && {
      role: "system",
      content: "",
      ...(!isBased && { base: toBase(known) }),
      ...changes,
      timestamp: run.now(),
      origin: NOTE_ORIGIN,
    }
  );
}

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((part, index) => part === other[index]);
}

/** Whether messages since the last request have changed the prompt: a system message was added, or messages were removed. */
function hasChangedPrompt(messages: readonly AgentMessage[], from: number): boolean {
  for (let index = from; index < messages.length; index++) {
    const role: unknown = messages[index]?.role;
    if (role === "system" || role === "developer") return true;
  }
  return messages.length < from;
}

function toBase({ systemPrompt, tools, level }: Beginning): NonNullable<SystemMessage["base"]> {
  return { systemPrompt, tools: declareTools(tools.values()), ...(level !== undefined && { thinkingLevel: level }) };
}
