/** The conversation as it stands: what is finished is drawn once, what is being written once a frame. */
import type { Agent, AgentEvent, AgentMessage } from "pi-agent";
import type { ToolCall } from "pi-ai";
import { patch } from "./patch.ts";
import { renderMessage, type ToolStatus } from "./render-message.ts";

export class Transcript {
  readonly #agent: Agent;
  readonly #list: HTMLElement;
  readonly #statuses = new Map<string, ToolStatus>();
  /** The element of a message, and the message that it was drawn from. */
  readonly #drawn: { message: AgentMessage; node: HTMLElement | undefined }[] = [];
  #writing: HTMLElement | undefined;
  #frame = 0;
  /** The reader looks at the end, and wants to stay there. */
  #follows = true;
  /** Steering messages that the agent has not taken yet. */
  #queued: HTMLElement[] = [];

  constructor(agent: Agent, list: HTMLElement) {
    this.#agent = agent;
    this.#list = list;
    for (const message of agent.state.messages) this.#noteResult(message);
    agent.subscribe((event) => this.#take(event));
    const scroller = list.parentElement;
    let before = 0;
    scroller?.addEventListener("scroll", () => {
      const { scrollTop, scrollHeight, clientHeight } = scroller;
      // Only going up is leaving: the end also moves away when something is added, or the box shrinks.
      if (scrollTop < before) this.#follows = false;
      if (scrollHeight - scrollTop - clientHeight < 80) this.#follows = true;
      before = scrollTop;
    });
    if (scroller) new ResizeObserver(() => this.#scroll()).observe(scroller);
    this.#draw();
  }

  /** Shows a message that waits for the next turn. */
  queue(message: AgentMessage): void {
    const node = renderMessage(message, () => WRITING);
    if (!node) return;
    node.classList.add("queued");
    this.#queued.push(node);
    this.schedule();
  }

  clearQueued(): void {
    for (const node of this.#queued.splice(0)) node.remove();
  }

  /** Draws at the next frame. */
  schedule(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  #take(event: AgentEvent): void {
    if (event.type === "tool_execution_start") this.#note(event.toolCallId, "running", "");
    else if (event.type === "tool_execution_update")
      this.#note(event.toolCallId, "running", textOf(event.partialResult.content));
    else if (event.type === "tool_execution_end")
      this.#note(event.toolCallId, event.isError ? "failed" : "done", textOf(event.result.content));
    else if (event.type === "message_end" && event.message.role === "user") {
      this.#queued.shift()?.remove();
      this.#follows = true;
    }
    this.schedule();
  }

  #note(id: string, state: ToolStatus["state"], text: string): void {
    this.#statuses.set(id, { state, text });
    // The answer with this call is finished, and has to be drawn again.
    for (const entry of this.#drawn) {
      const { message } = entry;
      if (message.role === "assistant" && message.content.some((block) => block.type === "toolCall" && block.id === id))
        this.#redraw(entry);
    }
  }

  #noteResult(message: AgentMessage): void {
    if (message.role !== "toolResult") return;
    this.#statuses.set(message.toolCallId, {
      state: message.isError ? "failed" : "done",
      text: textOf(message.content),
    });
  }

  #draw(): void {
    const { messages, streamingMessage } = this.#agent.state;
    this.#drawFinished(messages);
    this.#drawWriting(streamingMessage);
    this.#list.append(...this.#queued);
    this.#scroll();
  }

  #drawWriting(message: AgentMessage | undefined): void {
    const wanted = message && renderMessage(message, this.#statusOf);
    wanted?.classList.add("streaming");
    if (wanted && this.#writing) patch(this.#writing, wanted);
    else if (wanted) this.#list.append(wanted);
    else this.#writing?.remove();
    this.#writing = wanted && (this.#writing ?? wanted);
  }

  #scroll(): void {
    const scroller = this.#list.parentElement;
    if (this.#follows) scroller?.scrollTo({ top: scroller.scrollHeight });
  }

  #drawFinished(messages: readonly AgentMessage[]): void {
    while (
      this.#drawn.length > messages.length ||
      this.#drawn.some(({ message }, index) => message !== messages[index])
    )
      this.#drawn.pop()?.node?.remove();
    for (const message of messages.slice(this.#drawn.length)) {
      this.#drawn.push({ message, node: this.#place(message) });
    }
  }

  /** An answer that is whole takes the place of the one that was being written. */
  #place(message: AgentMessage): HTMLElement | undefined {
    const wanted = renderMessage(message, this.#statusOf);
    const writing = this.#writing;
    if (!wanted || !writing || message.role !== "assistant") {
      if (wanted) this.#list.insertBefore(wanted, writing ?? this.#queued[0] ?? null);
      return wanted;
    }
    patch(writing, wanted);
    this.#writing = undefined;
    return writing;
  }

  #redraw({ message, node }: { message: AgentMessage; node: HTMLElement | undefined }): void {
    const wanted = renderMessage(message, this.#statusOf);
    if (node && wanted) patch(node, wanted);
  }

  readonly #statusOf = (call: ToolCall): ToolStatus =>
    this.#statuses.get(call.id) ?? (this.#agent.state.isStreaming ? WRITING : NEVER_RUN);
}

const WRITING: ToolStatus = { state: "writing", text: "" };
const NEVER_RUN: ToolStatus = { state: "failed", text: "It was not run." };

function textOf(content: readonly { type: string; text?: string }[]): string {
  return content.map(({ text = "" }) => text).join("");
}
