import fc from "fast-check";
import type { Message } from "pi-ai";
import { describe, expect, it } from "vitest";
import { budget } from "../../../../test/support/suite.js";
import { buildBody, TOOLS } from "../handoff/check-handoff.internal.js";
import { PARTIES, type Party } from "../handoff/parties.js";
import { type PromptBlock, promptOf } from "./prompt-of.js";
import { randomRequests } from "./random-conversations.internal.js";

const RUNS = budget({ quick: 10, all: 300 });
const OPTIONS = [{}, { reasoning: "high" }, { cacheRetention: "long" }] as const;

describe.each(PARTIES.map((party) => [party.model.api, party] as const))("%s", (_api, party) => {
  it("begins each request with every byte of the previous one", () => {
    fc.assert(
      fc.property(randomRequests(party), fc.constantFrom(...OPTIONS), (requests, options) => {
        const prompts = requests.map((messages) => send(party, messages, options));
        // Tools, the system prompt and the first message.
        expect(prompts[0]?.length).toBeGreaterThanOrEqual(3);
        for (const [index, prompt] of prompts.entries()) {
          const before = prompts[index - 1] ?? [];
          expect(textsOf(prompt).slice(0, before.length)).toEqual(textsOf(before));
        }
      }),
      { numRuns: RUNS },
    );
  });

  it("sends the same bytes for a conversation that was stored and loaded", () => {
    fc.assert(
      fc.property(randomRequests(party), (requests) => {
        const messages = requests.at(-1) ?? [];
        const later = JSON.parse(JSON.stringify(messages), (name, value) => (name === "timestamp" ? value + 1 : value));
        expect(bytesOf(party, later)).toBe(bytesOf(party, messages));
      }),
      { numRuns: RUNS },
    );
  });

  it("never sends the mark itself", () => {
    fc.assert(
      fc.property(randomRequests(party), (requests) => {
        const messages = requests.at(-1) ?? [];
        const marked = messages.map(markBlocks);
        expect(textsOf(promptOf(JSON.parse(bytesOf(party, marked, {}, MARKED_TOOLS))))).toEqual(
          textsOf(send(party, messages, {})),
        );
        expect(bytesOf(party, marked, {}, MARKED_TOOLS)).not.toContain('"cache":');
        const none = { cacheRetention: "none" } as const;
        expect(bytesOf(party, marked, none, MARKED_TOOLS)).toBe(bytesOf(party, messages, none));
      }),
      { numRuns: RUNS },
    );
  });
});

const MARKED_TOOLS = TOOLS.map((tool) => ({ ...tool, cache: "short" as const }));

type Options = Parameters<typeof buildBody>[3]["options"];

function send(party: Party, messages: Message[], options: Options): PromptBlock[] {
  return promptOf(JSON.parse(bytesOf(party, messages, options)));
}

function bytesOf(party: Party, messages: Message[], options: Options = {}, tools = TOOLS): string {
  return JSON.stringify(buildBody(party, party.model, messages, { tools, options }));
}

function textsOf(prompt: readonly PromptBlock[]): string[] {
  return prompt.map(({ text }) => text);
}

/** Marks every block that the application wrote. */
function markBlocks(message: Message): Message {
  if (message.role === "assistant" || message.role === "system" || typeof message.content === "string") return message;
  return { ...message, content: message.content.map((block) => ({ ...block, cache: "long" as const })) };
}
