/** Chooses how to request typed output from a model, prepares the request, and reads the response. */
import { resolveOutputRules } from "../catalogue/compat/index.js";
import { ConfigError, cutText, PiError } from "../errors.js";
import type { Context, Tool } from "../types/context.js";
import type { AssistantMessage, ErrorInfo, ErrorKind, Message, ToolCall, Usage } from "../types/message.js";
import type { Model } from "../types/model.js";
import type { SimpleStreamOptions } from "../types/options.js";
import { isRecord } from "../utils/is-object.js";
import { isFailure, messageText } from "../utils/message-facts.js";
import { DEFAULT_MAX_JSON_DEPTH, isJsonDeeperThan, parseJsonWithRepair, StreamingJsonParser } from "../wire/index.js";
import {
  hasFreeNames,
  isAddedNull,
  type ObjectOf,
  type OutputMode,
  type OutputSchema,
  readOutputSchema,
  removeAddedNulls,
  unwrap,
  wrapSchema,
} from "./output-schema.js";

/** The requested output. */
export interface OutputRequest<TSchema extends object = object> {
  /**
   * The schema of the output: TypeBox, Zod, Valibot, ArkType (Standard Schema with JSON Schema), or JSON Schema. Lists,
   * unions and single values are allowed at the top level.
   */
  schema: TSchema;
  /** A name for the output, which the model sees: up to 64 letters, digits, `_` and `-`. Default `"output"`. */
  name?: string | undefined;
  /** Describes the output to the model. */
  description?: string | undefined;
  /**
   * How to request it. `"auto"`: the provider's native mode if the model has one that fits the request, else a tool that the
   * model must call, else instructions. Default `"auto"`.
   */
  mode?: OutputMode | "auto" | undefined;
}

/** The result of reading one response. */
export type OutputReading<TValue = unknown> =
  | { type: "object"; object: TValue }
  | { type: "invalid"; errors: string[]; text: string; value?: unknown }
  | { type: "failed"; kind: ErrorKind; message: string };

const DEFAULT_NAME = "output";
const MODES: readonly (OutputMode | "auto")[] = ["auto", "native", "tool", "text"];
/** The longest invalid arguments that are sent back, in characters. */
const MAX_SENT = 20_000;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The way in which one output is requested from one model. */
export class OutputPlan<TSchema extends object = object> {
  /** How the output is requested. */
  readonly mode: OutputMode;
  /** The name of the output, and of the tool in the mode `tool`. */
  readonly name: string;
  /** Whether the value arrives as a property of an object, because providers want an object. */
  readonly wrapped: boolean;
  /** Whether an absent property arrives as null. */
  readonly addsNulls: boolean;
  readonly #schema: OutputSchema;
  readonly #sent: object;
  readonly #description: string;

  /** @throws ConfigError if the schema or the name cannot be used */
  constructor(model: Model, context: Context, request: OutputRequest<TSchema>) {
    const { name = DEFAULT_NAME, description, mode = "auto", schema } = request;
    if (!NAME.test(name)) throw new ConfigError(`The name of an output must match ${NAME.source}, not "${name}"`);
    if (!MODES.includes(mode)) {
      throw new ConfigError(`The option mode must be one of ${MODES.join(", ")}, not "${String(mode)}"`);
    }
    this.#schema = readOutputSchema(schema);
    const { schema: sent, wrapped } = wrapSchema(this.#schema.json);
    this.#sent = sent;
    this.wrapped = wrapped;
    this.name = name;
    this.mode = mode === "auto" ? chooseMode(model, context, sent) : mode;
    this.addsNulls = this.mode === "native" && resolveOutputRules(model).subset.allRequired;
    this.#description = description ?? "Returns the output. Call it once, with the complete output.";
    if (this.mode === "tool" && context.tools?.some((tool) => tool.name === name)) {
      throw new ConfigError(`context.tools already has a tool "${name}"; set the option name of the output`);
    }
  }

  /** The tool through which the model returns the output, in the mode `tool`. */
  get tool(): Tool {
    return { name: this.name, description: this.#description, parameters: this.#sent, once: true };
  }

  /** Returns the context with the additions of the mode. */
  extendContext(context: Context): Context {
    if (this.mode === "tool") return { ...context, tools: [...(context.tools ?? []), this.tool] };
    if (this.mode === "native") return context;
    const instructions =
      "Respond with one JSON object that fits this JSON Schema, and with nothing else: no explanation, no code fence.\n" +
      JSON.stringify(this.#sent);
    return { ...context, systemPrompt: [context.systemPrompt, instructions].filter(Boolean).join("\n\n") };
  }

  /** Returns the options with the additions of the mode. */
  extendOptions(options: SimpleStreamOptions): SimpleStreamOptions {
    if (this.mode === "tool") return { ...options, toolChoice: "required" };
    if (this.mode === "text") return options;
    return { ...options, outputFormat: { schema: this.#sent, name: this.name } };
  }

  /** Whether a null at this path of the partial output stands for an absent property. */
  isAddedNull(path: readonly string[]): boolean {
    return this.addsNulls && isAddedNull(this.wrapped ? path.slice(1) : path, this.#schema.json);
  }

  /** Reads the output from a response, or the reason why there is none. */
  async read(message: AssistantMessage): Promise<OutputReading<ObjectOf<TSchema>>> {
    const failure = findFailure(message);
    if (failure) return { type: "failed", ...failure };
    const calls = message.content.filter((block) => block.type === "toolCall");
    const own = this.mode === "tool" ? calls.filter((call) => call.name === this.name) : [];
    const [call, ...others] = own;
    if (!call && calls.length > 0) return { type: "failed", kind: "tool_use", message: describeCalls(calls) };
    if (others.length > 0) return invalid(`root: ${own.length} calls of ${this.name}; there must be exactly one`, own);
    if (call) return this.readCall(call);
    if (this.mode === "tool") return invalid(`root: the tool ${this.name} was not called`, messageText(message));
    return this.#readText(messageText(message));
  }

  /** Reads the output from a call of the tool. */
  async readCall(call: ToolCall): Promise<OutputReading<ObjectOf<TSchema>>> {
    const text = call.argumentsText ?? JSON.stringify(call.arguments);
    if (call.argumentsError !== undefined) return invalid(`root: ${call.argumentsError}`, text);
    return this.#check(structuredClone(call.arguments), text);
  }

  async #readText(text: string): Promise<OutputReading<ObjectOf<TSchema>>> {
    const found = findJson(text);
    return "fault" in found ? invalid(found.fault, text) : this.#check(found.value, text);
  }

  async #check(received: unknown, text: string): Promise<OutputReading<ObjectOf<TSchema>>> {
    const value = this.wrapped ? unwrap(received) : received;
    if (value === undefined) return { ...invalid("value: must be present", text), value: received };
    if (this.addsNulls) removeAddedNulls(value, this.#schema.json);
    const checked = await this.#schema.check(value);
    if ("errors" in checked) return { type: "invalid", errors: checked.errors, text, value };
    // The value fits the schema, and the type is derived from the schema.
    return { type: "object", object: checked.value as ObjectOf<TSchema> };
  }

  /** Returns the messages that send an invalid output back, with the validator's errors. */
  repair(message: AssistantMessage, errors: readonly string[]): Message[] {
    const list = errors.map((line) => `  - ${line}`).join("\n");
    const problem = `The output is not valid:\n${list}\n\nRespond again, with the complete, corrected output.`;
    const calls = message.content.filter((block) => block.type === "toolCall");
    if (calls.length === 0) return [message, { role: "user", content: problem, timestamp: Date.now() }];
    return [message, ...calls.map((call) => this.#toResult(call, problem))];
  }

  #toResult({ id, name, argumentsError, argumentsText }: ToolCall, problem: string): Message {
    // A call whose arguments are not JSON is sent back without them.
    const sent =
      argumentsError === undefined || !argumentsText ? "" : `\n\nYou sent:\n${cutText(argumentsText, MAX_SENT)}`;
    const text = name === this.name ? `${problem}${sent}` : "The tool was not run.";
    return {
      role: "toolResult",
      toolCallId: id,
      toolName: name,
      content: [{ type: "text", text }],
      isError: true,
      timestamp: Date.now(),
    };
  }
}

function chooseMode(model: Model, context: Context, schema: object): OutputMode {
  const rules = resolveOutputRules(model);
  const hasTools = (context.tools?.length ?? 0) > 0;
  const expressible = !rules.subset.closed || !hasFreeNames(schema);
  if (rules.native && expressible && (!hasTools || rules.nativeWithTools)) return "native";
  return rules.tools ? "tool" : "text";
}

function describeCalls(calls: readonly ToolCall[]): string {
  const names = [...new Set(calls.map(({ name }) => name))].join(", ");
  return `The model called other tools (${names}) instead of returning the output`;
}

function invalid(error: string, text: string | readonly ToolCall[]): OutputReading<never> & { type: "invalid" } {
  return { type: "invalid", errors: [error], text: typeof text === "string" ? text : JSON.stringify(text) };
}

// Determines whether a response is a failure, and of which kind.

export interface ResponseFailure {
  kind: ErrorKind;
  message: string;
}

/** Returns undefined for a response that ended normally, with text or tool calls. */
export function findFailure(response: AssistantMessage): ResponseFailure | undefined {
  const { stopReason, error, errorMessage, diagnostics } = response;
  if (isFailure(stopReason)) {
    const kind = error?.kind ?? (stopReason === "aborted" ? "aborted" : "unknown");
    return { kind, message: errorMessage ?? `The response ended with ${stopReason}` };
  }
  // Some apis end a refusal like any other response.
  if (diagnostics?.some(({ type }) => type === "refusal")) {
    return { kind: "content_filter", message: messageText(response) || "The model refused to respond" };
  }
  if (stopReason === "length") return { kind: "length", message: "The response reached the output limit" };
  return undefined;
}

/** The maximum number of passes over a text, because a text full of braces would take one for each. */
const MAX_PASSES = 16;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** The value, or a line that tells the model what is wrong with the text. */
type FoundJson = { value: unknown } | { fault: string };

/**
 * Returns the JSON of a response: the whole text, or else the first complete object in it, such as the content of a code
 * fence or the text after an introduction.
 */
function findJson(text: string): FoundJson {
  const whole = text.trim();
  if (whole === "") return { fault: "root: the response has no text" };
  const found = parse(whole) ?? findObject(whole);
  return found ?? { fault: `root: ${describeFault(whole)}` };
}

function findObject(text: string): FoundJson | undefined {
  let budget = text.length * MAX_PASSES;
  for (let start = text.indexOf("{"); start !== -1 && budget > 0; start = text.indexOf("{", start + 1)) {
    const end = findEnd(text, start);
    budget -= (end ?? text.length) - start;
    const found = end === undefined ? undefined : parse(text.slice(start, end));
    if (found && ("fault" in found || isRecord(found.value))) return found;
  }
  return undefined;
}

/** Parsing and every reader of the value may recurse, so deep texts are refused first. */
function parse(text: string): FoundJson | undefined {
  const tooDeep = isJsonDeeperThan(text, DEFAULT_MAX_JSON_DEPTH);
  if (tooDeep) return { fault: `root: must NOT be nested deeper than ${DEFAULT_MAX_JSON_DEPTH} levels` };
  try {
    return { value: parseJsonWithRepair(text) };
  } catch {
    return undefined;
  }
}

/** The index after the brace that closes the one at `start`. */
function findEnd(text: string, start: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let index = start; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (quoted && code === BACKSLASH) index++;
    else if (code === QUOTE) quoted = !quoted;
    else if (quoted) continue;
    else if (code === OPEN) depth++;
    else if (code === CLOSE && --depth === 0) return index + 1;
  }
  return undefined;
}

function describeFault(text: string): string {
  const start = text.indexOf("{");
  if (start === -1) return "the response holds no JSON object";
  const parser = new StreamingJsonParser();
  parser.feed(text.slice(start));
  return parser.error === undefined ? "the JSON is not complete" : `the JSON is not valid: ${parser.error}`;
}

// The error of a response that is not the requested output.

/** The fields of an {@link OutputError}. */
export interface OutputErrorFacts {
  /** The kind of failure. */
  kind: ErrorKind;
  /** The error text. */
  message: string;
  /** Every response, oldest first. */
  responses: readonly AssistantMessage[];
  /** Tokens and cost of all responses together. */
  usage: Usage;
  /** How the output was requested. */
  mode?: OutputMode | undefined;
  /** The text of the output that the model sent, for `invalid_output`. */
  text?: string | undefined;
  /** The value of that text, if it is JSON. */
  value?: unknown;
  /** The validator's words, one line for each fault. */
  errors?: readonly string[] | undefined;
  /** Whether the same request may succeed when it is sent again. Default false. */
  retryable?: boolean | undefined;
}

/**
 * The error for a response without the requested output. Its kind is the reason: `invalid_output` (the output does not fit
 * the schema, even after the repairs), `length` (the response reached the output limit), `content_filter` (the model or
 * the provider refused), `tool_use` (the model called only other tools), or the kind of the provider's failure, such as
 * `rate_limit`.
 */
export class OutputError extends PiError {
  override readonly name: string = "OutputError";
  /** Every response, oldest first. */
  readonly responses: readonly AssistantMessage[];
  /** Tokens and cost of all responses together. */
  readonly usage: Usage;
  /** How the output was requested; undefined for plain text. */
  readonly mode: OutputMode | undefined;
  /** The text of the output that the model sent, for `invalid_output`. */
  readonly text: string | undefined;
  /** The value of that text, if it is JSON. */
  readonly value: unknown;
  /** The validator's words, one line for each fault. */
  readonly errors: readonly string[];

  constructor(facts: OutputErrorFacts) {
    super(facts.kind, facts.message, { retryable: facts.retryable ?? false });
    this.responses = facts.responses;
    this.usage = facts.usage;
    this.mode = facts.mode;
    this.text = facts.text;
    this.value = facts.value;
    this.errors = facts.errors ?? [];
  }

  /** The last response. */
  get response(): AssistantMessage | undefined {
    return this.responses.at(-1);
  }

  override get info(): ErrorInfo {
    return { ...this.response?.error, kind: this.kind };
  }
}
