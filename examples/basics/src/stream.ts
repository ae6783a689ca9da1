/** A response that streams, with usage and cost. */
import { stream } from "pi-ai";
import { fauxAssistantMessage } from "pi-ai/testing";
import { chooseModel } from "./support/choose-model.ts";

const model = chooseModel([fauxAssistantMessage("The Glomma, the Lågen and the Tana.")]);

const response = stream(model, {
  systemPrompt: "Answer in one sentence.",
  messages: [{ role: "user", content: "Name three rivers in Norway.", timestamp: Date.now() }],
});
for await (const event of response) {
  if (event.type === "text_delta") process.stdout.write(event.delta);
}

const { stopReason, errorMessage, usage } = await response.result();
console.log(`\n${stopReason}: ${errorMessage ?? `${usage.totalTokens} tokens, $${usage.cost.total.toFixed(6)}`}`);
