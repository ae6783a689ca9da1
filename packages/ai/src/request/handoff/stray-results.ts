/** Tells of results that no call of the conversation takes: the requests of all apis leave them out. */
import { cutText } from "../../errors.js";
import type { RequestNote } from "../../transport/index.js";
import type { AssistantBlock, AssistantMessage, Message } from "../../types/message.js";
import { needsResult } from "../../utils/message-facts.js";

/** Most results to name, and the longest id to quote, in characters. */
const MAX_TOLD = 20;
const MAX_ID = 200;

/** Calls of one id. */
interface Calls {
  made: number;
  answered: number;
}

/** A result, and the calls of its id. */
interface Stray {
  message: number;
  toolCallId: string;
  calls: Calls;
  wasMade: boolean;
}

/** The note about results without their call, before it, or in addition to another one; none if each has its call. */
export function noteStrayResults(messages: readonly Message[]): RequestNote[] {
  const notes: RequestNote[] = [];
  const strays = messages.some(({ role }) => role === "toolResult") ? findStrays(messages) : [];
  if (strays.length === 0) return notes;
  const results = strays.slice(0, MAX_TOLD).map((stray) => ({
    message: stray.message,
    toolCallId: cutText(stray.toolCallId, MAX_ID),
    reason: reasonOf(stray),
  }));
  notes.push({ type: "tool_result_omitted", details: { results, count: strays.length } });
  return notes;
}

/** Calls of failed responses count: their results are left out with them. */
function findStrays(messages: readonly Message[]): Stray[] {
  const known = new Map<string, Calls>();
  const callsOf = (id: string): Calls => {
    const calls = known.get(id) ?? { made: 0, answered: 0 };
    known.set(id, calls);
    return calls;
  };
  const strays: Stray[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === "assistant") {
      for (const id of callIdsOf(message)) callsOf(id).made++;
    } else if (message.role === "toolResult") {
      const toolCallId = String(message.toolCallId);
      const calls = callsOf(toolCallId);
      if (calls.answered < calls.made) calls.answered++;
      else strays.push({ message: index, toolCallId, calls, wasMade: calls.made > 0 });
    }
  }
  return strays;
}

/** Imported transcripts may have a string as content, or empty places in it. */
function callIdsOf({ content }: AssistantMessage): string[] {
  const blocks: readonly (AssistantBlock | null)[] = Array.isArray(content) ? content : [];
  return blocks.flatMap((block) => (block && needsResult(block) ? [block.id] : []));
}

function reasonOf({ calls, wasMade }: Stray): string {
  if (wasMade) return "its call has a result already";
  return calls.made > 0 ? "it comes before its call" : "no message has a call of this id";
}
