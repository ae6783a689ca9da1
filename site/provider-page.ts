/** One page for each provider of the catalogue: key, options, models and prices, and what its host does differently. */
import { type Api, getModels, getProviders, getSupportedThinkingLevels, type Model } from "pi-ai";
import { formatTable } from "../bench/src/table.ts";
import { resolveOutputRules } from "../packages/ai/src/catalogue/compat/output-rules.ts";
import { keyVariablesOf } from "../packages/ai/src/catalogue/env/credentials.ts";
import { describeMissingKey } from "../packages/ai/src/catalogue/env/missing-key.ts";
import { honouredOptions, OPTION_NAMES } from "../scripts/provider-options.ts";
import { listQuirks, type Quirk, sourceOf } from "./provider-quirks.ts";
import { PROVIDER_SETTINGS } from "./provider-settings.ts";

/** Pages that say more about a provider, by its name. Links are those of a page in `docs/providers/`. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  "amazon-bedrock": ["[Credentials, regions and inference profiles](../../docs/guides/bedrock.md)"],
  azure: ["[Keys, resources and deployments](../../docs/guides/azure.md)"],
  "github-copilot": ["[Log in](../../docs/guides/login.md)", "[Logins](../../docs/oauth.md)"],
  "google-vertex": ["[Projects, locations and credentials](../../docs/guides/vertex.md)"],
  "openai-codex": ["[Log in](../../docs/guides/login.md)", "[Logins](../../docs/oauth.md)"],
};

/** The providers in the order of their pages. */
export function listProviders(): string[] {
  return [...getProviders()].sort();
}

/** The page of a provider, as Markdown. Its links are relative to the folder `generated/providers` of the repository. */
export async function writeProviderPage(provider: string): Promise<string> {
  const models = getModels(provider);
  const apis = Map.groupBy(models, ({ api }) => api);
  const parts = [
    `# ${provider}`,
    introduce(provider, apis),
    begin(models),
    describeKey(provider, models),
    await describeOptions(provider, [...apis.keys()]),
    describeModels(models),
    describePriceChanges(models),
    describeLongPrompts(models),
    describeQuirks(provider, apis),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function introduce(provider: string, apis: ReadonlyMap<Api, readonly Model[]>): string {
  const counts = [...apis].map(([api, own]) => `\`${api}\` (${own.length})`);
  const addresses = [...apis].map(([api, own]) => [`\`${api}\``, [...new Set(own.map(addressOf))].join(", ")]);
  const more = MORE[provider];
  return [
    `The provider \`${provider}\` of the catalogue. Its models by api: ${counts.join(", ")}.`,
    ...(more ? [`More about it: ${more.join(", ")}.`] : []),
    formatTable([["api", "address"], ...addresses]),
  ].join("\n\n");
}

function addressOf({ baseUrl }: Model): string {
  return baseUrl === "" ? "that of your resource" : `\`${baseUrl}\``;
}

/** A program for the cheapest model that thinks and has a price, of those that the provider serves today. */
function begin(models: readonly Model[]): string {
  const current = models.filter(({ lifecycle }) => (lifecycle?.status ?? "active") === "active");
  const priced = current.filter(({ reasoning, cost }) => reasoning && cost.output > 0);
  const [model = models[0]] = [...priced.toSorted((a, b) => a.cost.output - b.cost.output), ...current];
  if (!model) throw new Error("A provider of the catalogue has a model");
  return `## Begin

\`\`\`ts
import { complete, getModel } from "pi-ai";

const model = getModel(${JSON.stringify(model.provider)}, ${JSON.stringify(model.id)});
const message = await complete(model, "Name three rivers in Norway.");
console.log(message.errorMessage ?? message.content);
\`\`\``;
}

function describeKey(provider: string, models: readonly Model[]): string {
  const variables = keyVariablesOf(provider).map((name) => `\`${name}\``);
  const settings = PROVIDER_SETTINGS.filter(({ providers }) => providers?.includes(provider) ?? true);
  const from =
    variables.length > 0
      ? `The key comes from ${variables.join(", else ")}, or from the option \`apiKey\`, which wins.`
      : "The key comes from the option `apiKey` only.";
  const [missing] = models.map(describeMissingKey);
  return [
    "## Key",
    `${from} Without any, the response ends with the error \`${missing}\``,
    "It also reads these variables:",
    settings.map(({ providers, variables: names }) => `- ${providers ? "" : "as every provider: "}${names}`).join("\n"),
  ].join("\n\n");
}

async function describeOptions(provider: string, apis: readonly Api[]): Promise<string> {
  const honoured = await Promise.all(apis.map((api) => honouredOptions(provider, api)));
  const rows = OPTION_NAMES.map((name) => [
    `\`${name}\``,
    ...honoured.map((names) => (names.has(name) ? "sent" : "omitted")),
  ]);
  return `## Options

Measured: for each option the requests of up to twelve models with and without it were compared. What is omitted is never an error; a
single model may take less. [Providers](../../docs/providers.md) lists the options that work everywhere.

${formatTable([["option", ...apis.map((api) => `\`${api}\``)], ...rows])}`;
}

function describeModels(models: readonly Model[]): string {
  const head = [
    "model",
    "input",
    "output",
    "cache read",
    "cache write",
    "context",
    "response",
    "takes",
    "thinking",
    "JSON",
  ];
  const rows = models.map((model) => [
    `\`${model.id}\`${describeEnd(model)}`,
    ...pricesOf(model.cost),
    model.contextWindow.toLocaleString("en-US"),
    model.maxTokens.toLocaleString("en-US"),
    model.input.join(", "),
    describeThinking(model),
    describeJson(model),
  ]);
  return `## Models and prices

Prices are US dollars per million tokens; a dash means that the price is unknown, or a part of a plan. \`context\` and \`response\` are the
largest numbers of tokens of a prompt with its response, and of one response. \`thinking\` lists the levels of the option \`reasoning\`.
\`JSON\` says how [typed output](../../docs/structured-output.md) is asked for: in the model's own mode for a schema, by a tool whose schema
the provider enforces, or by a plain tool.

${formatTable([head, ...rows])}`;
}

function describeEnd({ lifecycle }: Model): string {
  if (!lifecycle || lifecycle.status === "active") return "";
  const parts = [lifecycle.status, lifecycle.endsAt, lifecycle.replacement && `then \`${lifecycle.replacement}\``];
  return ` (${parts.filter(Boolean).join(", ")})`;
}

function pricesOf(price: Pick<Model["cost"], "input" | "output" | "cacheRead" | "cacheWrite">): string[] {
  return [price.input, price.output, price.cacheRead, price.cacheWrite].map((dollars) =>
    dollars === 0 ? "-" : `${dollars}`,
  );
}

function describeThinking(model: Model): string {
  const levels = getSupportedThinkingLevels(model);
  return levels.length === 1 && levels[0] === "off" ? "-" : levels.join(", ");
}

function describeJson(model: Model): string {
  const { native, nativeWithTools, strictTools, tools } = resolveOutputRules(model);
  if (native) return nativeWithTools || !tools ? "own mode" : "own mode, without tools";
  if (!tools) return "-";
  return strictTools ? "enforced tool" : "tool";
}

function describeLongPrompts(models: readonly Model[]): string {
  const rows = models.flatMap((model) =>
    (model.cost.tiers ?? []).map((tier) => [
      `\`${model.id}\``,
      tier.inputTokensAbove.toLocaleString("en-US"),
      ...pricesOf(tier),
    ]),
  );
  if (rows.length === 0) return "";
  return `### Long prompts

Above a number of tokens in the prompt, cached ones included, these prices replace the others.

${formatTable([["model", "above", "input", "output", "cache read", "cache write"], ...rows])}`;
}

/** Prices that will change. The table of the models has those of the day on which the page was built. */
function describePriceChanges(models: readonly Model[]): string {
  const rows = models.flatMap((model) => {
    const later = (model.cost.changes ?? []).filter(({ from }) => Date.parse(from) > Date.now());
    return later.map((change) => [`\`${model.id}\``, change.from, ...pricesOf(change)]);
  });
  if (rows.length === 0) return "";
  return `### Prices that will change

From 00:00 UTC of the day these prices apply, up to the next one of the model.

${formatTable([["model", "from", "input", "output", "cache read", "cache write"], ...rows])}`;
}

function describeQuirks(provider: string, apis: ReadonlyMap<Api, readonly Model[]>): string {
  const tables = [...apis].map(([api, models]) => {
    const rows = listQuirks(models, api).map((quirk) => [
      `\`${quirk.flag}\``,
      quirk.value === "its own" ? quirk.value : `\`${quirk.value.replaceAll("|", "\\|")}\``,
      describeShare(quirk, models),
      quirk.meaning,
    ]);
    if (rows.length === 0) return `With \`${api}\`: nothing that the library knows.`;
    return `With \`${api}\`:\n\n${formatTable([["flag", "value", "models", "meaning"], ...rows])}`;
  });
  const source = sourceOf(provider);
  return [
    "## Quirks",
    `What the library does differently for its models than for the same models at a host that it does not know. The field \`compat\` of a
model overrides most flags. What a family of models demands at every host is in [Model families](../../docs/model-families.md).`,
    ...tables,
    ...(source === undefined ? [] : [`Sources of the host's row: ${source}`]),
  ].join("\n\n");
}

function describeShare({ models }: Quirk, all: readonly Model[]): string {
  if (models.length === all.length) return "all";
  return models.length <= 3 ? models.map((id) => `\`${id}\``).join(", ") : `${models.length} of ${all.length}`;
}
