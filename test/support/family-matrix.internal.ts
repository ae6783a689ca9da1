/** The page of model families: what is sent to the models of each family at each host of the catalogue. */
import { type Context, getModels, getProviders, type Model, type SimpleStreamOptions, Type } from "pi-ai";
import { formatTable } from "../../bench/src/table.ts";
import { FAMILIES, familyOf } from "../../packages/ai/src/catalogue/compat/families.ts";
import { bodySentTo } from "../../scripts/provider-options.ts";

const INTRODUCTION = `# Model families

<!-- Written by scripts/providers-page.ts (npm run task docs:providers); changes here are lost. -->

What a model demands or refuses is the same at every host, and stands in the row of its family:
\`packages/ai/src/catalogue/compat/families\`, with the source and the date of each fact. A model of a version that no row knows gets the
request of the newest. What a host changes stands in the host's row.

Each table has one model for each host and generation: the fields of its request that ask for thinking at three levels, what is added to
a message with a tool call of another model, and whether \`temperature\` is sent without and with thinking. A dash means that there is no such
field, so that the host's default applies. An option that is not sent is named in the diagnostic \`option_omitted\` of the message.
`;

/** The fields in which the apis ask for thinking. */
const THINKING = /^(?:reasoning.*|thinking.*|enable_thinking|chat_template_(?:kwargs|args)|output_config|prompt_mode)$/;
/** The objects in which some apis have them. */
const NESTED = ["generationConfig", "additionalModelRequestFields"];

const TOOL = { name: "look", description: "Looks", parameters: Type.Object({}) };
const HELLO = { role: "user", content: "Hello", timestamp: 1 } as const;
const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** A turn of another model, which called a tool and shows no thinking. */
const FOREIGN: Context = {
  messages: [
    HELLO,
    {
      role: "assistant",
      content: [{ type: "toolCall", id: "call12345", name: "look", arguments: {} }],
      api: "other",
      provider: "other",
      model: "other",
      usage: { ...NOTHING, totalTokens: 0, cost: { ...NOTHING, total: 0 } },
      stopReason: "toolUse",
      timestamp: 2,
    },
    {
      role: "toolResult",
      toolCallId: "call12345",
      toolName: "look",
      content: [{ type: "text", text: "Done" }],
      isError: false,
      timestamp: 3,
    },
  ],
  tools: [TOOL],
};

type Fields = Record<string, unknown>;

export async function buildFamilyPage(): Promise<string> {
  const names = [...new Set(FAMILIES.map(({ family }) => family))];
  const parts: string[] = [];
  for (const name of names) {
    const rows = await Promise.all(modelsOf(name).map(describeModel));
    const head = ["host", "model", "off", "low", "high", "calls of another model", "temperature"];
    parts.push(`## ${name}\n\n${formatTable([head, ...rows])}\n`);
  }
  return [INTRODUCTION, ...parts].join("\n");
}

/** One model for each provider, api and row of the family, the newest rows first: one that thinks, if there is one. */
function modelsOf(name: string): Model[] {
  const rows = FAMILIES.filter(({ family }) => family === name).reverse();
  return rows.flatMap((row) =>
    [...getProviders()].sort().flatMap((provider) => {
      const own = getModels(provider).filter((model: Model) => familyOf(model) === row);
      return [...Map.groupBy(own, ({ api }: Model) => api).values()].map(representativeOf);
    }),
  );
}

function representativeOf(models: readonly Model[]): Model {
  const model = models.find(({ reasoning }) => reasoning) ?? models[0];
  if (!model) throw new Error("A group has a model");
  return model;
}

async function describeModel(model: Model): Promise<string[]> {
  const ask = async (options: SimpleStreamOptions): Promise<Fields> =>
    JSON.parse(await bodySentTo(model, { ...options, temperature: 0.5 }, FOREIGN));
  const [off, low, high] = [await ask({}), await ask({ reasoning: "low" }), await ask({ reasoning: "high" })];
  const thinking = [off, low, high].map((body) => quote(thinkingIn(body)));
  const heat = hasTemperature(off) ? (hasTemperature(high) ? "yes" : "off only") : "no";
  return [`\`${model.provider}\``, `\`${model.id}\``, ...thinking, quote(addedToCall(off)), heat];
}

function thinkingIn(body: Fields): Fields {
  const fields = [body, ...NESTED.map((name) => asFields(body[name]))].flatMap((part) => Object.entries(part));
  return Object.fromEntries(fields.filter(([name]) => THINKING.test(name)));
}

/** Fields of the message with the call that no message needs elsewhere. */
function addedToCall({ messages }: Fields): Fields {
  const list: unknown[] = Array.isArray(messages) ? messages : [];
  const answer = asFields(list.find((message) => asFields(message)["role"] === "assistant"));
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !/^(?:role|content|tool_calls)$/.test(name)));
}

function hasTemperature(body: Fields): boolean {
  const parts = [body, asFields(body["generationConfig"]), asFields(body["inferenceConfig"])];
  return parts.some(({ temperature }) => temperature !== undefined);
}

function asFields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function quote(fields: Fields): string {
  if (Object.keys(fields).length === 0) return "-";
  return `\`${JSON.stringify(fields).slice(1, -1).replaceAll("|", "\\|")}\``;
}
