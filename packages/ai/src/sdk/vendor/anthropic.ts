/** What is used of `@anthropic-ai/sdk`; the build makes one file of it. */
export { Anthropic } from "@anthropic-ai/sdk";
