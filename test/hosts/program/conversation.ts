/**
 * What an application does, the same in every host: stream, abort, an error, typed output, and an agent whose second tool
 * fails once, on two apis. Uses nothing but web standards.
 */
import { Agent, defineTool } from "pi-agent";
import { type Api, complete, getModel, type Model, stream, Type } from "pi-ai";
import { completeObject } from "pi-ai/object";

/** What happened, in a form that can be compared. */
export interface Outcome {
  text: string;
  deltas: number;
  tokens: number;
  aborted: string;
  refused: string;
  object: unknown;
  transcript: string[];
}

const user = (content: string) => ({ messages: [{ role: "user" as const, content, timestamp: 1 }] });
const options = { apiKey: "test-key", maxRetries: 0 };

/** @param vendor the address of the simulated vendor */
export async function runConversation(vendor: string): Promise<Record<string, Outcome>> {
  const anthropic = { ...getModel("anthropic", "claude-sonnet-4-6"), baseUrl: vendor };
  const openai = { ...getModel("openrouter", "openai/gpt-5.4"), baseUrl: `${vendor}/v1` };
  return {
    [anthropic.api]: await useModel(anthropic),
    [openai.api]: await useModel(openai),
  };
}

async function useModel<TApi extends Api>(model: Model<TApi>): Promise<Outcome> {
  const response = stream<Api>(model, user("HELLO"), options);
  let deltas = 0;
  for await (const event of response) if (event.type === "text_delta") deltas++;
  const message = await response.result();
  if (message.errorMessage) throw new Error(message.errorMessage);
  const [block] = message.content;
  return {
    text: block?.type === "text" ? block.text : "",
    deltas,
    tokens: message.usage.totalTokens,
    aborted: await abort(model),
    refused: (await complete<Api>(model, user("REFUSE"), options)).errorMessage ?? "",
    object: await readObject(model),
    transcript: await runAgent(model),
  };
}

async function abort(model: Model<Api>): Promise<string> {
  const controller = new AbortController();
  const response = stream(model, user("ENDLESS"), { ...options, signal: controller.signal });
  for await (const event of response) if (event.type === "text_delta") controller.abort();
  const { stopReason } = await response.result();
  return stopReason;
}

async function readObject(model: Model<Api>): Promise<unknown> {
  const schema = Type.Object({ name: Type.String(), people: Type.Integer() });
  const { object } = await completeObject(model, "CITY", { schema, ...options });
  return object;
}

/** An agent with two tools, the second of which fails once. */
export function createAgent(model: Model<Api>): Agent {
  const weather = defineTool({
    name: "get_weather",
    label: "Weather",
    description: "The weather in a city",
    parameters: Type.Object({ city: Type.String() }),
    execute: async (_id, { city }) => ({ content: [{ type: "text", text: `Rain in ${city}` }], details: {} }),
  });
  let failures = 0;
  const flaky = defineTool({
    name: "flaky",
    label: "Flaky",
    description: "Fails once",
    parameters: Type.Object({}),
    execute: async () => {
      if (failures++ === 0) throw new Error("Not yet");
      return { content: [{ type: "text", text: "Now it works" }], details: {} };
    },
  });
  return new Agent({ initialState: { model, tools: [weather, flaky] }, getApiKey: () => options.apiKey });
}

async function runAgent(model: Model<Api>): Promise<string[]> {
  const agent = createAgent(model);
  await agent.prompt("WEATHER");
  return describeTranscript(agent.state.messages);
}

/** One line a message. */
export function describeTranscript(messages: Agent["state"]["messages"]): string[] {
  return messages.map((message) => {
    if (message.role === "toolResult") {
      const [block] = message.content;
      return `${message.toolName} ${message.isError ? "failed" : "ran"}: ${block?.type === "text" ? block.text : ""}`;
    }
    if (message.role !== "assistant") return message.role;
    const texts = message.content.map((block) => {
      if (block.type === "text") return block.text;
      return block.type === "toolCall" ? `calls ${block.name}` : block.type;
    });
    return `${message.stopReason}: ${message.errorMessage ?? texts.join(", ")}`;
  });
}
