/** An answer of thinking only, as the output limit leaves it, goes back as the family demands, or is left out. */
import { type AssistantBlock, type AssistantMessage, completeSimple, type Message, type Model } from "pi-ai";
import { expect, test } from "vitest";
import { createResponse } from "../messages.js";
import { testsOf } from "../protocols/all-apis.js";
import { createDouble } from "./double.js";
import { modelsOf } from "./vendor-models.js";
import { brokenRules, VENDORS, type Vendor } from "./vendors.js";

const SIGNATURES = [undefined, "c2ln", "reasoning_content"];
const THINKING = ["I think", "", " \n"];
/** A message of the assistant that says nothing. */
const SILENT = /"role":"(?:assistant|model)","(?:content|parts)":(?:""|null|\[\])\}/;

function turns(): { name: string; content: AssistantBlock[] }[] {
  return THINKING.flatMap((thinking) =>
    SIGNATURES.flatMap((thinkingSignature) => {
      const block: AssistantBlock = { type: "thinking", thinking, ...(thinkingSignature && { thinkingSignature }) };
      const name = `${JSON.stringify(thinking)}, ${thinkingSignature}`;
      return [
        { name, content: [block] },
        { name: `${name}, and a blank text`, content: [block, { type: "text", text: " " }] },
        { name: `${name}, redacted`, content: [{ ...block, redacted: true }] },
      ];
    }),
  );
}

async function problemOf(vendor: Vendor, model: Model, turn: AssistantMessage): Promise<string> {
  const { fixtures } = testsOf(model.api);
  const double = createDouble(vendor, fixtures);
  const messages: Message[] = [
    { role: "user", content: "Hi", timestamp: 1 },
    turn,
    { role: "user", content: "Go on", timestamp: 1 },
  ];
  const options = { apiKey: "k", maxRetries: 0, ...fixtures.options, reasoning: "high", fetch: double.fetch } as const;
  const { errorMessage = "" } = await completeSimple(model, { messages }, options);
  const body = double.requests[0]?.body;
  const broken = brokenRules(vendor, body ?? {}, model.id).map(({ rule, at }) => `${rule.id} at ${at}`);
  return [errorMessage, ...broken, ...(SILENT.exec(JSON.stringify(body)) ?? [])]
    .filter((text) => text !== "")
    .join("; ");
}

test.each(VENDORS)("$name takes an answer of thinking only", async (vendor) => {
  const problems: string[] = [];
  for (const model of modelsOf(vendor))
    for (const { name, content } of turns())
      for (const writer of [{ api: model.api, provider: model.provider, model: model.id }, {}]) {
        const turn = createResponse({ content, stopReason: "length", ...writer });
        const problem = await problemOf(vendor, model, turn);
        if (problem !== "") problems.push(`${model.id}, ${name}, ${writer.model ?? "foreign"}: ${problem}`);
      }
  expect(problems).toEqual([]);
});
