/** The questions of a tool. The tool is called again when they are answered, and reads the answers where it asked. */
import type { ToolArguments } from "pi-ai";
import { isRecord, readParameters } from "pi-ai/call";
import type { AgentToolCall } from "../types/message.js";
import type {
  CallMark,
  LiveAnswer,
  PauseAnswer,
  PausedCall,
  PauseRequest,
  ToolPausing,
  ToolQuestion,
} from "../types/pause.js";
import { toCanonicalJson } from "./canonical-json.js";
import { describeDecline } from "./resume.js";

/** The most questions of one call, as in MCP 2026-07-28 ("input_required"). A repeated one counts, too. */
export const MAX_QUESTIONS = 10;

/** The most questions of one call that its tool does not choose itself: as many questions in each of as many rounds. */
export const MAX_FOREIGN_QUESTIONS: number = MAX_QUESTIONS ** 2;

/** Ends the execution of a tool whose call pauses. */
export class PausedError extends Error {
  override readonly name = "PausedError";
}

/** A call whose tool runs. */
export interface QuestionedCall {
  readonly toolCall: AgentToolCall;
  /** The arguments of the call, for people. */
  readonly shown: () => AgentToolCall["arguments"];
  /** The marks of earlier runs. */
  readonly paused: PausedCall | undefined;
  /** Makes the key of a call that has not paused yet. */
  readonly key: () => string;
  now(): number;
  /** Checks an answer. Throws the error of the validator, which is for a model. */
  parse(schema: object, value: unknown): Promise<unknown>;
}

type WaitingMark = Extract<CallMark, { state: "waiting" }>;

/** The questions of one execution of a tool. */
export class ToolQuestions implements ToolPausing {
  readonly #call: QuestionedCall;
  readonly #asked: PauseRequest[] = [];
  #resume: unknown;
  #key: string | undefined;
  /** The number of questions so far. */
  #count = 0;
  /** The requests that this execution has come to, of those that were asked all at once. */
  #reached: Set<string> | undefined;

  constructor(call: QuestionedCall) {
    this.#call = call;
  }

  get resume(): unknown {
    return this.#call.paused?.resume;
  }

  get answers(): readonly PauseAnswer[] {
    const { paused } = this.#call;
    const start = `${paused?.key}/`;
    const given = [...(paused?.answers.values() ?? [])].filter(({ id }) => id.startsWith(start));
    // A page that holds the marks may have changed the arguments of a call of another agent, which no answer may.
    return given.map(({ arguments: _arguments, ...answer }) => ({ ...answer, id: answer.id.slice(start.length) }));
  }

  pause(requests: readonly PauseRequest[], resume: unknown): never {
    this.#resume = resume;
    return this.#wait(requests.map((request) => nest(request, this.#call.toolCall.id, this.#keyOf())));
  }

  /** Tools take it out of their context. */
  readonly ask = async <TSchema extends object>(question: ToolQuestion<TSchema>): Promise<ToolArguments<TSchema>> => {
    // Without a schema, the answer may be anything; otherwise it fits.
    return (await this.#ask(question)) as ToolArguments<TSchema>;
  };

  async #ask(question: ToolQuestion): Promise<unknown> {
    checkQuestion(question);
    const number = this.#count++;
    let problem: string | undefined;
    for (let attempt = 0; ; attempt++) {
      const id = `${this.#keyOf()}?${number}.${attempt}`;
      const answer = this.#call.paused?.answers.get(id);
      if (!answer) {
        if (number + attempt < MAX_QUESTIONS) return this.#wait([this.#toRequest(id, question, problem)]);
        throw new Error(`The tool has asked ${MAX_QUESTIONS} questions, which is the limit of a call`);
      }
      if (!answer.approved) throw new Error(describeDecline(`The question "${question.message}"`, answer));
      if (!question.schema) return answer.value;
      try {
        return await this.#call.parse(question.schema, answer.value);
      } catch (error) {
        problem = await explain(question.schema, error);
      }
    }
  }

  async askAll(
    questions: readonly ToolQuestion[],
    { resume, answer }: { resume?: unknown; answer?: LiveAnswer } = {},
  ): Promise<readonly PauseAnswer[]> {
    const answers: PauseAnswer[] = [];
    const open: PauseRequest[] = [];
    for (const question of questions) {
      checkQuestion(question);
      const found = await this.#takeAnswer(question, answer);
      if ("approved" in found) answers.push(found);
      else open.push(found);
    }
    if (open.length === 0) return answers;
    this.#resume = resume;
    return this.#wait(open);
  }

  /** Takes the next answer to the same question, or the request that is still open. */
  async #takeAnswer(question: ToolQuestion, live: LiveAnswer | undefined): Promise<PauseAnswer | PauseRequest> {
    const { requests = [], answers } = this.#call.paused ?? {};
    this.#reached ??= new Set();
    const reached = this.#reached;
    let problem: string | undefined;
    for (;;) {
      const [known] = requests.filter((request) => !reached.has(request.id) && isSameQuestion(request, question));
      const request = known ?? this.#createRequest(question, requests.length, problem);
      reached.add(request.id);
      const answer = answers?.get(request.id) ?? (live && { ...(await live(request)), id: request.id });
      if (!answer) return request;
      const checked = await this.#check(question, answer);
      if (typeof checked !== "string") return checked;
      problem = checked;
    }
  }

  #createRequest(question: ToolQuestion, earlier: number, problem: string | undefined): PauseRequest {
    const number = earlier + this.#count++;
    if (number >= MAX_FOREIGN_QUESTIONS)
      throw new Error(`The tool has asked ${MAX_FOREIGN_QUESTIONS} questions, which is the limit of a call`);
    return this.#toRequest(`${this.#keyOf()}?${number}`, question, problem);
  }

  /** The answer with its value as the schema has it, or why it does not fit. */
  async #check({ schema }: ToolQuestion, answer: PauseAnswer): Promise<PauseAnswer | string> {
    if (answer.approved !== true || !schema) return answer;
    try {
      return { ...answer, value: await this.#call.parse(schema, answer.value) };
    } catch (error) {
      return explain(schema, error);
    }
  }

  /** The mark of the call, if it waits for answers. What the tool made of the error does not matter. */
  waitingMark(): WaitingMark | undefined {
    if (this.#asked.length === 0) return undefined;
    const resume = this.#resume === undefined ? {} : { resume: this.#resume };
    return { state: "waiting", key: this.#keyOf(), requests: this.#asked, ...resume };
  }

  #wait(requests: readonly PauseRequest[]): never {
    this.#asked.push(...requests);
    throw new PausedError(`The call of ${this.#call.toolCall.name} waits for an answer`);
  }

  #keyOf(): string {
    this.#key ??= this.#call.paused?.key ?? this.#call.key();
    return this.#key;
  }

  #toRequest(id: string, question: ToolQuestion, problem: string | undefined): PauseRequest {
    const { id: toolCallId, name: toolName } = this.#call.toolCall;
    const { schema, message, url, timeoutMs, default: value } = question;
    return {
      id,
      kind: "question",
      toolCallId,
      toolName,
      arguments: this.#call.shown(),
      message,
      ...(schema && { schema: toPlainSchema(schema) }),
      ...(url && { url }),
      ...(problem && { problem }),
      ...(timeoutMs && { expiresAt: this.#call.now() + timeoutMs }),
      ...(value !== undefined && { default: { approved: true, value } }),
    };
  }
}

/** Few answers do not fit. */
async function explain(schema: object, error: unknown): Promise<string> {
  const { explainAnswer } = await import("./answer-words.js");
  return explainAnswer(toPlainSchema(schema), error);
}

/** An answer counts for the question that the user has read. */
function isSameQuestion({ kind, path, message, schema, url }: PauseRequest, question: ToolQuestion): boolean {
  if (kind !== "question" || path || message !== question.message || url !== question.url) return false;
  return toCanonicalJson(schema) === toCanonicalJson(question.schema && toPlainSchema(question.schema));
}

/** The request of an agent that a tool runs, as one of the agent whose tool it is. */
function nest({ signature: _signature, ...request }: PauseRequest, toolCallId: string, key: string): PauseRequest {
  return { ...request, id: `${key}/${request.id}`, path: [toolCallId, ...(request.path ?? [])] };
}

/** Without the symbols and functions of a library: the transcript is JSON. */
function toPlainSchema(schema: object): object {
  return JSON.parse(JSON.stringify(readParameters({ name: "question", parameters: schema })));
}

/** @throws TypeError */
function checkQuestion(question: unknown): void {
  if (!isRecord(question) || typeof question["message"] !== "string")
    throw new TypeError('ask needs a question, such as ask({ message: "Which size?" })');
  const { url } = question;
  if (url !== undefined && !(typeof url === "string" && URL.canParse(url) && new URL(url).protocol === "https:"))
    throw new TypeError("The url of a question must begin with https:");
}
