/** What is used of `@aws-sdk/client-bedrock-runtime`; the build makes one file of it. */
export { BedrockRuntimeClient, ConverseStreamCommand } from "@aws-sdk/client-bedrock-runtime";
