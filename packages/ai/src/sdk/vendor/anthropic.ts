/** What is used of `@anthropic-ai/sdk`, its client without the methods of the API; the build makes one file of it. */
export { BaseAnthropic } from "@anthropic-ai/sdk/client";
