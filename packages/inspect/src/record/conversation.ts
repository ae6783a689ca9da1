/** Writes a conversation into runs, message by message. The readers of logs and the recorders of live agents use it. */
import type { Details, Entry } from "./entry.js";
import { type Fields, fieldsOf, listOf, numberOf, textOf, toJson } from "./fields.js";
import { type Origin, originOf } from "./launcher.js";
import { OpenResponse } from "./open-response.js";
import { isMark, type PauseRow, Pauses } from "./pauses.js";
import { describePrompt, type Prompt } from "./prompt-sections.js";
import type { Run } from "./run.js";
import {
  CallArguments,
  describeMessage,
  describeUsage,
  entryOfMessage,
  entryOfNote,
  entryOfTool,
  outcomeOf,
  titleOfMessage,
  usageOf,
} from "./sections.js";
import type { Wire } from "./wire.js";

/** What the requests of a conversation send besides the messages. */
export type Instructions = Pick<Prompt, "system" | "tools"> & Pick<Origin, "model" | "thinking">;

export class Conversation {
  /** Only grows, because each prompt refers to a beginning of it. Replacing the conversation starts a new list. */
  #messages: unknown[] = [];
  /** The prompt of the last request. */
  #previous: Prompt | undefined;
  #turn = 0;
  #instructions: Instructions = { system: undefined, tools: undefined };
  /** The response that is being received. */
  #response: OpenResponse | undefined;
  /** The index of the last response's entry, if the time at which it was complete is not known yet. */
  #finished: number | undefined;
  /** The indexes of the entries of running tool calls, by the ids of the calls. */
  readonly #tools = new Map<string, number>();
  readonly #arguments = new CallArguments();
  readonly #pauses = new Pauses();
  #run: Run | undefined;
  /** The number of messages before the run. */
  #from = 0;

  get messages(): readonly unknown[] {
    return this.#messages;
  }

  /** A function that lists the messages that the run has now, even if it is called after more were added. */
  get ownMessages(): () => unknown[] {
    const [messages, from, to] = [this.#messages, this.#from, this.#messages.length];
    return () => messages.slice(from, to);
  }

  /** Replaces the conversation. The runs get no entries for these messages. */
  replace(messages: readonly unknown[]): void {
    this.#messages = [...messages];
  }

  /** @param turn the number of requests that a forked run has inherited */
  beginRun(run: Run, turn = 0): void {
    this.#run = run;
    this.#from = this.#messages.length;
    this.#turn = turn;
    this.#response?.stop();
    this.#response = undefined;
    this.#finished = undefined;
    this.#tools.clear();
    run.origin = originOf(this.#instructions, this.#messages);
    this.#addPauses(this.#pauses.takeNew(this.#messages));
  }

  /**
   * Continues a conversation whose earlier part is not written. Messages that are not known are undefined.
   *
   * @param messages the number of messages before
   * @param prompt the number of messages in the prompt of the last request; undefined if there was none
   */
  skip(messages: number, prompt: number | undefined): void {
    this.#messages.length = messages;
    if (prompt !== undefined) this.#previous = { ...this.#instructions, messages: this.#messages, length: prompt };
  }

  /** Sets what the next requests send besides the messages. */
  instruct(instructions: Instructions): void {
    this.#instructions = instructions;
    if (this.#run) this.#run.origin = originOf(instructions, this.#messages);
  }

  /**
   * Adds a complete message, with an entry.
   *
   * @param endedAt when a response was complete, in Unix milliseconds
   */
  add(message: unknown, endedAt?: number): void {
    const fields = fieldsOf(message);
    if (fields["role"] === "assistant") {
      this.startResponse(fields);
      this.endResponse(fields, endedAt);
    } else if (isMark(fields)) this.#addPauses(this.#pauses.take(fields));
    else if (fields["role"] === "toolResult") this.#addResult(fields);
    else this.#add(entryOfMessage(fields, this.#turn), () => describeMessage(fields));
    this.#messages.push(message);
  }

  /** Adds messages that already have entries. */
  append(messages: readonly unknown[]): void {
    for (const message of messages) this.#messages.push(message);
  }

  /**
   * Adds the entry of a request that was sent. If the last request has no response yet, this one takes over its entry:
   * the last one failed, or a hook of the agent sent it.
   *
   * @returns the index of the entry; undefined outside a run
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

  /** Records how the last request went over the wire. */
  attachWire(wire: Wire): void {
    if (this.#previous) this.#previous.wire = wire;
  }

  /** Whether tools are running. A request that is sent meanwhile comes from a tool. */
  get runsTools(): boolean {
    return this.#tools.size > 0;
  }

  get turn(): number {
    return this.#turn;
  }

  /** The number of messages in the prompt of the last request; undefined before the conversation's first request. */
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

  /** @param message the response so far */
  growResponse(message: Fields, now: () => number): void {
    this.#response?.grow(message, this.#run, now);
  }

  /**
   * @param endedAt when the response was complete, in Unix milliseconds; {@link dateResponse} can set it later
   * @param add whether to add the response to the conversation
   */
  endResponse(message: Fields, endedAt?: number, add = false): void {
    if (add) this.#messages.push(message);
    this.#pauses.respond(message);
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

  /** Sets when the last response was complete, if that is not known yet. */
  dateResponse(endedAt: number): void {
    const index = this.#finished;
    this.#finished = undefined;
    const startedAt = index === undefined ? undefined : this.#run?.entries[index]?.startedAt;
    if (index !== undefined && startedAt !== undefined)
      this.#run?.update(index, { durationMs: Math.max(0, endedAt - startedAt) });
  }

  /** @returns the index of the entry; undefined outside a run */
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
    this.#add(entryOfNote(text, this.#turn), () => [{ kind: "text", title: "Note", text }]);
  }

  #add(entry: Entry, content: Details, context?: Details): number | undefined {
    return this.#run?.add(entry, content, context, this.#messages.length);
  }

  #addPauses(rows: readonly PauseRow[]): void {
    for (const { entry, content } of rows) this.#add({ ...entry, turn: this.#turn }, () => content);
  }

  /** Adds an entry for the tool call of a result. A live run has one already: the agent reports each tool call. */
  #addResult(message: Fields): void {
    const id = textOf(message["toolCallId"]);
    if (this.#run?.summary.source === "live") return;
    const durationMs = numberOf(message["durationMs"]);
    const endedAt = numberOf(message["timestamp"]) ?? 0;
    const args = this.#arguments.of(this.#messages, id);
    this.startTool(id, textOf(message["toolName"]), args, endedAt - (durationMs ?? 0));
    this.endTool(id, { args, result: message, isError: message["isError"] === true, durationMs });
  }
}
