/** Sends the requests of forks as the run itself would, so that keys stay in the program. */
import { type Fields, fieldsOf, listOf, textOf } from "../record/fields.js";
import type { AllowedCall, ForkRequest, Launcher, ModelName, SendOptions } from "../record/launcher.js";
import type { Shown } from "../record/shown.js";

/** A run, as middleware of `pi-agent` sees it. Declared here because this package does not depend on it. */
export interface RecordedRun {
  /** Identifies the run. */
  readonly root: object;
  /** The tool call that runs the agent. */
  readonly parentCall: { readonly name: string } | undefined;
  /** The signal of the run. Its requests carry the same one. */
  readonly signal: AbortSignal | undefined;
  /** The model of the next request. */
  readonly model: { readonly id: string; readonly provider?: string };
  /** The level of thinking of the next request. */
  readonly thinkingLevel: string;
  /** The instructions, the conversation and the tools. */
  readonly context: {
    readonly systemPrompt: string;
    readonly messages: readonly unknown[];
    readonly tools?: readonly unknown[] | undefined;
  };
  /** Calls a function with each delta. */
  onDelta(listener: (event: { readonly type: string }) => void): void;
  /** Repeats requests and tool calls beside the run. */
  fork(signal: AbortSignal): Promise<ForkedRun>;
}

/** Requests and tool calls beside a run, through its own middleware. */
export interface ForkedRun {
  /** The signal that its requests carry. */
  readonly signal: AbortSignal;
  /** Sends a request. */
  respond(request: never): Promise<unknown>;
  /** Runs a tool call. */
  runTool(toolCall: never, assistantMessage: never, context: never): Promise<unknown>;
  /** Ends the middleware. */
  end(): Promise<void>;
}

/** The options for forks of an agent's runs. */
export interface ForkOptions {
  /** Models that a fork can use besides the run's own, as `getModel` of `pi-ai` returns them. Default: none. */
  models?: readonly ModelName[] | undefined;
  /**
   * Whether the page can run the agent's tools in a fork: one call at a time, after the user has confirmed it. The arguments
   * are validated and the hooks of tool calls are called. Default false.
   */
  runTools?: boolean | undefined;
}

/** @param shown learns of the requests, which belong to the fork */
export function createRunLauncher({ fork, model, context }: RecordedRun, options: ForkOptions, shown: Shown): Launcher {
  // Keeps of the run only what forks need, because the run is shown for long.
  const begin = async (signal: AbortSignal): Promise<ForkedRun> => {
    const forked = await fork(signal);
    shown.add(forked.signal);
    return forked;
  };
  return new RunLauncher(begin, { model, tools: listOf(context.tools) }, options);
}

class RunLauncher implements Launcher {
  readonly target = "through the program's own agent, which holds the keys";
  readonly anyModel = false;
  readonly models: readonly ModelName[];
  readonly #fork: RecordedRun["fork"];
  readonly #model: RecordedRun["model"];
  readonly #tools: readonly unknown[];
  readonly #runTools: boolean;
  /** The forks, by their signals. */
  readonly #forks = new WeakMap<AbortSignal, Promise<ForkedRun>>();

  constructor(
    fork: RecordedRun["fork"],
    { model, tools }: { model: RecordedRun["model"]; tools: readonly unknown[] },
    { models = [], runTools = false }: ForkOptions,
  ) {
    this.models = models;
    this.#fork = fork;
    this.#model = model;
    this.#tools = tools;
    this.#runTools = runTools;
  }

  async send(request: ForkRequest, { signal, onPartial }: SendOptions): Promise<Fields> {
    const { system, messages, thinking } = request;
    const tools = request.tools.map((tool) => ({
      execute: refuseToRun,
      ...fieldsOf(this.#toolOf(fieldsOf(tool)["name"])),
      ...fieldsOf(tool),
    }));
    const context = { systemPrompt: system, messages: [...messages], tools };
    const sent = { model: this.#modelOf(request), context, thinkingLevel: thinking, onPartial };
    // The model, the messages and the tools are those of the run, whose types are not known here.
    return fieldsOf(await (await this.#forkOf(signal)).respond(sent as never));
  }

  canRun(tool: string): boolean {
    return this.#runTools && this.#toolOf(tool) !== undefined;
  }

  async runTool({ call, response, system, messages, signal }: AllowedCall): Promise<Fields> {
    const context = { systemPrompt: system, messages: [...messages], tools: this.#tools };
    // As above.
    const outcome = await (await this.#forkOf(signal)).runTool(call as never, response as never, context as never);
    const { result, isError } = fieldsOf(outcome);
    return { content: fieldsOf(result)["content"], isError };
  }

  async end(signal: AbortSignal): Promise<void> {
    await (await this.#forks.get(signal))?.end();
  }

  #forkOf(signal: AbortSignal): Promise<ForkedRun> {
    const forked = this.#forks.get(signal) ?? this.#fork(signal);
    this.#forks.set(signal, forked);
    return forked;
  }

  /** Finds the application's model with this name, which has the address and the prices. */
  #modelOf({ model: { provider, id }, originalModel }: ForkRequest): unknown {
    const candidates = [this.#model, ...this.models, originalModel].map(fieldsOf);
    const model = candidates.find((one) => one["id"] === id && textOf(one["provider"]) === provider);
    if (!model) throw new Error(`The program offers no model ${provider}/${id}`);
    return model;
  }

  #toolOf(name: unknown): unknown {
    return this.#tools.find((tool) => fieldsOf(tool)["name"] === name);
  }
}

/** A fork runs a tool only through `runTool`. */
function refuseToRun(): never {
  throw new Error("A fork runs no tool by itself");
}

/** What the run currently sends besides the messages, for its details and for forks. */
export function instructionsOf({ context, model, thinkingLevel }: RecordedRun): {
  system: unknown;
  tools: unknown[];
  model: unknown;
  thinking: unknown;
} {
  return {
    system: context.systemPrompt,
    tools: listOf(context.tools).map(describeTool),
    model,
    thinking: thinkingLevel,
  };
}

function describeTool(tool: unknown): unknown {
  const { name, description, parameters } = fieldsOf(tool);
  return { name: textOf(name), description, parameters };
}
