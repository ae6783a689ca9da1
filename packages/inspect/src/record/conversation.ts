/** Writes a conversation into runs, message by message. Logs and live agents share it. */
import type { Details, Entry } from "./entry.js";
import { type Fields, fieldsOf, listOf, numberOf, textOf, titleOf, toJson } from "./fields.js";
import { type Origin, originOf } from "./launcher.js";
import {
  argumentsOf,
  describeMessage,
  describeUsage,
  entryOfMessage,
  entryOfTool,
  outcomeOf,
  titleOfMessage,
  usageOf,
} from "./message-sections.js";
import { OpenResponse } from "./open-response.js";
import { describePrompt, type Prompt } from "./prompt.js";
import type { Run } from "./run.js";
import type { Wire } from "./wire.js";

/** What a request sends beside the messages. */
export type Instructions = Pick<Prompt, "system" | "tools"> & Pick<Origin, "model" | "thinking">;

export class Conversation {
  /** Grows only; prompts refer to its beginnings. A conversation that was replaced is another list. */
  #messages: unknown[] = [];
  #previous: Prompt | undefined;
  #turn = 0;
  #instructions: Instructions = { system: undefined, tools: undefined };
  #response: OpenResponse | undefined;
  /** The index of the last response, if its end is not known. */
  #finished: number | undefined;
  readonly #tools = new Map<string, number>();
  #run: Run | undefined;
  /** The number of messages before the run. */
  #from = 0;

  get messages(): readonly unknown[] {
    return this.#messages;
  }

  /** Returns a function that makes a list of the messages of the run so far, also after others have followed. */
  get ownMessages(): () => unknown[] {
    const [messages, from, to] = [this.#messages, this.#from, this.#messages.length];
    return () => messages.slice(from, to);
  }

  /** Starts over with these messages, which no run shows. */
  replace(messages: readonly unknown[]): void {
    this.#messages = [...messages];
  }

  /** @param turn how many requests came before, in a run that goes on where another one stood */
  beginRun(run: Run, turn = 0): void {
    this.#run = run;
    this.#from = this.#messages.length;
    this.#turn = turn;
    this.#response?.stop();
    this.#response = undefined;
    this.#finished = undefined;
    this.#tools.clear();
    run.origin = originOf(this.#instructions, this.#messages);
  }

  /** Begins in the middle of a conversation: messages before it are not known, nor is the prompt of the last request. */
  skip(messages: number, prompt: number | undefined): void {
    this.#messages.length = messages;
    if (prompt !== undefined) this.#previous = { ...this.#instructions, messages: this.#messages, length: prompt };
  }

  /** What the next requests send beside the messages. */
  instruct(instructions: Instructions): void {
    this.#instructions = instructions;
    if (this.#run) this.#run.origin = originOf(instructions, this.#messages);
  }

  /** Adds a finished message. */
  add(message: unknown, endedAt?: number): void {
    const fields = fieldsOf(message);
    if (fields["role"] === "assistant") {
      this.startResponse(fields);
      this.endResponse(fields, endedAt);
    } else if (fields["role"] === "toolResult") this.#addResult(fields);
    else this.#add(entryOfMessage(fields, this.#turn), () => describeMessage(fields));
    this.#messages.push(message);
  }

  /** Adds messages that entries show already. */
  append(messages: readonly unknown[]): void {
    this.#messages.push(...messages);
  }

  /**
   * A request was sent, and nothing of its response has arrived. A second one before the response replaces a first that
   * failed, or follows one that a hook made.
   */
  beginRequest(startedAt: number | undefined, model: string): number | undefined {
    if (this.#response && !this.#response.started) {
      this.#response.prompt.length = this.#messages.length;
      return this.#response.index;
    }
    const prompt: Prompt = { ...this.#instructions, messages: this.#messages, length: this.#messages.length };
    const response = new OpenResponse(prompt);
    const previous = this.#previous;
    this.#previous = prompt;
    this.#response = response;
    response.index = this.#add(
      {
        kind: "request",
        name: model,
        title: "",
        outcome: "running",
        turn: ++this.#turn,
        ...(startedAt !== undefined && { startedAt }),
      },
      () => describeMessage(response.message),
      () => describePrompt(prompt, previous),
    );
    return response.index;
  }

  /** The request that was sent last went over the wire like this. */
  attachWire(wire: Wire): void {
    if (this.#previous) this.#previous.wire = wire;
  }

  /** Whether tools run. A request meanwhile is one that a tool made. */
  get runsTools(): boolean {
    return this.#tools.size > 0;
  }

  get turn(): number {
    return this.#turn;
  }

  /** The number of messages in the prompt of the last request; undefined before the first of this conversation. */
  get promptLength(): number | undefined {
    return this.#previous?.messages === this.#messages ? this.#previous.length : undefined;
  }

  startResponse(message: Fields): void {
    const name = textOf(message["model"]);
    const index = this.beginRequest(numberOf(message["timestamp"]), name);
    if (!this.#response) return;
    this.#response.started = true;
    this.#response.message = message;
    if (index === undefined) return;
    const isEmpty = listOf(message["content"]).length === 0;
    const title = isEmpty ? textOf(message["role"]) : titleOfMessage(message);
    this.#run?.update(index, { title, ...(name && { name }) });
  }

  /** A part of the response has arrived. */
  growResponse(message: Fields, now: () => number): void {
    this.#response?.grow(message, this.#run, now);
  }

  /** @param add whether the response becomes a part of the conversation */
  endResponse(message: Fields, endedAt?: number, add = false): void {
    if (add) this.#messages.push(message);
    const open = this.#response?.index;
    this.#response?.stop();
    this.#response = undefined;
    const entry = open === undefined ? undefined : this.#run?.entries[open];
    if (open === undefined || !entry) return;
    const usage = usageOf(message);
    const { startedAt } = entry;
    const change: Partial<Entry> = {
      title: titleOfMessage(message),
      outcome: outcomeOf(message),
      ...(usage && { usage }),
      ...(startedAt !== undefined && endedAt !== undefined && { durationMs: Math.max(0, endedAt - startedAt) }),
    };
    if (endedAt === undefined) this.#finished = open;
    const run = this.#run;
    run?.update(open, change, () => [
      describeUsage(message, run.entries[open] ?? entry),
      ...describeMessage(message),
      { kind: "text", title: "Message as JSON", text: toJson(message, 2) },
    ]);
  }

  /** The last response was complete at this time, if nothing has said when before. */
  dateResponse(endedAt: number): void {
    const index = this.#finished;
    this.#finished = undefined;
    const startedAt = index === undefined ? undefined : this.#run?.entries[index]?.startedAt;
    if (index !== undefined && startedAt !== undefined)
      this.#run?.update(index, { durationMs: Math.max(0, endedAt - startedAt) });
  }

  /** @returns the index of the entry */
  startTool(id: string, name: string, args: unknown, startedAt: number): number | undefined {
    const entry = entryOfTool(name, args, { turn: this.#turn, startedAt });
    const index = this.#add(entry, () => [{ kind: "text", title: "Arguments", text: toJson(args, 2) }]);
    if (index !== undefined) this.#tools.set(id, index);
    return index;
  }

  endTool(
    id: string,
    facts: { args?: unknown; result: Fields; isError: boolean; durationMs: number | undefined },
  ): void {
    const index = this.#tools.get(id);
    if (index === undefined) return;
    this.#tools.delete(id);
    const { args, result, isError, durationMs } = facts;
    const change = { outcome: isError ? "error" : "done", ...(durationMs !== undefined && { durationMs }) } as const;
    this.#run?.update(index, change, () => [
      { kind: "text", title: "Arguments", text: toJson(args, 2) },
      ...describeMessage(result),
    ]);
  }

  note(text: string): void {
    this.#add({ kind: "note", name: "note", title: titleOf(text), outcome: "done", turn: this.#turn }, () => [
      { kind: "text", title: "Note", text },
    ]);
  }

  #add(entry: Entry, content: Details, context?: Details): number | undefined {
    return this.#run?.add(entry, content, context, this.#messages.length);
  }

  /** In a log, a result is all that is known of a tool's execution; a live agent has reported it before. */
  #addResult(message: Fields): void {
    const id = textOf(message["toolCallId"]);
    if (this.#run?.summary.source === "live") return;
    const durationMs = numberOf(message["durationMs"]);
    const endedAt = numberOf(message["timestamp"]) ?? 0;
    const args = argumentsOf(this.#messages, id);
    this.startTool(id, textOf(message["toolName"]), args, endedAt - (durationMs ?? 0));
    this.endTool(id, { args, result: message, isError: message["isError"] === true, durationMs });
  }
}
