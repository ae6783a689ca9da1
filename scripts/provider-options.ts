/**
 * Finds the options that reach a provider: sends a request with each option alone, and compares it with one without
 * options.
 */
import { type Api, type Context, getModels, type Model, type SimpleStreamOptions, streamSimple, Type } from "pi-ai";

/** The options of `streamSimple` that an api may lack. */
const PROBES: Readonly<Record<string, SimpleStreamOptions>> = {
  temperature: { temperature: 0.25 },
  maxTokens: { maxTokens: 2345 },
  reasoning: { reasoning: "high" },
  thinkingBudgets: { reasoning: "high", thinkingBudgets: { high: 3456 } },
  toolChoice: { toolChoice: "required" },
  cacheRetention: { cacheRetention: "long" },
  sessionId: { sessionId: "probe-session" },
  metadata: { metadata: { user_id: "probe-user" } },
};

export const OPTION_NAMES: readonly string[] = Object.keys(PROBES);

/** The maximum number of models per provider; most models of a provider behave alike. */
const SAMPLE_SIZE = 12;

const CONTEXT: Context = {
  systemPrompt: "Probe",
  messages: [{ role: "user", content: "Probe", timestamp: 1 }],
  tools: [{ name: "probe", description: "Probe", parameters: Type.Object({ value: Type.String() }) }],
};

/** An unsigned token in ChatGPT's format, which names an account. */
const ACCOUNT = Buffer.from(
  JSON.stringify({ "https://api.openai.com/auth": { chatgpt_account_id: "probe" }, exp: 4_102_444_800 }),
).toString("base64url");
const KEY = `probe.${ACCOUNT}.key`;

/** The options that change the request to at least one of a provider's models with this api. */
export async function honouredOptions(provider: string, api: Api): Promise<Set<string>> {
  const honoured = new Set<string>();
  for (const model of sampleModels(getModels(provider).filter((candidate) => candidate.api === api))) {
    const plain = await sentWith(model, {});
    const thinking = await sentWith(model, { reasoning: "high" });
    for (const [name, options] of Object.entries(PROBES)) {
      if (honoured.has(name)) continue;
      if ((await sentWith(model, options)) !== (name === "thinkingBudgets" ? thinking : plain)) honoured.add(name);
    }
    if (honoured.size === OPTION_NAMES.length) break;
  }
  return honoured;
}

/** Models from all parts of the list, starting with those that think. */
function sampleModels(models: Model[]): Model[] {
  const sorted = [...models.filter(({ reasoning }) => reasoning), ...models.filter(({ reasoning }) => !reasoning)];
  const step = Math.max(1, sorted.length / SAMPLE_SIZE);
  return Array.from({ length: Math.min(SAMPLE_SIZE, sorted.length) }, (_, index) =>
    sorted.at(Math.floor(index * step)),
  ).filter((model) => model !== undefined);
}

/** The request on the wire: headers and body, as text. */
async function sentWith(model: Model, options: SimpleStreamOptions): Promise<string> {
  const { headers, body } = await requestTo(model, options);
  return `${headers}\n${body}`;
}

/** The body of a request with a conversation. */
export async function bodySentTo(
  model: Model,
  options: SimpleStreamOptions,
  context: Context = CONTEXT,
): Promise<string> {
  return (await requestTo(model, options, context)).body;
}

async function requestTo(
  model: Model,
  options: SimpleStreamOptions,
  context = CONTEXT,
): Promise<{ headers: string; body: string }> {
  let sent: { headers: string; body: string } | undefined;
  const response = streamSimple(withAddress(model), context, {
    ...options,
    apiKey: KEY,
    transport: "sse",
    maxRetries: 0,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      sent = { headers: describeHeaders(request.headers), body: await request.text() };
      return new Response("{}", { status: 400 });
    },
  });
  const { errorMessage } = await response.result();
  if (!sent) throw new Error(`Nothing was sent to ${model.provider}/${model.id}: ${errorMessage}`);
  return sent;
}

/** Removes values that differ between requests: dates, signatures, ids. */
function describeHeaders(headers: Headers): string {
  const steady = [...headers].filter(([name]) => !/date|authorization|invocation|request-id|length/.test(name));
  return steady.map(([name, value]) => `${name}: ${value}`).join("\n");
}

/** Some addresses in the catalogue have placeholders for account names, and Azure has no address. */
function withAddress(model: Model): Model {
  const address = model.baseUrl.replaceAll(/\{[^}]*\}/g, "probe");
  return { ...model, baseUrl: URL.canParse(address) ? address : "https://probe.openai.azure.com/openai/v1" };
}
