/** What must hold for the events and the conversation of an agent, whatever its hooks, options and listeners do. */
import { Agent, type AgentEvent, type AgentMessage } from "pi-agent";
import type { AssistantMessage } from "pi-ai";

/** What happened to an agent between two points at which it was idle. */
export interface ObservedRuns {
  agent: Pick<Agent, "state" | "peekQueuedMessages">;
  /** The events of its runs. */
  events: readonly AgentEvent[];
  /** The messages before. */
  before: readonly AgentMessage[];
  /** The messages that the agent has accepted and that no queue has kept. */
  accepted: readonly AgentMessage[];
}

/** Returns what is wrong, as sentences. */
export function findRunFaults({ agent, events, before, accepted }: ObservedRuns): string[] {
  const faults: string[] = [];
  const { messages } = agent.state;
  if (new Set(events).size < events.length) faults.push("an event came twice");
  for (const run of splitRuns(events)) faults.push(...findEventFaults(run));
  const gained = events.flatMap((event) => (event.type === "message_end" ? [event.message] : []));
  if (!isSame(messages, joinRecords([...before, ...gained])))
    faults.push("the state differs from what message_end has shown");
  for (const message of accepted) {
    const count = messages.filter((one) => one === message).length;
    if (count !== 1) faults.push(`the message ${JSON.stringify(message)} is ${count} times in the conversation`);
  }
  return [...faults, ...findOpenCalls(messages), ...findRepeatedRecords(messages)];
}

/** A call has one message after its response: the record that it waits, or its result. */
function findRepeatedRecords(messages: readonly AgentMessage[]): string[] {
  const faults: string[] = [];
  let seen = new Set<string>();
  for (const message of messages) {
    if (message.role === "assistant" && !isFailed(message)) seen = new Set();
    if (message.role !== "toolResult") continue;
    if (seen.has(message.toolCallId)) faults.push(`the call ${message.toolCallId} has two records`);
    seen.add(message.toolCallId);
  }
  return faults;
}

/** What an agent makes of messages that a listener has stored: a call that has paused has one record. */
function joinRecords(messages: AgentMessage[]): readonly AgentMessage[] {
  return new Agent({ initialState: { messages } }).state.messages;
}

function splitRuns(events: readonly AgentEvent[]): AgentEvent[][] {
  const runs: AgentEvent[][] = [];
  for (const event of events) {
    if (event.type === "agent_start" || runs.length === 0) runs.push([]);
    runs.at(-1)?.push(event);
  }
  return runs;
}

function findEventFaults(events: readonly AgentEvent[]): string[] {
  const faults: string[] = [];
  if (events[0]?.type !== "agent_start") faults.push("the run does not begin with agent_start");
  const last = events.at(-1);
  if (last?.type !== "agent_end") faults.push("the run does not end with agent_end");
  if (events.filter(({ type }) => type === "agent_end").length > 1) faults.push("agent_end came twice");
  const gained = events.flatMap((event) => (event.type === "message_end" ? [event.message] : []));
  if (last?.type === "agent_end" && !isSame(last.messages, gained)) faults.push("agent_end has other messages");
  return [...faults, ...findUnpaired(events, "turn"), ...findUnpaired(events, "message"), ...findOpenEvents(events)];
}

function findUnpaired(events: readonly AgentEvent[], name: "turn" | "message"): string[] {
  const types = events.map(({ type }) => type).filter((type) => type === `${name}_start` || type === `${name}_end`);
  const isPaired = types.every((type, index) => type === `${name}_${index % 2 === 0 ? "start" : "end"}`);
  return isPaired && types.length % 2 === 0 ? [] : [`the events of a ${name} do not pair up: ${types.join(" ")}`];
}

/** The events that come within another. Those of a call name it. */
const PLACES = new Map<AgentEvent["type"], string>([
  ["message_start", "turn"],
  ["message_update", "message"],
  ["message_end", "message"],
]);

function findOpenEvents(events: readonly AgentEvent[]): string[] {
  const faults: string[] = [];
  const open: string[] = [];
  for (const event of events) {
    const name = "toolCallId" in event ? event.toolCallId : event.type.replace(/_.*/, "");
    const place = PLACES.get(event.type) ?? (/_(?:update|end)$/.test(event.type) ? name : undefined);
    // What middleware adds at the end of a turn, or after it, stands between two turns.
    const isBetween = place === "turn" && "message" in event && "origin" in event.message;
    if (place !== undefined && place !== "agent" && !open.includes(place) && !isBetween)
      faults.push(`${event.type} outside of ${place}`);
    if (event.type.endsWith("_start")) open.push(name);
    if (event.type.endsWith("_end") && open.includes(name)) open.splice(open.indexOf(name), 1);
  }
  return [...faults, ...open.map((name) => `${name} has no end`)];
}

/** A call has one result, before the next message, or waits for an answer. */
function findOpenCalls(messages: readonly AgentMessage[]): string[] {
  const faults: string[] = [];
  let open: string[] = [];
  const waiting = new Set<string>();
  const needed = (): string[] => open.filter((id) => !waiting.has(id));
  for (const message of messages) {
    if (message.role === "toolResult") {
      if ("pause" in message) waiting.add(message.toolCallId);
      else if (open.includes(message.toolCallId)) open.splice(open.indexOf(message.toolCallId), 1);
      else faults.push(`a result of ${message.toolCallId} without an open call`);
      continue;
    }
    // A failed response is never sent to a model, and what waits goes on waiting.
    if (message.role === "assistant" && isFailed(message)) continue;
    for (const id of needed()) faults.push(`the call ${id} has no result before the next message`);
    if (message.role !== "assistant") continue;
    waiting.clear();
    open = message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []));
  }
  return [...faults, ...needed().map((id) => `the call ${id} has no result`)];
}

function isFailed({ stopReason }: AssistantMessage): boolean {
  return stopReason === "error" || stopReason === "aborted";
}

function isSame(one: readonly AgentMessage[], other: readonly AgentMessage[]): boolean {
  if (one.length !== other.length) return false;
  // A record is joined anew each time.
  const isRecord = (message: AgentMessage): boolean => "marks" in message;
  return one.every((message, index) => {
    const second = other[index];
    return message === second || (isRecord(message) && toText(message) === toText(second));
  });
}

function toText(message: AgentMessage | undefined): string {
  return JSON.stringify(message, (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value));
}
