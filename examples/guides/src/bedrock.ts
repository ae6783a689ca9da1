/** Claude in Amazon Bedrock, in one region. Credentials come from wherever the AWS SDK finds them. */
import { complete, getModel } from "pi-ai";

const model = getModel("amazon-bedrock", "us.anthropic.claude-sonnet-5-5");
const message = await complete(model, "Name three rivers in Norway.", { region: "us-east-1" });
console.log(message.errorMessage ?? message.content);
