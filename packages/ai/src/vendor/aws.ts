/** The parts of the SDK that are used, in one file of the build. */
export { BedrockRuntimeClient, ConverseStreamCommand } from "@aws-sdk/client-bedrock-runtime";
