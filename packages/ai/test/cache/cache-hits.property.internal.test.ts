import fc from "fast-check";
import type { Message, Model, SimpleStreamOptions } from "pi-ai";
import { describe, expect, it, test } from "vitest";
import { budget } from "../../../../test/support/suite.js";
import { buildBody, TOOLS } from "../handoff/check-handoff.internal.js";
import { PARTIES, type Party } from "../handoff/parties.js";
import { promptOf } from "./prompt-of.js";
import { randomRequests } from "./random-conversations.internal.js";
import { VendorCache } from "./vendor-cache.js";

const RUNS = budget({ quick: 40, all: 1000 });

/** The hosts whose caches need marks. */
const HOSTS: readonly { name: string; party: Party }[] = [
  { name: "Anthropic", party: partyOf("anthropic-messages", {}) },
  {
    name: "OpenRouter",
    party: partyOf("openai-completions", { provider: "openrouter", id: "anthropic/claude-sonnet-4.6" }),
  },
  { name: "Bedrock", party: partyOf("bedrock-converse-stream", { id: "anthropic.claude-sonnet-4-6" }) },
];

function partyOf(api: string, fields: Partial<Model>): Party {
  const party = PARTIES.find(({ model }) => model.api === api);
  if (!party) throw new Error(`No party has the api ${api}`);
  return { ...party, model: { ...party.model, ...fields } };
}

/** For each prompt, the number of blocks read from the cache, and the number that the previous request had written. */
function readsOf(party: Party, requests: readonly Message[][], options: SimpleStreamOptions = {}): [number, number][] {
  const cache = new VendorCache();
  let before = 0;
  return requests.map((messages) => {
    const prompt = promptOf(buildBody(party, party.model, messages, { tools: TOOLS, options }));
    const read = cache.send(prompt);
    const expected = before;
    before = prompt.findLastIndex(({ mark }) => mark) + 1;
    return [read, expected];
  });
}

describe.each(HOSTS)("$name", ({ party }) => {
  it.each(["short", "long"] as const)("reads the whole previous request from the cache (%s)", (cacheRetention) => {
    fc.assert(
      fc.property(randomRequests(party), (requests) => {
        for (const [read, before] of readsOf(party, requests, { cacheRetention, reasoning: "high" }))
          expect(read).toBeGreaterThanOrEqual(before);
      }),
      { numRuns: RUNS },
    );
  });
});

test("the cache model enforces the limits", () => {
  const block = (text: string, mark?: "short" | "long") => ({ text, ...(mark ? { mark } : {}) });
  const rows = (length: number) => Array.from({ length }, (_, index) => block(`${index}`));
  const cache = new VendorCache();
  expect(cache.send([block("system"), block("first", "short")])).toBe(0);
  expect(cache.send([block("system"), block("first"), ...rows(18), block("last", "short")])).toBe(2);
  expect(new VendorCache().send([block("system", "short")])).toBe(0);
  const other = new VendorCache();
  other.send([block("system"), block("first", "short")]);
  expect(other.send([block("system"), block("first"), ...rows(19), block("last", "short")])).toBe(0);
  expect(() => cache.send(rows(5).map(({ text }) => block(text, "short")))).toThrow("has 5 cache marks");
  expect(() => cache.send([block("a", "short"), block("b", "long")])).toThrow("A long mark follows a short one");
});
