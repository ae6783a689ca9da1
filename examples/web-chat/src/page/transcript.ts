/** Shows the conversation: a finished message is drawn once, a growing one once a frame. */
import type { Agent, AgentEvent, AgentMessage } from "pi-agent";
import type { ToolCall } from "pi-ai";
import { copyText } from "./copy-text.ts";
import { fillElement } from "./lazy-element.ts";
import { patch } from "./patch.ts";
import { renderMessage, type ToolStatus } from "./render-message.ts";
import type { Scroller } from "./scroller.ts";

interface Drawn {
  message: AgentMessage;
  node: HTMLElement | undefined;
}

export class Transcript {
  readonly #agent: Agent;
  readonly #list: HTMLElement;
  readonly #scroller: Scroller;
  readonly #statuses = new Map<string, ToolStatus>();
  readonly #drawn: Drawn[] = [];
  #growing: HTMLElement | undefined;
  #frame = 0;
  /** Steering messages that are still queued. */
  #queued: { message: AgentMessage; node: HTMLElement }[] = [];

  constructor(agent: Agent, list: HTMLElement, scroller: Scroller) {
    this.#agent = agent;
    this.#list = list;
    this.#scroller = scroller;
    for (const message of agent.state.messages) this.#noteResult(message);
    agent.subscribe((event) => this.#take(event));
    list.addEventListener("click", (event) => this.#copy(event.target));
    this.#draw();
  }

  /** Shows a queued message. */
  queue(message: AgentMessage): void {
    const node = this.#render(message);
    if (!node) return;
    node.classList.add("queued");
    this.#queued.push({ message, node });
    this.schedule();
  }

  /** Removes the queued messages, and returns them. */
  takeQueued(): AgentMessage[] {
    return this.#queued.splice(0).map(({ message, node }) => {
      node.remove();
      return message;
    });
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
    else if (event.type === "tool_execution_end" && event.isWaiting) this.#note(event.toolCallId, "waiting", "");
    else if (event.type === "tool_execution_end")
      this.#note(event.toolCallId, event.isError ? "failed" : "done", textOf(event.result.content));
    else if (event.type === "message_end" && event.message.role === "user") {
      this.#queued.shift()?.node.remove();
      this.#scroller.follow();
    }
    this.schedule();
  }

  #note(id: string, state: ToolStatus["state"], text: string): void {
    this.#statuses.set(id, { state, text });
    // The message with this call is finished, so nothing else draws it again.
    for (const { message, node } of this.#drawn) {
      const isCaller =
        message.role === "assistant" && message.content.some((block) => block.type === "toolCall" && block.id === id);
      const wanted = isCaller ? this.#render(message) : undefined;
      if (node && wanted) patch(node, wanted);
    }
  }

  #noteResult(message: AgentMessage): void {
    if (message.role !== "toolResult") return;
    // The mark of a pause is not a result.
    if ("pause" in message) {
      this.#statuses.set(message.toolCallId, { state: "waiting", text: "" });
      return;
    }
    this.#statuses.set(message.toolCallId, {
      state: message.isError ? "failed" : "done",
      text: textOf(message.content),
    });
  }

  #draw(): void {
    const { messages, streamingMessage } = this.#agent.state;
    this.#drawFinished(messages);
    this.#drawGrowing(streamingMessage);
    for (const { node } of this.#queued) if (!node.isConnected) this.#list.append(node);
    this.#scroller.update();
  }

  #drawGrowing(message: AgentMessage | undefined): void {
    const wanted = message && this.#render(message, true);
    if (wanted && this.#growing) patch(this.#growing, wanted);
    else if (wanted) this.#insert(wanted);
    else this.#growing?.remove();
    this.#growing = wanted && (this.#growing ?? wanted);
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

  /** Returns the element of a message. A complete response reuses the element of its partial one. */
  #place(message: AgentMessage): HTMLElement | undefined {
    const wanted = this.#render(message);
    const growing = this.#growing;
    if (wanted && growing && message.role === "assistant") {
      patch(growing, wanted);
      this.#growing = undefined;
      return growing;
    }
    if (wanted) this.#insert(wanted, growing);
    return wanted;
  }

  #insert(node: HTMLElement, before: Node | undefined = this.#queued[0]?.node): void {
    fillElement(node);
    this.#list.insertBefore(node, before?.isConnected ? before : null);
  }

  #render(message: AgentMessage, isStreaming = false): HTMLElement | undefined {
    return renderMessage(message, { statusOf: this.#statusOf, isStreaming });
  }

  #copy(target: EventTarget | null): void {
    const button = target instanceof Element ? target.closest<HTMLElement>("[data-copy]") : null;
    if (!button) return;
    if (button.dataset["copy"] === "code") {
      void copyText(button, button.closest(".code")?.querySelector("pre")?.textContent ?? "");
      return;
    }
    const message = this.#drawn.find(({ node }) => node?.contains(button))?.message;
    if (message?.role === "assistant") void copyText(button, textOf(message.content));
  }

  readonly #statusOf = (call: ToolCall): ToolStatus =>
    this.#statuses.get(call.id) ?? (this.#agent.state.isStreaming ? PREPARING : NEVER_RUN);
}

const PREPARING: ToolStatus = { state: "writing", text: "" };
const NEVER_RUN: ToolStatus = { state: "failed", text: "It was not run." };

function textOf(content: readonly { type: string; text?: string }[]): string {
  return content.map(({ text = "" }) => text).join("");
}
