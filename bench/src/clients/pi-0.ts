/** The earlier packages, 0.74: one function for every provider. */
import { type CreateClient, once, type Tick } from "./client.ts";
import { createPiClient, type EventStreamClass, type PiAgent, type PiAi } from "./pi-family.ts";

interface PiAiModule extends PiAi {
  createAssistantMessageEventStream: PiAgent["createAssistantMessageEventStream"];
  EventStream: EventStreamClass;
}

export const createClient: CreateClient = (load) => {
  // The packages' exports. A missing name fails at its first use, and the table shows the failure.
  const ai = once(async () => (await load("@earendil-works/pi-ai")) as PiAiModule);
  const core = once(async () => (await load("@earendil-works/pi-agent-core")) as PiAgent);
  const loadAgent = once(async () => {
    const { Agent, runAgentLoop } = await core();
    return { Agent, runAgentLoop, createAssistantMessageEventStream: (await ai()).createAssistantMessageEventStream };
  });
  return {
    importRoot: () => Promise.all([ai(), core()]),
    ...createPiClient(ai, loadAgent),
    createQueue: async () =>
      new (await ai()).EventStream(
        (tick: Tick) => tick.last,
        (tick: Tick) => tick.index,
      ),
  };
};
