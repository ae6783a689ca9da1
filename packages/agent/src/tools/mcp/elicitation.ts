/**
 * MCP servers that ask the user while a tool runs. Until 2025-11-25, a server sends a request of its own in the middle of the
 * call. Since 2026-07-28 it answers the call with questions (`input_required`), and the client sends the call once more, with
 * the answers.
 */
import { anySignal, isRecord, processState } from "pi-ai/call";
import { checkOptions, mustBeFlag, mustBeFunction, mustBeText } from "../../checks.js";
import { describeDecline, PausedError } from "../../pause/index.js";
import type { PauseAnswer, PauseRequest, ToolPausing, ToolQuestion } from "../../types/pause.js";
import {
  callTool,
  isVersion2,
  type McpClient,
  type McpRequestOptions,
  type McpToolInfo,
  NO_TIMEOUT_MS,
  toNever,
} from "./connection.js";
import { type ElicitResult, QuestionError, readQuestion, toElicitResult } from "./questions.js";

/** The parts of a client that {@link mcpElicitation} uses, before it is connected. */
export interface ElicitingMcpClient {
  /** Declares what the client can do. Rejects once it is connected. */
  registerCapabilities(...capabilities: never[]): void;
  /** Handles requests of the server. */
  setRequestHandler(...handler: never[]): void;
  /** The name and version of the server, once the client is connected. */
  getServerVersion(): { name: string } | undefined;
}

/** Options of {@link mcpElicitation}. */
export interface McpElicitationOptions {
  /** The name of the server, for people. Default: what the server calls itself. */
  server?: string | undefined;
  /** Whether the server may ask the user to open a page. Default true. */
  url?: boolean | undefined;
  /**
   * Answers a question while the call runs. Its `message` names the server and the host of a page. An answer that does not fit
   * the schema is asked for again, with the `problem`. The calls of an older server then have no `timeoutMs`. Default: the run
   * pauses, and `agent.answer()` and `agent.continue()` go on; the tool is then called again.
   *
   * @param signal aborted when the call is
   */
  answer?: ((request: PauseRequest, signal: AbortSignal | undefined) => Promise<Omit<PauseAnswer, "id">>) | undefined;
}

/** The most rounds of questions in one call, and the most questions in a round. The client of version 2 has the same limit. */
const MAX_ROUNDS = 10;
/** The longest `requestState`, which the transcript keeps, in characters. */
const MAX_STATE = 100_000;
/** The longest key of a question. */
const MAX_KEY = 200;
/** The error of a call that needs a page to be opened first: `URLElicitationRequiredError` of 2025-11-25. */
const URL_REQUIRED = -32042;

/** A client whose server may ask. */
interface Elicitation extends McpElicitationOptions {
  /** Answers the questions of the call that runs. */
  current: ((params: unknown) => Promise<ElicitResult>) | undefined;
  /** Ends when the calls so far have ended. */
  queue: Promise<unknown>;
}

const elicitations = /* @__PURE__ */ processState("mcp elicitations", () => new WeakMap<object, Elicitation>());

/**
 * Lets the server of a client ask the user while a tool of `mcpTools` runs. Call it before the client is connected: it declares
 * the capability `elicitation`, and handles the server's questions. Returns the client.
 *
 * The run pauses, as with `ask` of a tool, unless `answer` is set. Questions name the server; a page is of https, and its host
 * is named. Forms are flat, and all sizes are bounded; a question that breaks a rule is refused. A call has at most 10 rounds of
 * at most 10 questions. Declined questions are `decline` for the server; dismissed ones, those whose time is over, and those of no call are
 * `cancel`.
 *
 * With a server of 2025-11-25 or before, the tools of the client run one after the other: its questions do not say which call
 * they belong to. A call that pauses is cancelled, and sent again with the answer, so that the server runs what stands before
 * the question twice. Since 2026-07-28, a call goes on where it was.
 *
 * @example
 * const client = mcpElicitation(new Client({ name: "my-app", version: "1.0.0" }));
 * await client.connect(transport);
 * const tools = await mcpTools(client);
 *
 * @throws the client's error if it is connected
 */
export function mcpElicitation<TClient extends ElicitingMcpClient>(
  client: TClient,
  options: McpElicitationOptions = {},
): TClient {
  checkOptions(options, { server: mustBeText, url: mustBeFlag, answer: mustBeFunction });
  const { url = true } = options;
  const elicitation: Elicitation = { ...options, current: undefined, queue: Promise.resolve() };
  client.registerCapabilities(...toNever([{ elicitation: { form: {}, ...(url && { url: {} }) } }]));
  const handle = async (request: unknown): Promise<ElicitResult> => {
    const { current } = elicitation;
    // Outside of a call, nobody is there to ask.
    return current ? current(isRecord(request) ? request["params"] : undefined) : { action: "cancel" };
  };
  client.setRequestHandler(...toNever([isVersion2(client) ? "elicitation/create" : ELICIT_REQUEST, handle]));
  elicitations.set(client, elicitation);
  return client;
}

const accept = (data: unknown) => ({ success: true, data });

/** The schema of the request as version 1 reads it: the method by `shape`, then the whole request by a parser. */
const ELICIT_REQUEST = {
  shape: { method: { value: "elicitation/create" } },
  safeParse: accept,
  parse: (data: unknown) => data,
};

/** One call of a tool. */
export interface ElicitedCall {
  readonly tool: McpToolInfo;
  readonly args: Record<string, unknown>;
  readonly options: McpRequestOptions;
  /** Undefined outside of a run. */
  readonly pausing: ToolPausing | undefined;
}

/** Calls a tool of the server, and asks the user what the server asks, if it may. */
export function callElicited(client: McpClient, call: ElicitedCall): Promise<unknown> {
  const elicitation = elicitations.get(client);
  const { tool, args, options, pausing } = call;
  if (!(elicitation && pausing)) return callTool(client, tool, { arguments: args }, options);
  const rounds = new Rounds(client, { ...call, pausing }, elicitation);
  return isModern(client) ? rounds.call() : inTurn(elicitation, options.signal, () => rounds.call());
}

/** Whether the server speaks 2026-07-28 or later. */
function isModern(client: McpClient): boolean {
  return client.getProtocolEra?.() === "modern";
}

/** Runs the calls of a client one after the other. */
async function inTurn<TResult>(
  elicitation: Elicitation,
  signal: AbortSignal | undefined,
  work: () => Promise<TResult>,
): Promise<TResult> {
  const before = elicitation.queue;
  const { promise, resolve } = Promise.withResolvers<void>();
  elicitation.queue = promise;
  try {
    await before;
    signal?.throwIfAborted();
    return await work();
  } finally {
    resolve();
  }
}

/** The questions of a server before a call can go on. */
interface Input {
  readonly questions: readonly { readonly key: string; readonly question: ToolQuestion }[];
  /** Goes back to the server as it came. */
  readonly requestState?: string;
  /** Whether the same call is sent again, without the answers. */
  readonly isRefusal?: true;
}

/** The reply to a call: its result, or questions. */
interface Reply {
  readonly result?: unknown;
  readonly input?: Input;
}

/** The part of a call that has paused which the transcript keeps. */
interface Kept {
  readonly round: number;
  readonly input: Input;
}

/** One call, with all of its questions. */
class Rounds {
  readonly #client: McpClient;
  readonly #call: ElicitedCall & { readonly pausing: ToolPausing };
  readonly #elicitation: Elicitation;
  /** The questions that the server has asked in the middle of the call. */
  #asked = 0;

  constructor(client: McpClient, call: ElicitedCall & { readonly pausing: ToolPausing }, elicitation: Elicitation) {
    this.#client = client;
    this.#call = call;
    this.#elicitation = elicitation;
  }

  async call(): Promise<unknown> {
    const kept = readKept(this.#call.pausing.resume);
    let input = kept?.input;
    let more: Record<string, unknown> = {};
    for (let round = kept?.round ?? 0; ; round++) {
      if (!input) {
        const reply = await (isModern(this.#client) ? this.#send(more) : this.#sendAndListen());
        if (!reply.input) return reply.result;
        input = reply.input;
      }
      if (round === MAX_ROUNDS)
        throw new Error(`The server has asked ${MAX_ROUNDS} times, which is the limit of a call`);
      more = this.#toParams(input, await this.#ask(input.questions, { round, input }));
      input = undefined;
    }
  }

  async #ask(questions: Input["questions"], resume: Kept | undefined): Promise<readonly PauseAnswer[]> {
    const { pausing, options } = this.#call;
    const { answer } = this.#elicitation;
    return pausing.askAll(
      questions.map(({ question }) => question),
      { ...(resume && { resume }), ...(answer && { answer: (request) => answer(request, options.signal) }) },
    );
  }

  #toParams({ questions, requestState, isRefusal }: Input, answers: readonly PauseAnswer[]): Record<string, unknown> {
    const results = questions.map(({ key, question }, index) => {
      const answer = answers[index] ?? { id: key, approved: false };
      if (isRefusal && !answer.approved) throw new Error(describeDecline(`The question "${question.message}"`, answer));
      return [key, toElicitResult(question, answer)] as const;
    });
    return {
      ...(results.length > 0 && !isRefusal && { inputResponses: Object.fromEntries(results) }),
      ...(requestState !== undefined && { requestState }),
    };
  }

  async #send(more: Record<string, unknown>, options = this.#call.options): Promise<Reply> {
    const { tool, args } = this.#call;
    const sent = { arguments: args, ...more };
    let result: unknown;
    try {
      result = await callTool(this.#client, tool, sent, { ...options, allowInputRequired: true });
    } catch (error) {
      const input = this.#readRefusal(error);
      if (input) return { input };
      throw error;
    }
    const asks = isModern(this.#client) && isRecord(result) && result["resultType"] === "input_required";
    return asks ? { input: this.#readInput(Object(result)) } : { result };
  }

  /** The server may ask in the middle of the call. */
  async #sendAndListen(): Promise<Reply> {
    const { options } = this.#call;
    const elicitation = this.#elicitation;
    const ending = new AbortController();
    let paused: { readonly error: PausedError } | undefined;
    elicitation.current = async (params) => {
      try {
        return await this.#answer(params);
      } catch (error) {
        if (!(error instanceof PausedError)) throw error;
        paused = { error };
        // The server learns that the call is over before it learns that there is no answer.
        ending.abort(error);
        return { action: "cancel" };
      }
    };
    try {
      const signal = options.signal ? anySignal([options.signal, ending.signal]) : ending.signal;
      // The client's clock would go on while the user thinks.
      return await this.#send({}, { ...options, signal, ...(elicitation.answer && { timeout: NO_TIMEOUT_MS }) });
    } catch (error) {
      throw paused ? paused.error : error;
    } finally {
      elicitation.current = undefined;
    }
  }

  async #answer(params: unknown): Promise<ElicitResult> {
    if (++this.#asked > MAX_ROUNDS) throw new QuestionError(`A call has at most ${MAX_ROUNDS} questions`);
    const question = this.#read(params);
    const [answer] = await this.#ask([{ key: "", question }], undefined);
    return answer ? toElicitResult(question, answer) : { action: "cancel" };
  }

  #read(params: unknown): ToolQuestion {
    const { server = this.#client.getServerVersion?.()?.name ?? "", url = true } = this.#elicitation;
    const question = readQuestion(params, server);
    if (question.url !== undefined && !url) throw new QuestionError("No page can be opened here");
    return question;
  }

  #readInput({ inputRequests = {}, requestState }: Record<string, unknown>): Input {
    if (requestState !== undefined && !(typeof requestState === "string" && requestState.length <= MAX_STATE))
      throw new QuestionError(`A requestState is a text of at most ${MAX_STATE} characters`);
    const requests = Object.entries(isRecord(inputRequests) ? inputRequests : {});
    return { questions: this.#readAll(requests), ...(requestState !== undefined && { requestState }) };
  }

  #readAll(requests: readonly (readonly [string, unknown])[]): Input["questions"] {
    if (requests.length > MAX_ROUNDS) throw new QuestionError(`A round has at most ${MAX_ROUNDS} questions`);
    return requests.map(([key, request]) => {
      const { method, params }: Record<string, unknown> = isRecord(request) ? request : {};
      if (method !== "elicitation/create")
        throw new QuestionError(`Nothing answers ${String(JSON.stringify(method)).slice(0, 80)}`);
      if (key.length > MAX_KEY) throw new QuestionError(`A key has at most ${MAX_KEY} characters`);
      return { key, question: this.#read(params) };
    });
  }

  /** The pages that an error of the server names. */
  #readRefusal(error: unknown): Input | undefined {
    const { code, data }: Record<string, unknown> = Object(error);
    const pages = isRecord(data) ? data["elicitations"] : undefined;
    if (code !== URL_REQUIRED || !Array.isArray(pages)) return undefined;
    const requests = pages.map((params, index) => [String(index), { method: "elicitation/create", params }] as const);
    return { questions: this.#readAll(requests), isRefusal: true };
  }
}

/** The transcript may come from anywhere. */
function readKept(kept: unknown): Kept | undefined {
  if (!isRecord(kept) || !isRecord(kept["input"])) return undefined;
  const { round, input } = kept;
  const { questions, requestState, isRefusal } = input;
  if (!(Array.isArray(questions) && questions.every(isKeptQuestion))) return undefined;
  const number = Number(round);
  if (!(Number.isInteger(number) && number >= 0 && number < MAX_ROUNDS)) return undefined;
  return {
    round: number,
    input: {
      questions,
      ...(typeof requestState === "string" && { requestState }),
      ...(isRefusal === true && { isRefusal }),
    },
  };
}

function isKeptQuestion(kept: unknown): kept is Input["questions"][number] {
  if (!isRecord(kept) || typeof kept["key"] !== "string" || !isRecord(kept["question"])) return false;
  const { message, schema, url } = kept["question"];
  return typeof message === "string" && (schema === undefined || isRecord(schema)) && typeof (url ?? "") === "string";
}
