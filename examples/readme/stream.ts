import { getModel, stream } from "pi-ai";

const response = stream(getModel("anthropic", "claude-sonnet-5-5"), "Name three rivers in Norway.");
for await (const event of response) if (event.type === "text_delta") process.stdout.write(event.delta);
const { errorMessage, stopReason, usage } = await response.result();
console.log(errorMessage ?? stopReason, usage.totalTokens, "tokens, $", usage.cost.total);
