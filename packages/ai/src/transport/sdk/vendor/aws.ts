/** The parts of `@aws-sdk/client-bedrock-runtime` that this package uses. The build makes one file of them. */
export { BedrockRuntimeClient, ConverseStreamCommand } from "@aws-sdk/client-bedrock-runtime";
