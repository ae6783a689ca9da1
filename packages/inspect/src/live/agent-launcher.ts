/** Sends the requests of forks through the agent's own stream function, so that the keys stay in the program. */
import { type Fields, fieldsOf, listOf, textOf } from "../record/fields.js";
import type { AllowedCall, ForkRequest, Launcher, ModelName, SendOptions } from "../record/launcher.js";

/** What the inspector uses of an `Agent` of `pi-agent`, declared here because this package does not depend on it. */
export interface InspectableAgent {
  /** What its next request sends. The inspector never changes it. */
  readonly state: {
    /** The model. */
    readonly model: { readonly id: string; readonly provider?: string };
    /** The instructions before the conversation. */
    readonly systemPrompt: string;
    /** The tools. */
    readonly tools: readonly unknown[];
    /** The level of thinking, such as `medium`. */
    readonly thinkingLevel?: string;
    /** The conversation. */
    readonly messages: readonly unknown[];
  };
  /** The signal of the run in progress. Its requests carry the same one. */
  readonly signal?: AbortSignal | undefined;
  /** Calls a listener with every event. Returns a function that removes the listener. */
  subscribe(listener: (event: { readonly type: string }) => void): () => unknown;

  /** Sends a request to a model. Forks use it; without it, runs cannot be forked. */
  streamFn?(model: never, context: never, options?: never): unknown;
  /** Converts the conversation to messages for the model. */
  convertToLlm?(messages: never[]): unknown;
  /** Returns the key for a request. It stays in this process. */
  getApiKey?: ((provider: string) => unknown) | undefined;
}

/** The options for forks of an agent's runs. */
export interface AgentLauncherOptions {
  /** Models that a fork can use besides the agent's own, as `getModel` of `pi-ai` returns them. Default: none. */
  models?: readonly ModelName[];
  /**
   * `runToolCall` of `pi-agent`. With it, the page can run the agent's tools in a fork: one call at a time, after the user
   * has confirmed it. The arguments are validated and the agent's hooks are called. Default: the page cannot run tools.
   */
  runToolCall?: (call: never, options: never) => Promise<{ readonly result: unknown; readonly isError: boolean }>;
}

/** The properties of an agent that become options of its requests. */
const REQUEST_SETTINGS = ["transport", "thinkingBudgets", "maxRetryDelayMs", "onPayload", "onResponse"];
/** The properties of an agent that become options of its tool calls. */
const TOOL_SETTINGS = ["beforeToolCall", "wrapToolCall", "afterToolCall", "toolTimeoutMs"];

/** Undefined for an agent without a stream function. */
export function createAgentLauncher(agent: InspectableAgent, options: AgentLauncherOptions): Launcher | undefined {
  return agent.streamFn ? new AgentLauncher(agent, options) : undefined;
}

class AgentLauncher implements Launcher {
  readonly target = "through the program's own agent, which holds the keys";
  readonly anyModel = false;
  readonly models: readonly ModelName[];
  readonly #agent: InspectableAgent;
  readonly #runToolCall: AgentLauncherOptions["runToolCall"];

  constructor(agent: InspectableAgent, { models = [], runToolCall }: AgentLauncherOptions) {
    this.#agent = agent;
    this.models = models;
    this.#runToolCall = runToolCall;
  }

  async send(request: ForkRequest, { signal, onPartial }: SendOptions): Promise<Fields> {
    const { system, messages, thinking } = request;
    const agent = fieldsOf(this.#agent);
    const model = this.#modelOf(request);
    const apiKey = await this.#agent.getApiKey?.(request.model.provider);
    const tools = request.tools.map((tool) => ({
      ...fieldsOf(this.#toolOf(fieldsOf(tool)["name"])),
      ...fieldsOf(tool),
    }));
    const context = { systemPrompt: system, messages: await this.#convert(messages), tools };
    const options = {
      ...fieldsOf(agent["streamOptions"]),
      ...pick(agent, REQUEST_SETTINGS),
      ...(thinking !== "off" && { reasoning: thinking }),
      ...(typeof apiKey === "string" && { apiKey }),
      signal,
    };
    // The function is the agent's own, and so are the types of the model and the messages.
    const stream = fieldsOf(await this.#agent.streamFn?.(model as never, context as never, options as never));
    return readStream(stream, onPartial);
  }

  canRun(tool: string): boolean {
    return this.#runToolCall !== undefined && this.#toolOf(tool) !== undefined;
  }

  async runTool({ call, response, system, messages, signal }: AllowedCall): Promise<Fields> {
    const { tools } = this.#agent.state;
    const options = {
      tools,
      assistantMessage: response,
      context: { systemPrompt: system, messages: [...messages], tools },
      ...pick(fieldsOf(this.#agent), TOOL_SETTINGS),
      signal,
    };
    // As above: the types are those of the agent.
    const outcome = await this.#runToolCall?.(call as never, options as never);
    return { content: fieldsOf(outcome?.result)["content"], isError: outcome?.isError };
  }

  /** Finds the application's model with this name, which has the address and the prices. */
  #modelOf({ model: { provider, id }, originalModel }: ForkRequest): unknown {
    const candidates = [this.#agent.state.model, ...this.models, originalModel].map(fieldsOf);
    const model = candidates.find((one) => one["id"] === id && textOf(one["provider"]) === provider);
    if (!model) throw new Error(`The program offers no model ${provider}/${id}`);
    return model;
  }

  #toolOf(name: unknown): unknown {
    return this.#agent.state.tools.find((tool) => fieldsOf(tool)["name"] === name);
  }

  async #convert(messages: readonly unknown[]): Promise<unknown> {
    // The function and the messages are of the same agent.
    return this.#agent.convertToLlm ? this.#agent.convertToLlm([...messages] as never[]) : messages;
  }
}

/** Reads the events of a stream. The last one contains the message. */
async function readStream(stream: Fields, onPartial: SendOptions["onPartial"]): Promise<Fields> {
  // A stream of the agent is an async iterable of events.
  for await (const event of stream as unknown as AsyncIterable<unknown>) {
    const { type, partial, message, error } = fieldsOf(event);
    if (type === "done") return fieldsOf(message);
    if (type === "error") return fieldsOf(error);
    if (partial !== undefined) onPartial(fieldsOf(partial));
  }
  throw new Error("The stream ended without a response");
}

function pick(source: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.filter((name) => source[name] !== undefined).map((name) => [name, source[name]]));
}

/** What the agent currently sends besides the messages, for the details of its runs and for forks. */
export function instructionsOf({ state }: InspectableAgent): {
  system: unknown;
  tools: unknown[];
  model: unknown;
  thinking: unknown;
} {
  const { model, systemPrompt, tools, thinkingLevel } = state;
  return { system: systemPrompt, tools: listOf(tools).map(describeTool), model, thinking: thinkingLevel };
}

function describeTool(tool: unknown): unknown {
  const { name, description, parameters } = fieldsOf(tool);
  return { name: textOf(name), description, parameters };
}
