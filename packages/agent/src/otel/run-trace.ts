/** Records the spans of an agent's runs, one run at a time. */
import type { AssistantMessage } from "pi-ai";
import { processState } from "pi-ai/call";
import {
  type Chat,
  createTelemetry,
  describeError,
  describeModel,
  describeUsage,
  failureOf,
  type Operation,
  startChat,
  type Telemetry,
  type TelemetryOptions,
} from "pi-ai/otel";
import type { AgentEvent } from "../types/event.js";
import type { ModelRequest } from "../types/model-request.js";
import { CHILD_OBSERVERS } from "../types/parent-run.js";
import type { AgentToolResult } from "../types/tool.js";
import type { WrapToolCallContext } from "../types/tool-call-hooks.js";
import { addUsage } from "./add-usage.js";
import type { TraceableAgent } from "./traceable-agent.js";

/** The options of `traceAgent`. */
export interface TraceAgentOptions extends TelemetryOptions {
  /** The agent's name, for `gen_ai.agent.name`. Default: none. */
  name?: string;
}

/** What the trace of a run passes on to that of an agent which one of its tools runs. */
interface Inherited {
  context: Operation["context"];
  conversationId: string | undefined;
}

/** The traces of agents. An agent that is traced by itself is not traced again by its parent. */
const traces = /* @__PURE__ */ processState("traces", () => new WeakMap<object, RunTrace>());

export class RunTrace {
  #inherited: Inherited | undefined;
  readonly #agent: TraceableAgent;
  readonly #options: TraceAgentOptions;
  readonly #telemetry: Telemetry;
  #run: Operation | undefined;
  #chat: Chat | undefined;
  /** The open spans. They end with the run, so that a stuck hook or tool cannot keep one open. */
  readonly #open = new Set<(error: unknown) => void>();

  constructor(agent: TraceableAgent, options: TraceAgentOptions) {
    this.#agent = agent;
    this.#options = options;
    this.#telemetry = createTelemetry(options);
  }

  /** Records the agent's runs. Returns the function that stops it. */
  attach(): () => void {
    const agent = this.#agent;
    const { wrapModelCall, wrapToolCall } = agent;
    agent.wrapModelCall = (request, send, signal) =>
      this.#request(request, (next) => (wrapModelCall ? wrapModelCall(next, send, signal) : send(next)));
    agent.wrapToolCall = (call, execute, signal) =>
      this.#tool(call, () => (wrapToolCall ? wrapToolCall(call, execute, signal) : execute()));
    const unsubscribe = agent.subscribe((event) => this.#see(event));
    traces.set(agent, this);
    return () => {
      unsubscribe();
      traces.delete(agent);
      agent.wrapModelCall = wrapModelCall;
      agent.wrapToolCall = wrapToolCall;
      this.#end([]);
    };
  }

  get #conversationId(): string | undefined {
    return this.#agent.sessionId ?? this.#inherited?.conversationId;
  }

  /** Records an agent that a tool runs as a part of this run, in the same conversation. */
  #adopt(child: object, name: string, context: Operation["context"]): (() => void) | undefined {
    const own = traces.get(child);
    const trace = own ?? (isTraceable(child) ? new RunTrace(child, { ...this.#options, name }) : undefined);
    if (!trace) return undefined;
    trace.#inherited = { context, conversationId: this.#conversationId };
    const stop = own ? undefined : trace.attach();
    return () => {
      stop?.();
      trace.#inherited = undefined;
    };
  }

  #see(event: AgentEvent): void {
    if (event.type === "agent_start") this.#start();
    else if (event.type === "message_start" && event.message.role === "assistant") this.#chat?.begin(event.message);
    else if (event.type === "tool_execution_end" && event.durationMs === undefined)
      this.#run?.span.addEvent("pi.tool_call.refused", { "gen_ai.tool.name": event.toolName });
    else if (event.type === "agent_end") this.#end(event.messages);
  }

  #end(messages: readonly { role: string }[]): void {
    for (const fail of this.#open) fail(undefined);
    this.#open.clear();
    const responses = messages.filter((message): message is AssistantMessage => message.role === "assistant");
    const last = responses.at(-1);
    const failure = last && failureOf(last);
    this.#run?.set(describeUsage(addUsage(responses), failure !== undefined));
    this.#run?.end(failure);
    this.#run = undefined;
  }

  #request(
    request: ModelRequest,
    send: (request: ModelRequest) => Promise<AssistantMessage>,
  ): Promise<AssistantMessage> {
    const conversationId = request.options.sessionId ?? this.#conversationId;
    const chat = startChat(this.#telemetry, { ...request, conversationId }, this.#run?.context);
    this.#chat = chat;
    return this.#watch(
      () => chat.run(() => send(request)),
      (message) => chat.end(message),
      (error) => chat.fail(error),
    );
  }

  #tool(call: WrapToolCallContext, execute: () => Promise<AgentToolResult>): Promise<AgentToolResult> {
    const { toolCall, tool } = call;
    const operation = this.#telemetry.start({
      operation: "execute_tool",
      subject: toolCall.name,
      metric: "gen_ai.execute_tool.duration",
      attributes: { "gen_ai.tool.name": toolCall.name, "gen_ai.tool.type": "function" },
      details: { "gen_ai.tool.call.id": toolCall.id, "gen_ai.tool.description": tool.description },
      parent: this.#run?.context,
    });
    operation.setContent("gen_ai.tool.call.arguments", () => call.args);
    CHILD_OBSERVERS.set(call.args, (child) => this.#adopt(child, toolCall.name, operation.context));
    return this.#watch(
      () => operation.run(execute),
      (result) => {
        operation.setContent("gen_ai.tool.call.result", () => result.content);
        operation.end();
      },
      (error) => {
        const { type, message } = describeError(error);
        // The message of a tool's error may contain content, which a span must not show.
        operation.end({ type, message: this.#options.content ? message : undefined });
      },
    );
  }

  async #watch<TResult>(
    work: () => Promise<TResult>,
    end: (result: TResult) => void,
    fail: (error: unknown) => void,
  ): Promise<TResult> {
    this.#open.add(fail);
    try {
      const result = await work();
      end(result);
      return result;
    } catch (error) {
      fail(error);
      throw error;
    } finally {
      this.#open.delete(fail);
    }
  }

  #start(): void {
    const { name } = this.#options;
    this.#run = this.#telemetry.start({
      operation: "invoke_agent",
      subject: name ?? "",
      metric: "gen_ai.invoke_agent.duration",
      attributes: {
        ...describeModel(this.#agent.state.model),
        ...(name !== undefined && { "gen_ai.agent.name": name }),
      },
      details: { "gen_ai.conversation.id": this.#conversationId },
      parent: this.#inherited?.context,
      signal: this.#agent.signal,
    });
  }
}

function isTraceable(agent: object): agent is TraceableAgent {
  const { state, subscribe }: Partial<TraceableAgent> = agent;
  return typeof subscribe === "function" && state?.model !== undefined;
}
