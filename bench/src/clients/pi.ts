/** The earlier packages, 1.x: the program assembles the providers. */
import type { Protocol } from "../bodies.ts";
import { benchModel } from "./bench-model.ts";
import { type CreateClient, once, type Tick } from "./client.ts";
import { createPiClient, type EventStreamClass, type PiAgent, type PiAi } from "./pi-family.ts";

interface PiAiModule {
  createModels(): { setProvider(provider: unknown): void } & PiAi;
  createProvider(options: object): unknown;
  createAssistantMessageEventStream: PiAgent["createAssistantMessageEventStream"];
  EventStream: EventStreamClass;
}

const API_EXPORTS: Record<Protocol, string> = {
  "anthropic-messages": "anthropicMessagesApi",
  "openai-completions": "openAICompletionsApi",
  "openai-responses": "openAIResponsesApi",
  "google-generative-ai": "googleGenerativeAIApi",
};

export const createClient: CreateClient = (load) => {
  // The packages' exports. A missing name fails at its first use, and the table shows the failure.
  const ai = once(async () => (await load("@earendil-works/pi-ai")) as PiAiModule);
  const core = once(async () => (await load("@earendil-works/pi-agent-core")) as PiAgent);
  const models = new Map<Protocol, Promise<PiAi>>();
  const loadAi = (protocol: Protocol): Promise<PiAi> => {
    const loaded = models.get(protocol) ?? createModels(protocol);
    models.set(protocol, loaded);
    return loaded;
  };
  const createModels = async (protocol: Protocol): Promise<PiAi> => {
    const [library, apis] = await Promise.all([ai(), load(`@earendil-works/pi-ai/api/${protocol}.lazy`)]);
    const api = (apis as Record<string, () => unknown>)[API_EXPORTS[protocol]]?.(); // one function for each api
    const apiKey = { name: "Key", resolve: async () => ({ auth: { apiKey: "bench-key" }, source: "bench" }) };
    const model = benchModel(protocol, "http://127.0.0.1:1");
    const collection = library.createModels();
    collection.setProvider(
      library.createProvider({ id: "bench", name: "Bench", auth: { apiKey }, models: [model], api }),
    );
    return { stream: (...call) => collection.stream(...call) };
  };
  const loadAgent = once(async () => {
    const { Agent, runAgentLoop } = await core();
    return { Agent, runAgentLoop, createAssistantMessageEventStream: (await ai()).createAssistantMessageEventStream };
  });
  return {
    importRoot: () => Promise.all([ai(), core()]),
    ...createPiClient(loadAi, loadAgent),
    createQueue: async () =>
      new (await ai()).EventStream(
        (tick: Tick) => tick.last,
        (tick: Tick) => tick.index,
      ),
  };
};
