/** The thinking levels of the catalogue, and what is sent for thinking that is off. */

import { getModel, getModels, getProviders, getSupportedThinkingLevels, type Model } from "pi-ai";
import { expect, test } from "vitest";
import { user } from "./handoff/conversations.js";
import { PARTIES } from "./handoff/parties.js";
import { adapterOf } from "./protocols/adapters.internal.js";

const MODELS: Model[] = getProviders().flatMap((provider) => getModels(provider));
/** GitHub Copilot's requests have no thinking fields while thinking is off. */
const SILENT = ["github-copilot"];
const OFF = /"(?:reasoning_effort|effort)":"(?:none|off)"|"thinking":\{"type":"disabled"|"enable_thinking":false/;

test("thinking that is off is sent wherever the catalogue has a name for it", () => {
  const named = MODELS.filter((model) => typeof model.thinkingLevelMap?.off === "string");
  expect(named.length).toBeGreaterThan(150);
  const missing = named.filter((model) => !SILENT.includes(model.provider) && !OFF.test(bodyWithoutThinking(model)));
  expect(missing.map(({ provider, id }) => `${provider}/${id}`)).toEqual([]);
});

test("a server with an effort for off gets it, also beside a field of the chat template", () => {
  expect(bodyWithoutThinking(getModel("baseten", "zai-org/GLM-5.2"))).toContain('"reasoning_effort":"none"');
});

test.each(["gpt-5-pro", "gpt-5.2-pro", "gpt-5.4-pro", "gpt-5.5-pro", "o1-pro", "o3-pro"] as const)(
  "%s has the same levels on Azure as at OpenAI",
  (id) => {
    expect(getSupportedThinkingLevels(getModel("azure", id))).toEqual(
      getSupportedThinkingLevels(getModel("openai", id)),
    );
  },
);

function bodyWithoutThinking(model: Model): string {
  const party = PARTIES.find(({ api }) => api === model.api);
  if (!party) throw new Error(`${model.api} has no adapter`);
  const isAzure = model.api === "azure-openai-responses";
  const { body } = adapterOf(party.api).buildRequest({
    model: isAzure ? { ...model, baseUrl: "https://resource.openai.azure.com/openai/v1" } : model,
    context: { messages: [user("Hi")] },
    options: adapterOf(party.api).simpleOptions(model, {}),
    apiKey: party.apiKey,
    keyIsBearer: false,
  });
  return JSON.stringify(body);
}
