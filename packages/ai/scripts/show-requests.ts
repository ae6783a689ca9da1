/** What is sent to the models of a provider. Imported late, when the catalogue holds the models. */
import { inspect } from "node:util";
import { getModels, type Model, type SimpleStreamOptions } from "pi-ai";
import { bodySentTo } from "../../../scripts/provider-options.ts";

const OFF: SimpleStreamOptions = { maxTokens: 1000 };
const ON: SimpleStreamOptions = { ...OFF, reasoning: "high" };

/** The body of a request to each model in full, with thinking on and off. Models with the same ones stand together. */
export async function describeRequests(provider: string): Promise<string> {
  const models = getModels(provider);
  if (models.length === 0) throw new Error(`The catalogue has no models of ${provider}`);
  const idsOf = new Map<string, string[]>();
  for (const model of models) {
    const ways = model.reasoning ? { "thinking on": ON, "thinking off": OFF } : { "cannot think": OFF };
    const texts = [];
    for (const [way, options] of Object.entries(ways)) texts.push(`${way}: ${await describeBody(model, options)}\n`);
    const text = texts.join("");
    idsOf.set(text, [...(idsOf.get(text) ?? []), model.id]);
  }
  return Array.from(idsOf, ([text, ids]) => `# ${ids.join(", ")}\n${text}`).join("\n");
}

async function describeBody(model: Model, options: SimpleStreamOptions): Promise<string> {
  const body = (await bodySentTo(model, options)).replaceAll(JSON.stringify(model.id), '"<model>"');
  return inspect(JSON.parse(body), { depth: null, breakLength: 120 });
}
