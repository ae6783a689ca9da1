/** Records the spans of an agent's runs, one run at a time. */
import type { AssistantMessage } from "pi-ai";
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
import type { AgentToolResult } from "../types/tool.js";
import type { WrapToolCallContext } from "../types/tool-call-hooks.js";
import { addUsage } from "./add-usage.js";
import type { TraceableAgent } from "./traceable-agent.js";

/** The options of `traceAgent`. */
export interface TraceAgentOptions extends TelemetryOptions {
  /** The agent's name, for `gen_ai.agent.name`. Default: none. */
  name?: string;
}

export class RunTrace {
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

  see(event: AgentEvent): void {
    if (event.type === "agent_start") this.#start();
    else if (event.type === "message_start" && event.message.role === "assistant") this.#chat?.begin();
    else if (event.type === "tool_execution_end" && event.durationMs === undefined)
      this.#run?.span.addEvent("pi.tool_call.refused", { "gen_ai.tool.name": event.toolName });
    else if (event.type === "agent_end") this.end(event.messages);
  }

  end(messages: readonly { role: string }[]): void {
    for (const fail of this.#open) fail(undefined);
    this.#open.clear();
    const responses = messages.filter((message): message is AssistantMessage => message.role === "assistant");
    const last = responses.at(-1);
    this.#run?.set(describeUsage(addUsage(responses)));
    this.#run?.end(last && failureOf(last));
    this.#run = undefined;
  }

  request(
    request: ModelRequest,
    send: (request: ModelRequest) => Promise<AssistantMessage>,
  ): Promise<AssistantMessage> {
    const chat = startChat(this.#telemetry, request, this.#run?.context);
    this.#chat = chat;
    return this.#watch(
      () => chat.run(() => send(request)),
      (message) => chat.end(message),
      (error) => chat.fail(error),
    );
  }

  tool(call: WrapToolCallContext, execute: () => Promise<AgentToolResult>): Promise<AgentToolResult> {
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
      details: { "gen_ai.conversation.id": this.#agent.sessionId },
      signal: this.#agent.signal,
    });
  }
}
