/** A program for the earlier packages finds what it imports at run time; the compiler checks the types. */
import { getModels, getProviders } from "pi-ai";
import { expect, it } from "vitest";
import * as earlier from "./earlier-names.js";

/** The providers of the earlier catalogue. `azure-openai-responses` is now called `azure`. */
const PROVIDERS =
  "amazon-bedrock anthropic azure cerebras cloudflare-ai-gateway cloudflare-workers-ai deepseek fireworks github-copilot google google-vertex groq huggingface kimi-coding minimax minimax-cn mistral moonshotai moonshotai-cn openai openai-codex opencode opencode-go openrouter together vercel-ai-gateway xai xiaomi xiaomi-token-plan-ams xiaomi-token-plan-cn xiaomi-token-plan-sgp zai";

it("exports every function and class", () => {
  const missing = Object.entries(earlier).filter(([, value]) => value === undefined);
  expect(missing.map(([name]) => name)).toEqual([]);
});

it("has every provider, each with models", () => {
  expect(getProviders()).toEqual(expect.arrayContaining(PROVIDERS.split(" ")));
  expect(PROVIDERS.split(" ").filter((provider) => getModels(provider).length === 0)).toEqual([]);
});

it("has every member of an agent", () => {
  const agent = new earlier.Agent();
  const members =
    "state signal steeringMode followUpMode subscribe prompt continue steer followUp clearSteeringQueue clearFollowUpQueue clearAllQueues hasQueuedMessages abort waitForIdle reset";
  expect(members.split(" ").filter((name) => !(name in agent))).toEqual([]);
});
