/** The client of the SDK, without the methods of the API. */
export { BaseAnthropic } from "@anthropic-ai/sdk/client";
