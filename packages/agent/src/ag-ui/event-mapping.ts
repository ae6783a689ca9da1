/** Maps the events of a run to those of AG-UI. */
import type { AssistantMessage, AssistantMessageEvent, ServerToolContent } from "pi-ai";
import { toErrorText } from "../run-source/error-text.js";
import { toJsonOutput } from "../run-source/json-output.js";
import type { ApprovalRequest } from "../types/approval.js";
import type { AgentEvent } from "../types/event.js";
import type { AgentMessage } from "../types/message.js";
import type { AgUiEvent, AgUiUsage } from "./ag-ui-event.js";
import type { AgUiOptions } from "./ag-ui-options.js";
import { toContent } from "./to-content.js";
import { toInterrupt } from "./to-interrupt.js";

type Events = readonly AgUiEvent[];

const custom = (name: string, value: unknown): Events => [{ type: "CUSTOM", name, value }];

/** Maps the events of one run. Call `start` first, and `finish`, `interrupt` or `fail` last. */
export class RunMapping {
  readonly #options: AgUiOptions;
  /** The events that close the open blocks, by the id of the block. */
  readonly #open = new Map<string, Events>();
  readonly #usage: AgUiUsage[] = [];
  /** The ids of the tools of the response, by the index of their block. */
  #toolIds: (string | undefined)[] = [];
  /** The ids of the texts of the response, as above. */
  #textIds: (string | undefined)[] = [];
  #turn = 0;
  #attempt = 0;
  #hasText = false;
  #stepName: string | undefined;
  #last: AssistantMessage | undefined;
  #output: { result?: unknown } = {};

  constructor(options: AgUiOptions) {
    this.#options = options;
  }

  /** A run that continues after an interrupt emits no `agent_start`, so the mapping cannot start there. */
  start(): Events {
    const { threadId, runId } = this.#options;
    return [{ type: "RUN_STARTED", threadId, runId }, ...this.#state()];
  }

  map(event: AgentEvent): Events {
    switch (event.type) {
      case "turn_start":
        this.#turn++;
        this.#begin();
        this.#stepName = `turn ${this.#turn}`;
        return [{ type: "STEP_STARTED", stepName: this.#stepName }];
      case "message_update":
        return this.#mapUpdate(event.assistantMessageEvent);
      case "message_end":
        return this.#mapMessage(event.message);
      case "tool_execution_update": {
        const { toolCallId, partialResult } = event;
        return custom("tool_progress", { toolCallId, partialResult: toJsonOutput(partialResult, partialResult) });
      }
      case "output":
        this.#output = { result: event.output };
        return [];
      case "turn_end":
        return [...this.#endStep(), ...this.#state()];
      case "agent_end":
        return this.#finish();
      default:
        return [];
    }
  }

  /** Ends the AG-UI run at an approval. The answer arrives with the next one. */
  interrupt(requests: readonly ApprovalRequest[]): Events {
    return [...this.#endStep(), this.#finished({ type: "interrupt", interrupts: requests.map(toInterrupt) })];
  }

  /** Ends the AG-UI run after an error that the run threw. */
  fail(error: Error): Events {
    return [{ type: "RUN_ERROR", message: toErrorText(error, this.#options.errorText) }];
  }

  #state(): Events {
    const { state } = this.#options;
    return state ? [{ type: "STATE_SNAPSHOT", snapshot: state() }] : [];
  }

  #begin(): void {
    this.#toolIds = [];
    this.#hasText = false;
  }

  #parent(): string {
    return `${this.#options.runId}:${this.#turn}${this.#attempt ? `:${this.#attempt}` : ""}`;
  }

  #mapUpdate(event: AssistantMessageEvent): Events {
    if (event.type === "attempt_reset") {
      const messageId = this.#parent();
      const events = [...this.#closeAll(), ...custom("attempt_reset", { messageId })];
      this.#attempt++;
      this.#begin();
      return events;
    }
    if (!("contentIndex" in event)) return [];
    switch (event.type) {
      case "citation": {
        const { signature: _, ...citation } = event.citation;
        return custom("citation", citation);
      }
      case "file_end": {
        const { signature: _, ...file } = event.file;
        return custom("file", file);
      }
      case "compaction_end":
        return custom("compaction", { text: event.compaction.text });
      default:
        return event.type.startsWith("te") || event.type.startsWith("th")
          ? this.#mapProse(event as ProseEvent) // The other types were handled, or are those of tools.
          : this.#mapTool(event as ToolEvent); // As above.
    }
  }

  #mapProse(event: ProseEvent): Events {
    const messageId = `${this.#parent()}:${event.contentIndex}`;
    const ids = this.#textIds;
    switch (event.type) {
      case "text_start": {
        // Tool calls are shown in the first text of their response.
        const id = this.#hasText ? messageId : this.#parent();
        this.#hasText = true;
        ids[event.contentIndex] = id;
        this.#open.set(messageId, [{ type: "TEXT_MESSAGE_END", messageId: id }]);
        return [{ type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" }];
      }
      case "text_delta":
        return [{ type: "TEXT_MESSAGE_CONTENT", messageId: ids[event.contentIndex] ?? messageId, delta: event.delta }];
      case "thinking_start":
        this.#open.set(messageId, [
          { type: "REASONING_MESSAGE_END", messageId },
          { type: "REASONING_END", messageId },
        ]);
        return [
          { type: "REASONING_START", messageId },
          { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" },
        ];
      case "thinking_delta":
        return [{ type: "REASONING_MESSAGE_CONTENT", messageId, delta: event.delta }];
      default:
        return this.#close(messageId);
    }
  }

  #mapTool(event: ToolEvent): Events {
    const { contentIndex: index } = event;
    switch (event.type) {
      case "toolcall_start":
      case "servertool_start": {
        const block = event.partial.content[index];
        // Some providers send the name later. The client then sees the call when it is complete.
        if (!(block && "id" in block && block.id && block.name)) return [];
        return this.#startTool(index, block.id, block.name);
      }
      case "toolcall_delta":
      case "servertool_update": {
        const toolCallId = this.#toolIds[index];
        return toolCallId && event.delta ? [{ type: "TOOL_CALL_ARGS", toolCallId, delta: event.delta }] : [];
      }
      case "toolcall_end":
        return this.#endTool(index, event.toolCall, event.toolCall.arguments);
      case "servertool_end": {
        const { serverTool } = event;
        return [...this.#endTool(index, serverTool, serverTool.input ?? {}), ...this.#resultOf(serverTool)];
      }
    }
  }

  #startTool(index: number, toolCallId: string, toolCallName: string): Events {
    this.#toolIds[index] = toolCallId;
    this.#open.set(toolCallId, [{ type: "TOOL_CALL_END", toolCallId }]);
    return [{ type: "TOOL_CALL_START", toolCallId, toolCallName, parentMessageId: this.#parent() }];
  }

  #endTool(index: number, { id, name }: { id: string; name: string }, input: unknown): Events {
    const known = this.#toolIds[index];
    if (known !== undefined) return this.#close(known);
    const args: AgUiEvent = { type: "TOOL_CALL_ARGS", toolCallId: id, delta: JSON.stringify(input) };
    return [...this.#startTool(index, id, name), args, ...this.#close(id)];
  }

  #resultOf({ id, status, output, errorText }: ServerToolContent): Events {
    if (status !== "done" && status !== "failed") return [];
    const content = status === "failed" ? (errorText ?? "The tool failed") : (JSON.stringify(output) ?? "");
    return [{ type: "TOOL_CALL_RESULT", messageId: `${this.#parent()}:${id}`, toolCallId: id, role: "tool", content }];
  }

  #mapMessage(message: AgentMessage): Events {
    if (message.role === "toolResult") {
      const { toolCallId, content } = message;
      const messageId = `${this.#parent()}:${toolCallId}`;
      return [{ type: "TOOL_CALL_RESULT", messageId, toolCallId, role: "tool", content: toContent(content) }];
    }
    if (message.role !== "assistant") return [];
    this.#last = message;
    const { provider, model, usage } = message;
    const { input, output: outputTokens, cacheRead: cachedInputTokens, cacheWrite, totalTokens } = usage;
    const counts = { outputTokens, totalTokens, cachedInputTokens, cacheWriteInputTokens: cacheWrite };
    this.#usage.push({ provider, model, inputTokens: input + cachedInputTokens + cacheWrite, ...counts });
    return [];
  }

  #close(id: string): Events {
    const events = this.#open.get(id) ?? [];
    this.#open.delete(id);
    return events;
  }

  #closeAll(): Events {
    const events = [...this.#open.values()].flat();
    this.#open.clear();
    return events;
  }

  #endStep(): Events {
    const stepName = this.#stepName;
    this.#stepName = undefined;
    return stepName === undefined ? [] : [...this.#closeAll(), { type: "STEP_FINISHED", stepName }];
  }

  #finish(): Events {
    const last = this.#last;
    if (last?.stopReason === "error") {
      const message = this.#options.errorText?.(last) ?? last.errorMessage ?? "The run failed";
      return [{ type: "RUN_ERROR", message, ...(last.error && { code: last.error.kind }) }];
    }
    return [this.#finished({ type: last?.stopReason === "aborted" ? "cancelled" : "success" })];
  }

  #finished(outcome: Extract<AgUiEvent, { type: "RUN_FINISHED" }>["outcome"]): AgUiEvent {
    const { threadId, runId } = this.#options;
    return { type: "RUN_FINISHED", threadId, runId, outcome, usage: this.#usage, ...this.#output };
  }
}

type ProseEvent = Extract<AssistantMessageEvent, { type: `text_${string}` | `thinking_${string}` }>;
type ToolEvent = Extract<AssistantMessageEvent, { type: `toolcall_${string}` | `servertool_${string}` }>;
