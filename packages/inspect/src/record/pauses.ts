/**
 * What runs have asked people, and what these have answered: rows for the marks of pauses in a conversation. A request is a row
 * of the run that asks, its answer a row of the run that takes it.
 */
import type { Entry, Section } from "./entry.js";
import { type Fields, fieldsOf, listOf, numberOf, textOf, titleOf, toJson } from "./fields.js";

/** A row, without its turn. */
export interface PauseRow {
  entry: Omit<Entry, "turn">;
  content: Section[];
}

interface Asked {
  request: Fields;
  at: number | undefined;
}

export function isMark(message: Fields): boolean {
  return message["role"] === "toolResult" && typeof fieldsOf(message["pause"])["state"] === "string";
}

/** The record of a call that waits holds the marks before the last one, with their times. */
function marksOf(message: Fields): Fields[] {
  const earlier = listOf(message["marks"]).map(fieldsOf);
  return [...earlier.map((pause): Fields => ({ ...message, pause, timestamp: pause["at"] })), message];
}

const hasFailed = ({ stopReason }: Fields): boolean => stopReason === "aborted" || stopReason === "error";

export class Pauses {
  /** The requests of the last response, by their ids. */
  readonly #asked = new Map<string, Asked>();
  /** The ids of those whose answers have rows. */
  readonly #answered = new Set<string>();

  /** A response is complete: nothing before it can be answered any more, unless it has failed. */
  respond(message: Fields): void {
    if (hasFailed(message)) return;
    this.#asked.clear();
    this.#answered.clear();
  }

  /** The rows of a message with marks. */
  take(message: Fields): PauseRow[] {
    return marksOf(message).flatMap((mark) => this.#takeMark(mark));
  }

  #takeMark(mark: Fields): PauseRow[] {
    const pause = fieldsOf(mark["pause"]);
    const at = numberOf(mark["timestamp"]);
    if (pause["state"] === "waiting") return this.#ask(listOf(pause["requests"]), at);
    return pause["state"] === "answered" ? this.#answer(listOf(pause["answers"]), at) : [];
  }

  /** The rows of answers that the application has added to a conversation between two runs. */
  takeNew(messages: readonly unknown[]): PauseRow[] {
    const from = messages.findLastIndex((message) => {
      return fieldsOf(message)["role"] === "assistant" && !hasFailed(fieldsOf(message));
    });
    const marks = messages
      .slice(from + 1)
      .map(fieldsOf)
      .filter(isMark)
      .flatMap(marksOf);
    const isAnswer = (mark: Fields): boolean => fieldsOf(mark["pause"])["state"] === "answered";
    return marks.flatMap((mark) => {
      const rows = this.#takeMark(mark);
      return isAnswer(mark) ? rows : [];
    });
  }

  #ask(requests: readonly unknown[], at: number | undefined): PauseRow[] {
    return requests.flatMap((one): PauseRow[] => {
      const request = fieldsOf(one);
      const id = textOf(request["id"]);
      // An `order` is asked of nobody: the call waits for another one.
      if (request["kind"] === "order" || this.#asked.has(id)) return [];
      this.#asked.set(id, { request, at });
      const entry = { kind: "wait", name: nameOf(request), title: questionOf(request), outcome: "done" } as const;
      const content = [describeRequest(request, at), ...describeArguments(request)];
      return [{ entry: { ...entry, ...(at !== undefined && { startedAt: at }) }, content }];
    });
  }

  #answer(answers: readonly unknown[], at: number | undefined): PauseRow[] {
    return answers.flatMap((one): PauseRow[] => {
      const answer = fieldsOf(one);
      const id = textOf(answer["id"]);
      if (this.#answered.has(id)) return [];
      this.#answered.add(id);
      return [toRow(answer, at, this.#asked.get(id) ?? { request: {}, at: undefined })];
    });
  }
}

function toRow(answer: Fields, at: number | undefined, { request, at: askedAt }: Asked): PauseRow {
  const startedAt = askedAt ?? at;
  const how = howOf(answer, { request, at });
  const [by, question] = [textOf(answer["by"]), questionOf(request)];
  const entry: PauseRow["entry"] = {
    kind: "wait",
    name: nameOf(request),
    title: titleOf(`${how}${by && ` by ${by}`}${question && `: ${question}`}`),
    outcome: answer["approved"] === true ? "done" : "error",
    ...(startedAt !== undefined && { startedAt }),
    ...(askedAt !== undefined && at !== undefined && { durationMs: Math.max(0, at - askedAt) }),
  };
  return {
    entry,
    content: [
      ...describeAnswer(answer, how, { from: askedAt, to: at }),
      describeRequest(request, askedAt),
      ...describeArguments(request),
    ],
  };
}

interface Wait {
  from: number | undefined;
  to: number | undefined;
}

function describeAnswer(answer: Fields, how: string, { from, to }: Wait): Section[] {
  const rows: [string, string][] = [
    ["Answer", how],
    ["By", textOf(answer["by"]) || "–"],
    ["Answered at", timeOf(to)],
    ["Waited", from === undefined || to === undefined ? "–" : lengthOf(to - from)],
  ];
  if (textOf(answer["reason"])) rows.push(["Reason", textOf(answer["reason"])]);
  const sections: Section[] = [{ kind: "table", title: "Answer", rows }];
  const add = (title: string, value: unknown): void => {
    if (value !== undefined) sections.push({ kind: "text", title, text: toJson(value, 2) });
  };
  add("Arguments of the user", answer["arguments"]);
  add("Value", answer["value"]);
  return sections;
}

/** A real answer after the time does not count, so one that late is what counts without an answer. */
function howOf(answer: Fields, { request, at }: Asked): string {
  const isApproved = answer["approved"] === true;
  const expiresAt = numberOf(request["expiresAt"]);
  if (expiresAt !== undefined && at !== undefined && at >= expiresAt)
    return isApproved
      ? "Approved by default, without an answer in time"
      : "Declined by default, without an answer in time";
  if (!isApproved) return "Refused";
  if (answer["arguments"] !== undefined) return "Approved with other arguments";
  return request["kind"] === "question" ? "Answered" : "Approved";
}

const nameOf = (request: Fields): string => textOf(request["kind"]) || "approval";

function questionOf(request: Fields): string {
  const tool = textOf(request["toolName"]);
  if (request["kind"] === "question") return titleOf(textOf(request["message"]));
  return tool && titleOf(`May ${tool} run? ${toJson(request["arguments"])}`);
}

/** People may take days. */
function lengthOf(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const timeOf = (at: number | undefined): string => (at === undefined ? "–" : new Date(at).toISOString());

function describeRequest(request: Fields, at: number | undefined): Section {
  const expiresAt = numberOf(request["expiresAt"]);
  const path = listOf(request["path"]).map(textOf).join(" / ");
  const rows: [string, string][] = [
    ["Tool", textOf(request["toolName"])],
    ["Question", textOf(request["message"]) || "May it run?"],
    ["Asked at", timeOf(at)],
  ];
  if (expiresAt !== undefined) rows.push(["Can be answered until", timeOf(expiresAt)]);
  if (path) rows.push(["Asked by an agent in the call", path]);
  return { kind: "table", title: "Request", rows };
}

function describeArguments(request: Fields): Section[] {
  return request["arguments"] === undefined
    ? []
    : [{ kind: "text", title: "Arguments", text: toJson(request["arguments"], 2) }];
}
