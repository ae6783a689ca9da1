/** A row of the table of features: how one is attached to a run, and what that means for everything that is observed. */
import type { AgentEvent, AgentMessage } from "pi-agent";
import type { Needs, Scene, Seen, Setup } from "./scene.js";
import type { Sent } from "./server.js";

export interface Feature {
  readonly name: string;
  /** What it asks of the scene. */
  readonly needs?: Needs;
  /** The features that it must precede in a list. Another order is refused with an error that names both. */
  readonly before?: readonly string[];
  /** Begins a scene. Two processes of one scene share what is remembered here. */
  begin(scene: Scene): AttachedFeature;
}

export interface AttachedFeature {
  /** Attaches it to a process, before its runs. */
  attach(setup: Setup): void | Promise<void>;
  /** Throws if the scene does not show what the feature means. */
  check(seen: Seen): void | Promise<void>;
}

/** Whether a list has a feature after one that it must precede. */
export function isRefused(features: readonly Feature[]): boolean {
  return features.some(({ before = [] }, place) => features.slice(0, place).some(({ name }) => before.includes(name)));
}

/** The requests that pass the hooks of the agent: its own and those for summaries. */
export function ownRequests({ server }: Seen): Sent[] {
  return server.counted.filter(({ kind }) => kind !== "child");
}

/** The requests that pass a stream function at the place of this feature: below a route, those to busy models, too. */
export function requestsBelow(seen: Seen, name: string): Sent[] {
  const { names, server } = seen;
  const isBelowRoute = names.includes("route") && names.indexOf("route") < names.indexOf(name);
  return isBelowRoute ? server.sent.filter(({ kind }) => kind !== "child") : ownRequests(seen);
}

/** Events that no earlier process has emitted. */
export function newEvents({ processes }: Seen): AgentEvent[] {
  return processes.flatMap(({ events }) => events.filter(({ replayed }) => !replayed));
}

/** How often a text is in a list of texts. */
export function count(texts: readonly string[], part: string): number {
  return texts.reduce((sum, text) => sum + text.split(part).length - 1, 0);
}

/** The texts of the responses in a conversation. */
export function responseTexts(messages: readonly AgentMessage[]): string[] {
  return messages.flatMap((message) =>
    message.role === "assistant" ? message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])) : [],
  );
}

export async function readAll<T>(stream: ReadableStream<T>): Promise<T[]> {
  const chunks: T[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}
