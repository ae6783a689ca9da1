/** A page of `useChat`, without the AI SDK. */
import type { UIMessageChunk } from "pi-agent/ui-stream";

export interface Part {
  type: string;
  [field: string]: unknown;
}

/** The page's message, as the AI SDK builds it from chunks. It throws for the same chunks. */
export class Page {
  readonly parts: Part[];
  readonly chunks: UIMessageChunk[] = [];

  /** @param parts what the page has already */
  constructor(parts: readonly Part[] = []) {
    this.parts = [...parts];
  }

  async read(stream: ReadableStream<UIMessageChunk>): Promise<this> {
    const reader = stream.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) this.#take(next.value);
    return this;
  }

  #take(chunk: UIMessageChunk): void {
    this.chunks.push(chunk);
    if (chunk.type === "start-step") this.parts.push({ type: "step-start" });
    if (chunk.type === "text-start") this.parts.push({ type: "text", text: "" });
    if (chunk.type === "text-delta") {
      const part = this.parts.findLast(({ type }) => type === "text");
      if (part) part["text"] = `${part["text"]}${chunk.delta}`;
    }
    if (chunk.type === "tool-approval-response") {
      const isIt = (part: Part) => (part["approval"] as { id?: string } | undefined)?.id === chunk.approvalId;
      this.#respond(this.parts.find(isIt), chunk.approved);
    }
    if ("toolCallId" in chunk && chunk.type !== "tool-input-start" && chunk.type !== "tool-input-delta")
      this.#takeCall(chunk);
  }

  #takeCall(
    chunk: Exclude<Extract<UIMessageChunk, { toolCallId: string }>, { type: "tool-input-start" | "tool-input-delta" }>,
  ): void {
    const { toolCallId } = chunk;
    if (chunk.type === "tool-input-available")
      this.parts.push({ type: "dynamic-tool", toolCallId, toolName: chunk.toolName, input: chunk.input });
    const part = this.parts.find((one) => one["toolCallId"] === toolCallId);
    if (!part) throw new Error(`No tool invocation found for tool call ID "${toolCallId}".`);
    if (chunk.type === "tool-approval-request") {
      const approval = { id: chunk.approvalId, ...(chunk.isAutomatic && { isAutomatic: true }) };
      Object.assign(part, { state: "approval-requested", approval });
    } else if (chunk.type.startsWith("tool-output"))
      Object.assign(part, { state: chunk.type.slice(5), ...("output" in chunk && { output: chunk.output }) });
  }

  #respond(part: Part | undefined, approved: boolean): void {
    Object.assign(part ?? {}, {
      state: "approval-responded",
      approval: { ...(part?.["approval"] as object), approved },
    });
  }

  /** `addToolApprovalResponse` */
  answer(toolCallId: string, approved: boolean): void {
    this.#respond(
      this.parts.find((part) => part["toolCallId"] === toolCallId),
      approved,
    );
  }

  get states(): unknown[] {
    return this.parts.flatMap((part) => (part.type === "dynamic-tool" ? [part["state"]] : []));
  }

  get message(): { role: string; parts: Part[] } {
    return { role: "assistant", parts: JSON.parse(JSON.stringify(this.parts)) as Part[] };
  }
}
