/** Random conversations with one model: parallel tool calls, images, thinking, and provider-run tools. */
import fc from "fast-check";
import type { AssistantMessage, Message, ToolResultMessage, UserBlock } from "pi-ai";
import { IMAGE, user } from "../handoff/conversations.js";
import type { Party } from "../handoff/parties.js";
import { createTurns, type Turns } from "../handoff/turns.internal.js";
import { needsResult } from "../support/needs-result.js";

/** Turns with provider-run tools. Each is used once, because its ids are fixed. */
const OWN_TURNS = [
  "thoughtful",
  "hidden",
  "parallel",
  "hiddenCall",
  "own",
  "ownCall",
  "ownAgain",
  "waiting",
  "thoughtfulAgain",
] as const satisfies readonly (keyof Turns)[];

interface Exchange {
  /** The number of tool calls of a turn; 0: a turn with provider-run tools, if one is left. */
  calls: number;
  /** The number of parts of the user message; 0: no message, if the conversation may continue without one. */
  parts: number;
  picture: boolean;
  /** The request failed, and the application sent the next message. */
  failed: boolean;
}

const exchange: fc.Arbitrary<Exchange> = fc.record({
  calls: fc.oneof(fc.constant(0), fc.nat({ max: 4 }), fc.integer({ min: 15, max: 40 })),
  parts: fc.nat({ max: 3 }),
  picture: fc.boolean(),
  failed: fc.nat({ max: 9 }).map((value) => value === 0),
});

/** The messages of each request of a conversation. Each begins with all messages of the previous one. */
export function randomRequests(party: Party): fc.Arbitrary<Message[][]> {
  const turns = createTurns(party, "own");
  const order = fc.shuffledSubarray([...OWN_TURNS], { minLength: OWN_TURNS.length });
  return fc
    .tuple(fc.array(exchange, { minLength: 2, maxLength: 9 }), order)
    .map(([exchanges, names]) => toRequests(exchanges, turns, names));
}

function toRequests(exchanges: readonly Exchange[], turns: Turns, names: readonly (keyof Turns)[]): Message[][] {
  const left = names.flatMap((name) => turns[name] ?? []).map(withoutCompaction);
  const messages: Message[] = [];
  const requests: Message[][] = [];
  for (const [index, { calls, parts, picture, failed }] of exchanges.entries()) {
    const mayGoOn = messages.at(-1)?.role === "toolResult";
    if (parts > 0 || !mayGoOn) messages.push(user(userContent(index, parts, picture)));
    requests.push([...messages]);
    if (failed) {
      messages.push({ ...turns.failed, content: [] });
      continue;
    }
    const turn = calls === 0 ? left.pop() : undefined;
    const response = turn ?? wideTurn(turns.lone, index, calls);
    messages.push(response, ...resultsOf(response, picture));
  }
  requests.push([...messages, user("Thanks")]);
  return requests;
}

/** Some providers do not need the messages before their own compaction, so the prompt begins anew there. */
function withoutCompaction(message: AssistantMessage): AssistantMessage {
  return { ...message, content: message.content.filter(({ type }) => type !== "compaction") };
}

function userContent(index: number, parts: number, picture: boolean): string | UserBlock[] {
  if (parts < 2) return `Message ${index}`;
  const texts = Array.from(
    { length: parts },
    (_, part): UserBlock => ({ type: "text", text: `Part ${index}.${part}` }),
  );
  return picture ? [...texts, IMAGE] : texts;
}

function wideTurn(model: AssistantMessage, index: number, calls: number): AssistantMessage {
  const content = Array.from({ length: calls }, (_, call) => ({
    type: "toolCall" as const,
    id: `call_${index}_${call}`,
    name: "read",
    arguments: { path: `${index}/${call}`, "2": true, "1": [call, { b: null, a: 0.1 }] },
  }));
  return { ...model, content: [{ type: "text", text: `Turn ${index}` }, ...content], timestamp: index };
}

function resultsOf({ content }: AssistantMessage, picture: boolean): ToolResultMessage[] {
  return content.filter(needsResult).map(({ id, name }, index) => ({
    role: "toolResult",
    toolCallId: id,
    toolName: name,
    content: picture && index === 0 ? [{ type: "text", text: `Result of ${id}` }, IMAGE] : [{ type: "text", text: id }],
    isError: index === 3,
    timestamp: index,
  }));
}
