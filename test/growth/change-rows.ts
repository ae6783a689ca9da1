/** What the system messages of a conversation can repeat: texts, sections, prompts, tools and levels, as requests of each api have them. */
import { type Message, type Model, type SystemMessage, streamSimple, type Tool } from "pi-ai";
import { createModel } from "../../packages/ai/test/models.js";
import type { GrowthRow } from "./row.js";

const tool = (index: number, more: Partial<Tool> = {}): Tool => ({
  name: `tool_${index}`,
  description: "Does",
  parameters: { type: "object", properties: {} },
  ...more,
});

/** What each of the messages changes. */
const CHANGES: Readonly<Record<string, (index: number) => Partial<SystemMessage>>> = {
  texts: () => ({ content: "word ".repeat(10) }),
  sections: (index) => ({ sections: { [`s${index}`]: "word ".repeat(10) } }),
  "one section": (index) => ({ sections: { s: `word ${index}` } }),
  prompts: (index) => ({ systemPrompt: `word ${index}` }),
  "tools that are added": (index) => ({ toolsAdded: [tool(index)] }),
  "tools with names that no provider takes": (index) => ({ toolsAdded: [tool(index, { name: `tool.${index}` })] }),
  "tools that are added and removed": (index) => ({
    toolsAdded: [tool(index)],
    toolsRemoved: index % 2 ? [{ name: `tool_${index - 1}` }] : [],
  }),
  levels: (index) => ({ thinkingLevel: index % 2 ? "low" : "high" }),
};

const CLAUDE = createModel("anthropic-messages", { id: "claude-opus-5-5", provider: "anthropic", reasoning: true });
const SOL = createModel("openai-responses", { id: "gpt-6.2-sol", provider: "openai", reasoning: true });
const GEMINI = createModel("google-generative-ai", { id: "gemini-3-pro", provider: "google", reasoning: true });
const MODELS: readonly Model[] = [CLAUDE, SOL, { ...SOL, api: "openai-completions", id: "gpt-5" }, GEMINI];

function conversation(count: number, change: (index: number) => Partial<SystemMessage>): Message[] {
  const user: Message = { role: "user", content: "Hi", timestamp: 1 };
  const changes = Array.from({ length: count }, (_, index): Message[] => [
    user,
    { role: "system", content: "", timestamp: 1, ...change(index) },
  ]);
  return [...changes.flat(), user];
}

/** The requests of conversations that change. */
export function changeRows(): GrowthRow[] {
  return MODELS.flatMap((model) =>
    Object.entries(CHANGES).map(([what, change]): GrowthRow => {
      const prepare = (count: number) => {
        const context = { systemPrompt: "Be brief.", tools: [tool(-1)], messages: conversation(count, change) };
        const fetch = async (): Promise<Response> => new Response("no", { status: 400 });
        return () => streamSimple(model, context, { apiKey: "k", maxRetries: 0, reasoning: "low", fetch }).result();
      };
      return { reader: `request of ${model.api}`, what, prepare };
    }),
  );
}
