/** Builds requests for every model of the catalogue. A file for each provider shows what is sent, by similar models. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import { getModels, getProviders, type KnownApi, type Message, type Model, type SimpleStreamOptions } from "pi-ai";
import { expect, test } from "vitest";
import { describeRequest } from "./catalogue/request-shape.js";
import { IMAGE } from "./handoff/conversations.js";
import { PARTIES } from "./handoff/parties.js";
import { createResponse } from "./messages.js";
import { adapterOf } from "./protocols/adapters.internal.js";
import { findFaults } from "./validators/validators.js";

const MODELS: Model[] = getProviders().flatMap((provider) => getModels(provider));

const WAYS: Readonly<Record<string, SimpleStreamOptions>> = {
  on: { reasoning: "high", sessionId: "session" },
  off: { temperature: 0.5, cacheRetention: "none" },
  long: { reasoning: "minimal", cacheRetention: "long", sessionId: "session" },
};

const WAY_NAMES = Object.keys(WAYS);

const results = MODELS.map((model) => ({ model, ...askEveryWay(model) }));

const FOLDER = join(import.meta.dirname, "catalogue/requests");

test("every model of the catalogue accepts a request", () => {
  expect(MODELS.length).toBeGreaterThan(1600);
  expect(results.flatMap(({ faults }) => faults)).toEqual([]);
});

// A file of its own, so that the diff of a new host is a new file, and that of a changed one names it.
test.each(getProviders())("what is sent to %s", async (provider) => {
  const asked = results.filter(({ model }) => model.provider === provider);
  const apis = [...new Set(asked.map(({ model }) => model.api))].sort();
  const text = apis.map((api) => drawApi(api, asked)).join("\n\n");
  await expect(`${text}\n`).toMatchFileSnapshot(join(FOLDER, `${provider}.txt`));
});

test("no file shows a provider that is gone", async () => {
  const shown = (await readdir(FOLDER)).map((file) => file.replace(/\.txt$/, ""));
  expect(shown.filter((provider) => !getProviders().some((known) => known === provider))).toEqual([]);
});

interface Asked {
  faults: string[];
  /** The forms of each field in each way of sending. */
  fields: Map<string, string[]>;
}

function askEveryWay(model: Model): Asked {
  const party = PARTIES.find(({ api }) => api === model.api);
  if (!party) return { faults: [`${model.api} has no adapter`], fields: new Map() };
  const faults: string[] = [];
  const fields = new Map<string, string[]>();
  for (const [way, [name, options]] of Object.entries(WAYS).entries()) {
    try {
      const address =
        model.api === "azure-openai-responses" ? "https://resource.openai.azure.com/openai/v1" : model.baseUrl;
      const request = adapterOf(party.api).buildRequest({
        model: { ...model, baseUrl: address },
        context: createContext(model),
        options: adapterOf(party.api).simpleOptions(model, options),
        apiKey: party.apiKey,
        keyIsBearer: false,
      });
      for (const [field, text] of describeRequest(request, model)) {
        const texts = fields.get(field) ?? Object.keys(WAYS).map(() => "–");
        texts[way] = text;
        fields.set(field, texts);
      }
      const found = findFaults(model.api as KnownApi, request.body, model); // the catalogue uses built-in apis only
      faults.push(...found.map((fault) => `${model.provider}/${model.id}, ${name}: ${fault}`));
    } catch (error) {
      faults.push(`${model.provider}/${model.id}, ${name}: throws ${String(error)}`);
    }
  }
  return { faults, fields };
}

/** The model's own thinking and tool call, with an image from the user and one from a tool. */
function createContext(model: Model): { systemPrompt: string; messages: Message[]; tools: never[] } {
  const maker = { api: model.api, provider: model.provider, model: model.id };
  const call = { type: "toolCall", id: "call12345", name: "look", arguments: { at: "it" } } as const;
  return {
    systemPrompt: "You help.",
    messages: [
      { role: "user", content: [{ type: "text", text: "What is this?" }, IMAGE], timestamp: 0 },
      createResponse({ ...maker, content: [{ type: "text", text: "I look." }, call], stopReason: "toolUse" }),
      {
        role: "toolResult",
        toolCallId: call.id,
        toolName: call.name,
        content: [{ type: "text", text: "Done" }, IMAGE],
        isError: false,
        timestamp: 0,
      },
      createResponse({
        ...maker,
        content: [
          { type: "thinking", thinking: "Hm." },
          { type: "text", text: "A dot." },
        ],
      }),
      { role: "user", content: "And this?", timestamp: 0 },
    ],
    tools: [{ name: "look", description: "Looks", parameters: Type.Object({ at: Type.String() }) }] as never[],
  };
}

/** Each field with its forms, in the order of the catalogue. */
function drawApi(api: string, ofProvider: typeof results): string {
  const asked = ofProvider.filter(({ model }) => model.api === api);
  const fields = [...new Set(asked.flatMap((one) => [...one.fields.keys()]))];
  return [`# ${api}`, ...fields.map((field) => drawField(field, asked))].join("\n");
}

function drawField(field: string, asked: typeof results): string {
  const forms = new Map<string, Model[]>();
  for (const { model, fields } of asked) {
    const texts = fields.get(field) ?? ["–"];
    const form = drawForm(texts);
    forms.set(form, [...(forms.get(form) ?? []), model]);
  }
  const all = asked.map(({ model }) => model);
  return [`${field}:`, ...[...forms].map(([form, models]) => `  ${form}  [${names(models, all)}]`)].join("\n");
}

/** What each way of sending produces; ways with the same result are listed together. */
function drawForm(texts: readonly string[]): string {
  const distinct = [...new Set(texts)];
  if (distinct.length === 1) return String(distinct[0]);
  const waysOf = (text: string): string => WAY_NAMES.filter((_, way) => texts[way] === text).join(", ");
  return distinct.map((text) => `${waysOf(text)}: ${text}`).join(" | ");
}

/** The longest list of models. */
const MOST_IDS = 6;

function names(models: readonly Model[], asked: readonly Model[]): string {
  if (models.length === asked.length) return "all";
  return models.length > MOST_IDS ? `${models.length} models` : models.map(({ id }) => id).join(", ");
}
