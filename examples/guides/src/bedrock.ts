/** Claude in Amazon Bedrock, in one region. Credentials come from wherever the AWS SDK finds them. */
import { complete, getModel } from "pi-ai";

const message = await complete(
  getModel("amazon-bedrock", "us.anthropic.claude-sonnet-5-5"),
  { messages: [{ role: "user", content: "Name three rivers in Norway.", timestamp: Date.now() }] },
  { region: "us-east-1" },
);
console.log(message.errorMessage ?? message.content);
