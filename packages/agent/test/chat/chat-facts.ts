/** What has happened in a random conversation, and what its store must therefore hold: nothing that was finished or accepted is lost. */
import type { AgentMessage } from "pi-agent";
import type { LoadedSession, SessionLog } from "pi-agent/session";

/** A message that `prompt`, `steer`, `followUp` or `send` took. */
interface Accepted {
  /** How often. */
  times: number;
  /** How often of it the program knows that it was stored. */
  stored: number;
}

/** Names each message by what it holds: `u1` of a user, `a1` of the model, `s1` instructions, `c1` a call that waits or has its result. */
export function nameOf(message: AgentMessage): string | undefined {
  if (message.role === "toolResult") return message.toolCallId;
  // Those that failed are not sent to a model, and a session that is opened again begins without those at its end.
  if (message.role === "assistant" && message.stopReason === "error") return undefined;
  if (message.role !== "assistant" && message.role !== "user" && message.role !== "system") return undefined;
  const { content } = message;
  const [first] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return first && "text" in first ? /^[uas]\d+/.exec(first.text)?.[0] : undefined;
}

export function namesOf(messages: readonly AgentMessage[]): string[] {
  return messages.flatMap((message) => nameOf(message) ?? []);
}

export class ChatFacts {
  readonly faults: string[] = [];
  readonly #accepted = new Map<string, Accepted>();
  /** Messages that were sent twice. */
  readonly #doubled = new Set<string>();
  /** What was finished while the run could store it, in any conversation of the session. */
  readonly #finished = new Set<string>();
  /** The present conversation, as far as it must be stored. */
  #conversation: string[] = [];
  /** What comes after it, or in its place, and may be stored. */
  #pending: string[] = [];
  #replacement: string[] | undefined;

  /** @param times negative if it was refused after all */
  accept(name: string, times = 1): void {
    const { times: before, stored } = this.#accepted.get(name) ?? { times: 0, stored: 0 };
    this.#accepted.set(name, { times: before + times, stored });
    if (before + times > 1) this.#doubled.add(name);
  }

  /** The program knows that a message is stored in the queue. */
  noteStored(name: string): void {
    const accepted = this.#accepted.get(name);
    if (accepted) accepted.stored++;
  }

  /** Only these are wanted: a queue was cleared, or the conversation was replaced. What was finished stays stored. */
  keep(messages: readonly AgentMessage[]): void {
    const names = namesOf(messages);
    for (const [name, { stored }] of this.#accepted) {
      const times = names.filter((one) => one === name).length;
      if (times === 0) this.#accepted.delete(name);
      else this.#accepted.set(name, { times, stored: Math.min(stored, times) });
    }
  }

  /** A run has begun with a conversation, which replaces another one if it does not continue it. */
  begin(messages: readonly AgentMessage[]): void {
    this.#replacement = namesOf(messages);
    this.#pending = [];
  }

  /** A message has ended. */
  end(message: AgentMessage): void {
    const name = nameOf(message);
    if (name !== undefined) this.#pending.push(name);
  }

  /** The run went on, so what has ended is stored. */
  goOn(): void {
    const stored = [...(this.#replacement ?? []), ...this.#pending];
    if (this.#replacement) this.#conversation = this.#replacement;
    for (const name of this.#pending) if (!isRepeat(name, this.#conversation)) this.#conversation.push(name);
    for (const name of stored) this.#finished.add(name);
    this.#replacement = undefined;
    this.#pending = [];
  }

  /** Compares what the store holds with what it must hold, and goes on from there. */
  checkOpened({ messages, queued }: Pick<SessionLog, "messages" | "queued">, loaded: LoadedSession | undefined): void {
    const names = namesOf(messages);
    const waiting = namesOf(queued);
    const replaced = (loaded?.replaced ?? []).flatMap((one) => namesOf(one.messages));
    this.#checkAll(names, { waiting, replaced });
    this.#checkOrder(names);
    this.#conversation = names;
    this.#replacement = undefined;
    this.#pending = [];
    // What the process has left without a result has one now, which the next run stores.
    for (const name of names) if (!name.startsWith("c")) this.#finished.add(name);
  }

  #checkAll(names: readonly string[], { waiting, replaced }: { waiting: string[]; replaced: string[] }): void {
    const kept = new Set([...names, ...replaced]);
    for (const name of this.#finished) if (!kept.has(name)) this.faults.push(`${name} was finished and is not stored`);
    for (const name of findRepeated(names))
      if (!this.#doubled.has(name)) this.faults.push(`${name} is twice in the stored conversation`);
    for (const [name, accepted] of this.#accepted) {
      const count = [...names, ...waiting].filter((one) => one === name).length;
      const before = replaced.filter((one) => one === name).length;
      if (count + before < accepted.stored) this.faults.push(`${name} was accepted and stored, and is missing`);
      // A conversation that was assigned replaces the stored one with the next run.
      if (count > accepted.times && !this.#doubled.has(name))
        this.faults.push(`${name} was accepted ${accepted.times} times, and is there ${count} times`);
      // What the process took with it was not known to be stored.
      this.#accepted.set(name, { times: count, stored: Math.min(accepted.stored, count) });
      if (count === 0) this.#accepted.delete(name);
    }
  }

  #checkOrder(names: readonly string[]): void {
    const possible = [this.#conversation, this.#replacement ?? this.#conversation];
    const isOne = possible.some((conversation) => {
      const rest = names.slice(conversation.length);
      const known = new Set([...this.#pending, ...conversation]);
      return (
        conversation.every((name, index) => names[index] === name) &&
        rest.filter((name) => !name.startsWith("c")).every((name) => known.has(name))
      );
    });
    if (isOne) return;
    const expected = possible.map((list) => list.join(" ")).join(" | ");
    this.faults.push(`stored is ${names.join(" ")}, not ${expected}, and perhaps ${this.#pending.join(" ")}`);
  }

  /** Each accepted message is in the conversation, or waits, as often as it was accepted. */
  checkAccepted(messages: readonly AgentMessage[], queued: readonly AgentMessage[]): void {
    const names = [...namesOf(messages), ...namesOf(queued)];
    for (const [name, { times }] of this.#accepted) {
      const count = names.filter((one) => one === name).length;
      if (count !== times) this.faults.push(`${name} was accepted ${times} times, and is there ${count} times`);
    }
  }
}

/** The result of a call takes the place of the record that it waits. */
function isRepeat(name: string, conversation: readonly string[]): boolean {
  return name.startsWith("c") && conversation.includes(name);
}

function findRepeated(names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) < index);
}
