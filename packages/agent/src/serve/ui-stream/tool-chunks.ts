/** Creates the chunks of the agent's tools and of server tools. */
import type { AssistantMessageEvent, ServerToolContent } from "pi-ai";
import { isRecord } from "pi-ai/call";
import { isMark, type MarkMessage } from "../../pause/index.js";
import type { AgentEvent } from "../../types/event.js";
import { toChildProgress, toJsonOutput } from "../page-output.js";
import { toApprovalId } from "./approval-id.js";
import type { UIMessageChunk, UIMessageOptions } from "./ui-message-chunk.js";

type ToolUpdate = Extract<AssistantMessageEvent, { type: `toolcall_${string}` | `servertool_${string}` }>;

type Progress = Pick<
  Extract<AgentEvent, { type: "tool_execution_update" }>,
  "toolCallId" | "toolName" | "partialResult"
>;

export class ToolChunks {
  readonly #output: NonNullable<UIMessageOptions["toolOutput"]>;
  readonly #declined = new Set<string>();
  readonly #sdk: number;
  /** The ids of the tools of the response, by the index of their block. */
  #ids: (string | undefined)[] = [];
  /** The calls that begin belong to an earlier message of the page, to which chunks of this one cannot refer. */
  #isLeftBehind = false;
  /** The calls of the response that have neither ended nor asked for an approval. */
  readonly #calls = new Set<string>();

  constructor({ toolOutput = (result) => result, sdk = 7 }: UIMessageOptions) {
    this.#output = toolOutput;
    this.#sdk = sdk;
  }

  /** A response begins. */
  clear(): void {
    this.#ids = [];
    this.#calls.clear();
  }

  /** The response starts over. */
  reset(): UIMessageChunk[] {
    return endVoidTools(new Set([...this.#ids, ...this.#calls]), this.#sdk);
  }

  /**
   * The run waits for approvals. `lastAssistantMessageIsCompleteWithApprovalResponses` waits for all calls of the response,
   * so those without a question are approved; version 6, which has no such chunk, receives an empty output until they run.
   */
  wait(): UIMessageChunk[] {
    return [...this.#calls].flatMap((toolCallId) => this.#approve(toolCallId));
  }

  #approve(toolCallId: string, approvalId = `automatic:${toolCallId}`): UIMessageChunk[] {
    if (this.#sdk < 7) return [{ type: "tool-output-available", ...toolOf(toolCallId), output: null }];
    return [
      { type: "tool-approval-request", approvalId, toolCallId, isAutomatic: true },
      { type: "tool-approval-response", approvalId, approved: true },
    ];
  }

  /** The calls of the message before are repeated in this one, in a step of their own. */
  leaveBehind(): void {
    this.#isLeftBehind = true;
  }

  /** Ends the step of the calls of the message before. */
  respond(): UIMessageChunk[] {
    if (!this.#isLeftBehind) return [];
    this.#isLeftBehind = false;
    return [{ type: "finish-step" }, { type: "start-step" }];
  }

  mapUpdate(event: ToolUpdate): UIMessageChunk | UIMessageChunk[] | undefined {
    switch (event.type) {
      case "toolcall_start":
      case "servertool_start":
        return this.#start(event);
      case "toolcall_delta":
      case "servertool_update": {
        const toolCallId = this.#ids[event.contentIndex];
        return toolCallId && event.delta
          ? { type: "tool-input-delta", toolCallId, inputTextDelta: event.delta }
          : undefined;
      }
      case "toolcall_end": {
        const { id: toolCallId, name: toolName, arguments: input, argumentsError, argumentsText } = event.toolCall;
        const tool = { ...toolOf(toolCallId), toolName };
        if (argumentsError === undefined) this.#calls.add(toolCallId);
        return argumentsError === undefined
          ? { type: "tool-input-available", ...tool, input }
          : { type: "tool-input-error", ...tool, input: argumentsText ?? input, errorText: argumentsError };
      }
      case "servertool_end":
        return toServerToolChunks(event.serverTool);
    }
  }

  #start({ contentIndex, partial }: Extract<ToolUpdate, { partial: unknown }>): UIMessageChunk | undefined {
    const block = partial.content[contentIndex];
    // Some providers send the name later. The page then sees the tool when its input is complete.
    if (!(block && "id" in block && block.id && block.name)) return undefined;
    this.#ids[contentIndex] = block.id;
    return { type: "tool-input-start", ...toolOf(block.id), toolName: block.name };
  }

  map(event: AgentEvent): UIMessageChunk | UIMessageChunk[] | undefined {
    switch (event.type) {
      case "message_end":
        return isMark(event.message) ? this.#mapMark(event.message) : undefined;
      case "tool_execution_start": {
        const { toolCallId, toolName, args: input } = event;
        if (!this.#isLeftBehind) return undefined;
        return { type: "tool-input-available", ...toolOf(toolCallId), toolName, input };
      }
      case "tool_execution_update":
        return this.#showProgress(event);
      case "child_event": {
        const progress = toChildProgress(event);
        return progress && this.#showProgress(progress);
      }
      case "tool_execution_end":
        return this.#end(event);
      case "approval_requested": {
        const { name: approvalId, toolCallId } = event.request;
        this.#calls.delete(toolCallId);
        return { type: "tool-approval-request", approvalId, toolCallId };
      }
      case "approval_resolved": {
        const { request, approved, reason } = event;
        if (!approved) this.#declined.add(request.toolCallId);
        const answer = reason === undefined ? { approved } : { approved, reason };
        return { type: "tool-approval-response", approvalId: request.name, ...answer };
      }
    }
    return undefined;
  }

  #showProgress({ toolCallId, toolName, partialResult }: Progress): UIMessageChunk {
    const output = toJsonOutput(this.#output(partialResult, toolName), partialResult);
    return { type: "tool-output-available", ...toolOf(toolCallId), output, preliminary: true };
  }

  /** A call has paused. The AI SDK has approvals of the page's own tool calls; other requests are data parts. */
  #mapMark({ toolCallId, pause }: MarkMessage): UIMessageChunk[] {
    if (pause.state !== "waiting") return [];
    this.#calls.delete(toolCallId);
    return pause.requests.flatMap((request): UIMessageChunk | UIMessageChunk[] => {
      if (request.kind === "order") return this.#approve(toolCallId, toApprovalId(request));
      if (request.kind === "approval" && !request.path)
        return { type: "tool-approval-request", approvalId: toApprovalId(request), toolCallId };
      return { type: "data-request", id: request.id, data: request };
    });
  }

  #end({
    toolCallId,
    toolName,
    result,
    isError,
    isWaiting,
  }: Extract<AgentEvent, { type: "tool_execution_end" }>): UIMessageChunk | undefined {
    if (isWaiting) return undefined;
    this.#calls.delete(toolCallId);
    if (isError && isRecord(result.details) && result.details["declined"] === true) this.#declined.add(toolCallId);
    if (this.#declined.delete(toolCallId)) return { type: "tool-output-denied", toolCallId };
    if (isError) return { type: "tool-output-error", ...toolOf(toolCallId), errorText: textOf(result) };
    const output = toJsonOutput(this.#output(result, toolName), result);
    return { type: "tool-output-available", ...toolOf(toolCallId), output };
  }
}

/** Versions before 7 keep the tools of a response that starts over, which therefore end. */
export function endVoidTools(ids: ReadonlySet<string | undefined>, sdk: number): UIMessageChunk[] {
  if (sdk >= 7) return [];
  return [...ids].flatMap((id) => (id ? [{ type: "tool-output-error", ...toolOf(id), errorText: VOID } as const] : []));
}

function toServerToolChunks({ id, name, input = {}, status, output, errorText }: ServerToolContent): UIMessageChunk[] {
  const tool = { ...toolOf(id), providerExecuted: status !== "waiting" };
  const chunks: UIMessageChunk[] = [{ type: "tool-input-available", ...tool, toolName: name, input }];
  if (status === "done") chunks.push({ type: "tool-output-available", ...tool, output: output ?? null });
  if (status === "failed") chunks.push({ type: "tool-output-error", ...tool, errorText: errorText ?? FAILED });
  return chunks;
}

/** The page does not know the tools in advance, so they are dynamic. */
const toolOf = (toolCallId: string) => ({ toolCallId, dynamic: true }) as const;

const FAILED = "The tool failed";
const VOID = "The response was started over";

/** Returns the text of an error result. */
function textOf(result: unknown): string {
  const { content } = result as { content?: { text?: string }[] }; // The loop creates error results, with text only.
  return content?.map(({ text = "" }) => text).join("") || FAILED;
}
