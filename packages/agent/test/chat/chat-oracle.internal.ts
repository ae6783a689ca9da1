/** What must hold for an agent and its store whenever the agent is idle. */
import type { Agent, AgentEvent, AgentMessage } from "pi-agent";
import { sumUsage } from "pi-agent/limits";
import type { LoadedSession } from "pi-agent/session";
import type { Usage } from "pi-ai";
import { repairMessages } from "../../src/stores/session/restore-session.js";
import { serializeMessage } from "../../src/stores/session/session-lines.js";
import { findRunFaults } from "../run-oracle.js";
import type { ChatServer } from "./chat-server.js";

/** What the listeners of an agent have seen since it was idle, and what all of its runs have cost. */
export class ObservedAgent {
  readonly agent: Agent;
  /** What each listener has seen. */
  readonly seen: readonly [AgentEvent[], AgentEvent[]] = [[], []];
  /** Whether the run was aborted. */
  wasAborted = false;
  /** Whether a message was queued while no run was under way, which only a later run takes. */
  hasIdleQueue = false;
  #before: readonly AgentMessage[] = [];
  readonly #gained: AgentMessage[];
  /** What agents of the process would have named in their next response. */
  readonly #sideUsages: Usage[];
  #sideUsagesOfRun: readonly Usage[] = [];

  /** @param earlier the agent before this one in the same process */
  constructor(agent: Agent, earlier: ObservedAgent | undefined) {
    this.agent = agent;
    this.#gained = earlier ? earlier.#gained : [];
    this.#sideUsages = earlier ? [...earlier.#sideUsages, ...earlier.#sideUsagesOfRun] : [];
    this.begin();
  }

  /** Now the agent is idle. */
  begin(): void {
    for (const events of this.seen) events.length = 0;
    this.#before = this.agent.state.messages.slice();
    this.wasAborted = false;
    this.hasIdleQueue = this.agent.hasQueuedMessages();
  }

  take(event: AgentEvent): void {
    if (event.type === "message_end") this.#gained.push(event.message);
    if (event.type === "agent_end") this.#sideUsagesOfRun = event.sideUsages ?? [];
  }

  /** Returns what is wrong. */
  findFaults({ prices }: ChatServer, queued: readonly AgentMessage[]): string[] {
    const { agent } = this;
    const { state } = agent;
    const [events, other] = this.seen;
    const faults: string[] = [];
    if (events.length > 0)
      faults.push(...findRunFaults({ agent, events, before: this.#before, accepted: [] }), ...this.#findLeft());
    if (agent.hasQueuedMessages() !== queued.length > 0) faults.push("the queues differ from what is stored");
    if (state.isStreaming || state.streamingMessage || state.pendingToolCalls.size > 0) faults.push("it still runs");
    if (events.some((event, index) => event !== other[index])) faults.push("listeners have seen another order");
    return [...faults, ...this.#findCostFaults(prices)];
  }

  /** What was accepted while a run was under way is answered, unless the run was aborted, has failed or waits. */
  #findLeft(): string[] {
    const { state } = this.agent;
    const last = state.messages.at(-1);
    const hasEndedWell = !state.pause && !this.wasAborted && last?.role === "assistant" && last.stopReason === "stop";
    const isLeft = hasEndedWell && !this.hasIdleQueue && this.agent.hasQueuedMessages();
    return isLeft ? ["a run has ended well and left a message in a queue"] : [];
  }

  /** Each price is a bit. */
  #findCostFaults({ due, open }: ChatServer["prices"]): string[] {
    const side = [...this.#sideUsagesOfRun, ...this.#sideUsages].reduce((sum, { cost }) => sum + cost.total, 0);
    const counted = BigInt(sumUsage(this.#gained).cost.total + side);
    const [missing, extra] = [BigInt(due) & ~counted, counted & ~BigInt(due + open)];
    return [
      ...(missing ? [`requests were not counted: ${missing.toString(2)}`] : []),
      ...(extra ? [`requests were counted twice: ${extra.toString(2)}`] : []),
    ];
  }

  /** Whether each agent of a tool that has answered is stored. After an abort the run waits for no store. */
  async findChildFaults(load: (call: string) => Promise<LoadedSession | undefined>): Promise<string[]> {
    const faults: string[] = [];
    for (const event of this.wasAborted ? [] : this.seen[0].slice()) {
      if (event.type !== "message_end" || event.message.role !== "toolResult") continue;
      const { toolName, toolCallId, isError } = event.message;
      if (toolName !== "run" || isError || "pause" in event.message) continue;
      const last = (await load(toolCallId))?.messages.at(-1);
      if (last?.role !== "assistant")
        faults.push(`the agent of ${toolCallId} is not stored: it ends with ${last?.role}`);
    }
    return faults;
  }

  /** Whether the store gives back what the agent shows. */
  findStoreFaults(loaded: LoadedSession | undefined): string[] {
    const stored = (loaded?.messages ?? []).map((message) => JSON.stringify(message));
    const shown = repairMessages(this.agent.state.messages).map(serializeMessage);
    const index = shown.findIndex((text, at) => text !== stored[at]);
    if (index >= 0) return [`stored as ${stored[index]}: ${shown[index]}`];
    return stored.length > shown.length ? [`more is stored: ${stored[shown.length]}`] : [];
  }
}
