/** Maps the events of a run to chunks. */
import type {
  AssistantMessage,
  AssistantMessageEvent,
  Citation,
  FileContent,
  ImageContent,
  Usage,
  UserMessage,
} from "pi-ai";
import { addUsage } from "pi-ai/count";
import type { AgentEvent } from "../../types/event.js";
import type { AgentMessage } from "../../types/message.js";
import { toFailureText } from "../page-output.js";
import { ToolChunks } from "./tool-chunks.js";
import type { UIInputPart, UIMessageChunk, UIMessageOptions } from "./ui-message-chunk.js";

const FINISH_REASONS = {
  stop: "stop",
  pause: "stop",
  length: "length",
  toolUse: "tool-calls",
  error: "error",
  aborted: "other",
} as const;

type Chunks = UIMessageChunk | readonly UIMessageChunk[] | undefined;

/** @param send receives the chunks of each event, in order */
export function createChunkMapping(
  options: UIMessageOptions,
  send: (chunk: UIMessageChunk) => void,
): { event(event: AgentEvent): void; wait(): void } {
  const { messageId, sdk = 7 } = options;
  const run = new RunChunks(options);
  let isStarted = false;
  const sendAll = (chunks: Chunks): void => {
    const list = chunks && "type" in chunks ? [chunks] : (chunks ?? []);
    for (const chunk of list) toSdk(chunk, sdk).forEach(send);
  };
  return {
    event(event) {
      // Not sent for `agent_start`: the rest of a run after an approval has no such event.
      if (!isStarted) send({ type: "start", ...(messageId === undefined ? {} : { messageId }) });
      isStarted = true;
      sendAll(run.map(event));
      options.addChunks?.(event)?.forEach(send);
    },
    wait: () => sendAll(run.wait()),
  };
}

class RunChunks {
  readonly #options: UIMessageOptions;
  readonly #tools: ToolChunks;
  readonly #sources = new Set<string>();
  #turn = 0;
  #isStepOpen = false;
  #last: AssistantMessage | undefined;
  /** Why the run fails. Sent at its end, because a page reads nothing after it. */
  #error: readonly UIMessageChunk[] = [];

  constructor(options: UIMessageOptions) {
    this.#options = options;
    this.#tools = new ToolChunks(options);
  }

  map(event: AgentEvent): Chunks {
    switch (event.type) {
      case "agent_start":
        if (event.newMessage) this.#tools.leaveBehind();
        return undefined;
      case "turn_start":
        this.#turn++;
        this.#isStepOpen = true;
        this.#clear();
        return { type: "start-step" };
      case "message_start":
        return event.message.role === "assistant" ? this.#tools.respond() : undefined;
      case "message_update":
        return this.#mapUpdate(event.assistantMessageEvent);
      case "message_end":
        return event.message.role === "toolResult" ? this.#tools.map(event) : this.#mapMessage(event.message);
      case "output":
        return { type: "data-output", data: event.output };
      case "turn_end":
        return this.#endStep();
      case "run_stopped":
        return { type: "data-run-stopped", data: event.stop };
      case "agent_end":
        return [...this.#error, this.#finish(event.messages)];
      default:
        return this.#tools.map(event);
    }
  }

  /** The run waits for approvals: the page sends the answers when the stream has ended. */
  wait(): readonly UIMessageChunk[] {
    return [...this.#tools.wait(), ...this.#endStep(), { type: "finish", finishReason: "tool-calls" }];
  }

  #clear(): void {
    this.#tools.clear();
    this.#sources.clear();
  }

  /** A failure between two turns has a message but no step. */
  #endStep(): readonly UIMessageChunk[] {
    const wasOpen = this.#isStepOpen;
    this.#isStepOpen = false;
    return wasOpen ? [{ type: "finish-step" }] : [];
  }

  #mapUpdate(event: AssistantMessageEvent): Chunks {
    if (event.type === "attempt_reset") {
      const ended = this.#tools.reset();
      this.#clear();
      return [...ended, { type: "reset-step" }];
    }
    if (!("contentIndex" in event)) return undefined;
    const id = `${this.#turn}:${event.contentIndex}`;
    switch (event.type) {
      case "text_start":
      case "text_end":
        return { type: event.type === "text_start" ? "text-start" : "text-end", id };
      case "thinking_start":
      case "thinking_end":
        return { type: event.type === "thinking_start" ? "reasoning-start" : "reasoning-end", id };
      case "text_delta":
        return { type: "text-delta", id, delta: event.delta };
      case "thinking_delta":
        return { type: "reasoning-delta", id, delta: event.delta };
      case "citation":
        return this.#cite(event.citation);
      case "file_end":
        return toFileChunk(event.file);
      case "compaction_end":
        return { type: "data-compaction", data: { text: event.compaction.text } };
      default:
        return this.#tools.mapUpdate(event);
    }
  }

  /** Sends each source once per step, even if the text cites it repeatedly. */
  #cite({ url, title, source }: Citation): Chunks {
    const name = url ?? source ?? title;
    if (name === undefined || this.#sources.has(name)) return undefined;
    this.#sources.add(name);
    const sourceId = `${this.#turn}:${this.#sources.size}`;
    if (url === undefined) {
      return { type: "source-document", sourceId, mediaType: "text/plain", title: title ?? name };
    }
    return { type: "source-url", sourceId, url, ...(title === undefined ? {} : { title }) };
  }

  #mapMessage(message: AgentMessage): Chunks {
    if (message.role === "user" && message.origin !== undefined) {
      // The user did not write it, so the page must not show it as the user's, nor send it back.
      return { type: "data-notice", data: { origin: message.origin, parts: toUserParts(message) } };
    }
    if (message.role === "user" && this.#last) {
      return { type: "steering-message", id: `${this.#turn}:${message.timestamp}`, parts: toUserParts(message) };
    }
    if (message.role !== "assistant") return undefined;
    this.#last = message;
    if (message.stopReason === "aborted") return { type: "abort" };
    if (message.stopReason !== "error") return undefined;
    const errorText = this.#options.errorText?.(message) ?? toFailureText(message);
    this.#error = [{ type: "error", errorText }];
    return undefined;
  }

  #finish(messages: readonly AgentMessage[]): UIMessageChunk {
    const { metadata = sumUsage } = this.#options;
    const finishReason = FINISH_REASONS[this.#last?.stopReason ?? "stop"];
    const messageMetadata = metadata(messages);
    return { type: "finish", finishReason, ...(messageMetadata === undefined ? {} : { messageMetadata }) };
  }
}

function toFileChunk(file: Extract<AssistantMessageEvent, { type: "file_end" }>["file"]): UIMessageChunk {
  const { mimeType: mediaType } = file;
  const url = toDataUrl(file);
  if (url) return { type: "file", mediaType, url };
  return { type: "data-file", data: { ...("fileId" in file && { fileId: file.fileId, name: file.name }), mediaType } };
}

/**
 * Returns a chunk as a version of the AI SDK understands it. The versions 5 and 6 end a stream with an error for a chunk
 * that they do not know, so they receive a data part in its place (`ai` 5.0.277 and 6.0.326, 2026-11-23).
 */
export function toSdk(chunk: UIMessageChunk, sdk: NonNullable<UIMessageOptions["sdk"]>): readonly UIMessageChunk[] {
  switch (chunk.type) {
    case "steering-message":
      if (sdk < 7) return [{ type: "data-steering-message", id: chunk.id, data: { parts: chunk.parts } }];
      break;
    case "reset-step":
      // The new step keeps the page's helpers, which look at the last step, from finding the tools that are void.
      if (sdk < 7) return [{ type: "data-reset-step", data: {} }, { type: "finish-step" }, { type: "start-step" }];
      break;
    case "tool-approval-response":
      if (sdk < 7) return [];
      break;
    case "tool-approval-request": {
      const { approvalId, toolCallId } = chunk;
      if (sdk < 6) return [{ type: "data-tool-approval-request", id: approvalId, data: { approvalId, toolCallId } }];
      break;
    }
    case "tool-output-denied":
      if (sdk < 6) return [{ ...chunk, type: "tool-output-error", dynamic: true, errorText: "The call was declined" }];
  }
  return [chunk];
}

/** Converts a user's content to parts of a UI message. Leaves out files that only the provider holds. */
function toUserParts({ content }: UserMessage): UIInputPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.flatMap((block): UIInputPart[] => {
    if (block.type === "text") return [{ type: "text", text: block.text }];
    const url = toDataUrl(block);
    return url ? [{ type: "file", mediaType: block.mimeType, url }] : [];
  });
}

/** Returns the URL at which a page can show a file; undefined if only the provider has the file. */
function toDataUrl(file: ImageContent | FileContent): string | undefined {
  if (file.data !== undefined) return `data:${file.mimeType};base64,${file.data}`;
  return file.type === "file" ? file.url : undefined;
}

/** The tokens of a run, and their cost in USD. */
export interface RunUsage extends Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite" | "totalTokens"> {
  /** In USD. */
  cost: number;
}

/** The usage of all responses. */
function sumUsage(messages: readonly AgentMessage[]): { usage: RunUsage } {
  const responses = messages.filter((message) => message.role === "assistant");
  const { input, output, cacheRead, cacheWrite, totalTokens, cost } = addUsage(responses);
  return { usage: { input, output, cacheRead, cacheWrite, totalTokens, cost: cost.total } };
}
