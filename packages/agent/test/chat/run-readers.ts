/** Pages that read the published runs of an agent: some from the beginning, some late, and all of them lose connections. */
import type { AgentMessage, AgentMiddleware } from "pi-agent";
import { pendingRequests } from "pi-agent/approvals";
import { type ClosableEventStore, createMemoryEventStore, publish, type RunEvent } from "pi-agent/event-store";
import { createRunResponse } from "pi-agent/sse";
import { applyRunEvent, type RunView, readRun } from "pi-agent/sse/client";
import type { Random } from "../../../../test/support/random.js";
import { isNote } from "./chat-changes.js";

const URL_OF_RUN = "https://a.test";

export class RunReaders {
  readonly #random: Random;
  readonly #store: ClosableEventStore<RunEvent> = createMemoryEventStore<RunEvent>({ keepEvents: 8 });
  readonly #over = new AbortController();
  /** The run that is being published, and the conversation before it, which a page has loaded. */
  #run: { id: string; before: readonly AgentMessage[]; views: Promise<RunView>[] } | undefined;
  #count = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** @param messages the conversation of the agent, when a run of it begins */
  createMiddleware(messages: () => readonly AgentMessage[]): AgentMiddleware {
    const begin = (): string => {
      const id = `run-${this.#count++}`;
      this.#run = { id, before: messages().filter((message) => !isNote(message)), views: [] };
      if (this.#random.chance(0.5)) this.join();
      return id;
    };
    return publish(this.#store, begin, { snapshotEvery: this.#random.pick([1, 6, 40]) });
  }

  /** Another page reads the run that is under way, or that was the last one. */
  join(): void {
    const run = this.#run;
    if (run && run.views.length < 3) run.views.push(this.#read(run.id, run.before));
  }

  /** Returns what is wrong. Now the agent is idle. */
  async findFaults(messages: readonly AgentMessage[]): Promise<string[]> {
    this.join();
    const run = this.#run;
    this.#run = undefined;
    // The notes of an agent hold its system prompt, which a page does not get.
    const expected = messages.filter((message) => !isNote(message)).map(toText);
    return (await Promise.all(run?.views ?? [])).flatMap(({ messages: read, streamingMessage }) => {
      if (streamingMessage) return [`a page shows a message that has not ended: ${JSON.stringify(streamingMessage)}`];
      const shown = read.map(toText);
      const longer = shown.length > expected.length ? shown : expected;
      const index = longer.findIndex((_, at) => expected[at] !== shown[at]);
      const asked = idsOf(read);
      if (asked !== idsOf(messages)) return [`a page asks ${asked}, not ${idsOf(messages)}`];
      if (index < 0) return [];
      return [`a page shows as message ${index} ${shown[index]}, not ${expected[index]}`];
    });
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#store.close();
  }

  async #read(id: string, before: readonly AgentMessage[]): Promise<RunView> {
    let view: RunView = { messages: before.slice() };
    const { signal } = this.#over;
    const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> =>
      createRunResponse(this.#store, id, { request: new Request(URL_OF_RUN, init) });
    for (let lastEventId = 0, isCut = true; isCut; ) {
      isCut = false;
      for await (const [offset, event] of readRun(URL_OF_RUN, { fetch, lastEventId, signal })) {
        view = applyRunEvent(view, event);
        lastEventId = offset;
        isCut = this.#random.chance(0.05);
        if (isCut) break;
      }
    }
    return view;
  }
}

/** What a page shows of a message. */
function toText(message: AgentMessage): string {
  if (message.role !== "toolResult") return JSON.stringify(message);
  const { toolCallId, content, isError } = message;
  return JSON.stringify({ toolCallId, content, isError, isOpen: "pause" in message });
}

const idsOf = (messages: readonly AgentMessage[]): string =>
  pendingRequests(messages)
    .map(({ id }) => id)
    .join(" ");
