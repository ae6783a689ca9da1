/** Maps the events of a run to those of AG-UI. */
import type { AssistantMessage, AssistantMessageEvent, FileContent, ImageContent, UserBlock } from "pi-ai";
import { isMark } from "../../pause/index.js";
import type { AgentEvent, ApprovalRequest, RunStop } from "../../types/event.js";
import type { AgentMessage } from "../../types/message.js";
import type { PauseRequest } from "../../types/pause.js";
import { toChildProgress, toErrorText, toFailureText, toJsonOutput } from "../page-output.js";
import type { AgUiEvent, AgUiInterrupt, AgUiOptions, AgUiPart, AgUiUsage } from "./ag-ui-event.js";
import { ToolMapping } from "./tool-mapping.js";

type Events = readonly AgUiEvent[];

const custom = (name: string, value: unknown): Events => [{ type: "CUSTOM", name, value }];

/** Maps the events of one run. Call `start` first. After `agent_end`, `interrupt` or `fail` nothing may follow. */
export class RunMapping {
  readonly #options: AgUiOptions;
  readonly #tools = new ToolMapping();
  /** The open texts and reasonings of the response, by the index of their block. */
  readonly #open = new Map<number, OpenProse>();
  readonly #usage: AgUiUsage[] = [];
  /**
   * The message id of the response. Blocks and tool results add a part to it, each with a separator of its own, so that no
   * two ids are equal.
   */
  #messageId: string;
  #turn = 0;
  /** How often a response of the run was started over. */
  #attempt = 0;
  /** Whether the response has a text. */
  #hasText = false;
  #stepName: string | undefined;
  #last: AssistantMessage | undefined;
  #output: { result?: unknown } = {};
  #stop: RunStop | undefined;

  constructor(options: AgUiOptions) {
    this.#options = options;
    this.#messageId = `${options.runId}:0`;
  }

  /** Not mapped from `agent_start`: the rest of a run after an interrupt has no such event. */
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
      case "child_event": {
        const { toolCallId, partialResult } = toChildProgress(event) ?? {};
        return partialResult ? custom("tool_progress", { toolCallId, partialResult }) : [];
      }
      case "output":
        this.#output = { result: event.output };
        return [];
      case "turn_end":
        return [...this.#endStep(), ...this.#state()];
      case "run_stopped":
        this.#stop = event.stop;
        return custom("run_stopped", event.stop);
      case "agent_end":
        return event.pause ? this.#interrupt(event.pause.requests.map(toPauseInterrupt)) : this.#finish();
      default:
        return [];
    }
  }

  /** Ends the AG-UI run with the questions to the user. The client sends the answers with its next run. */
  interrupt(requests: readonly ApprovalRequest[]): Events {
    return this.#interrupt(requests.map(toInterrupt));
  }

  #interrupt(interrupts: AgUiInterrupt[]): Events {
    return [...this.#endStep(), this.#finished({ type: "interrupt", interrupts })];
  }

  /** Ends the AG-UI run after an error that was thrown. By default the client does not see its text, which can hold secrets. */
  fail(error: Error): Events {
    return [{ type: "RUN_ERROR", message: toErrorText(error, this.#options.errorText) }];
  }

  #state(): Events {
    const { state } = this.#options;
    return state ? [{ type: "STATE_SNAPSHOT", snapshot: state() }] : [];
  }

  /** A response begins. */
  #begin(): void {
    this.#hasText = false;
    this.#messageId = `${this.#options.runId}:${this.#turn}${this.#attempt ? `.${this.#attempt}` : ""}`;
  }

  #blockId(index: number): string {
    return `${this.#messageId}#${index}`;
  }

  #mapUpdate(event: AssistantMessageEvent): Events {
    if (event.type === "attempt_reset") {
      const events = [...this.#closeAll(), ...custom("attempt_reset", { messageId: this.#messageId })];
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
      case "text_start":
      case "text_delta":
      case "text_end":
      case "thinking_start":
      case "thinking_delta":
      case "thinking_end":
        return this.#mapProse(event);
      default:
        return this.#tools.map(event, this.#messageId);
    }
  }

  /** A run that is followed from its middle on may have blocks without a start, which the client could not place. */
  #mapProse(event: ProseEvent): Events {
    const { contentIndex: index } = event;
    switch (event.type) {
      case "text_start": {
        // The tool calls of a response refer to its first text, which therefore has the id of the response.
        const messageId = this.#hasText ? this.#blockId(index) : this.#messageId;
        this.#hasText = true;
        this.#open.set(index, { messageId, end: [{ type: "TEXT_MESSAGE_END", messageId }] });
        return [{ type: "TEXT_MESSAGE_START", messageId, role: "assistant" }];
      }
      case "thinking_start": {
        const messageId = this.#blockId(index);
        const end: Events = [
          { type: "REASONING_MESSAGE_END", messageId },
          { type: "REASONING_END", messageId },
        ];
        this.#open.set(index, { messageId, end });
        return [
          { type: "REASONING_START", messageId },
          { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" },
        ];
      }
      case "text_delta":
      case "thinking_delta": {
        const messageId = this.#open.get(index)?.messageId;
        const type = event.type === "text_delta" ? "TEXT_MESSAGE_CONTENT" : "REASONING_MESSAGE_CONTENT";
        return messageId === undefined ? [] : [{ type, messageId, delta: event.delta }];
      }
      default: {
        const end = this.#open.get(index)?.end ?? [];
        this.#open.delete(index);
        return end;
      }
    }
  }

  #mapMessage(message: AgentMessage): Events {
    if (isMark(message)) return [];
    if (message.role === "toolResult") {
      const { toolCallId, content } = message;
      const messageId = `${this.#messageId}:${toolCallId}`;
      return [{ type: "TOOL_CALL_RESULT", messageId, toolCallId, role: "tool", content: toContent(content) }];
    }
    if (message.role === "user" && message.origin !== undefined) {
      const { origin, content } = message;
      return custom("notice", { origin, content: typeof content === "string" ? content : toContent(content) });
    }
    if (message.role !== "assistant") return [];
    this.#last = message;
    const { provider, model, usage } = message;
    const { input, output: outputTokens, cacheRead: cachedInputTokens, cacheWrite, totalTokens } = usage;
    const counts = { outputTokens, totalTokens, cachedInputTokens, cacheWriteInputTokens: cacheWrite };
    this.#usage.push({ provider, model, inputTokens: input + cachedInputTokens + cacheWrite, ...counts });
    return [];
  }

  /** Closes the blocks that a failure or an abort has left open. */
  #closeAll(): Events {
    const events = [...this.#open.values()].flatMap(({ end }) => end);
    this.#open.clear();
    return [...events, ...this.#tools.closeAll()];
  }

  #endStep(): Events {
    const stepName = this.#stepName;
    this.#stepName = undefined;
    return [...this.#closeAll(), ...(stepName === undefined ? [] : [{ type: "STEP_FINISHED", stepName } as const])];
  }

  #finish(): Events {
    const last = this.#last;
    if (last?.stopReason === "error") {
      const message = this.#options.errorText?.(last) ?? toFailureText(last);
      const code = this.#stop ? codeOf(this.#stop) : last.error?.kind;
      return [{ type: "RUN_ERROR", message, ...(code && { code }) }];
    }
    return [this.#finished({ type: last?.stopReason === "aborted" ? "cancelled" : "success" })];
  }

  #finished(outcome: Extract<AgUiEvent, { type: "RUN_FINISHED" }>["outcome"]): AgUiEvent {
    const { threadId, runId } = this.#options;
    return { type: "RUN_FINISHED", threadId, runId, outcome, usage: this.#usage, ...this.#output };
  }
}

/** Names a limit, such as `budget_usd` or `loop_same_call`. */
function codeOf(stop: RunStop): string {
  return stop.by === "budget" ? `budget_${stop.limit}` : `loop_${stop.loop}`;
}

interface OpenProse {
  readonly messageId: string;
  readonly end: Events;
}

type ProseEvent = Extract<AssistantMessageEvent, { type: `text_${string}` | `thinking_${string}` }>;

/** Converts the content of a tool result to text, or to parts if it has files. Leaves out files that only the provider has. */
function toContent(blocks: readonly UserBlock[]): string | AgUiPart[] {
  if (blocks.every((block) => block.type === "text")) return blocks.map(({ text }) => text).join("\n");
  return blocks.flatMap((block) => (block.type === "text" ? [{ type: block.type, text: block.text }] : toPart(block)));
}

function toPart(file: ImageContent | FileContent): AgUiPart[] {
  const { mimeType, data } = file;
  const [kind] = mimeType.split("/");
  const type = kind === "image" || kind === "audio" || kind === "video" ? kind : "document";
  if (data !== undefined) return [{ type, source: { type: "data", value: data, mimeType } }];
  return file.type === "file" && file.url ? [{ type, source: { type: "url", value: file.url, mimeType } }] : [];
}

/** The payload that `readAgUiAnswers` reads from an entry of `resume`. */
const ANSWER_SCHEMA = {
  type: "object",
  properties: { approved: { type: "boolean" }, reason: { type: "string" } },
  required: ["approved"],
};

function toInterrupt({ name, toolCallId, toolName }: ApprovalRequest): AgUiInterrupt {
  const message = `May ${toolName} run?`;
  return { id: name, reason: "tool_approval", toolCallId, message, responseSchema: ANSWER_SCHEMA };
}

/** A request of a run that has paused. The answer to a question is the `value` of the payload. */
function toPauseInterrupt({ id, kind, toolCallId, toolName, message, schema }: PauseRequest): AgUiInterrupt {
  if (kind !== "question") return toInterrupt({ name: id, toolCallId, toolName, args: {} });
  const properties = { ...ANSWER_SCHEMA.properties, value: schema ?? {} };
  return {
    id,
    reason: "tool_question",
    toolCallId,
    message: message ?? `${toolName} asks`,
    responseSchema: { ...ANSWER_SCHEMA, properties },
  };
}
