/** The client of `@anthropic-ai/sdk`, without the methods of the API. The build makes one file of it. */
export { BaseAnthropic } from "@anthropic-ai/sdk/client";
