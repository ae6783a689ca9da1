/** What is used of the SDK, in one file of the build. */
export { AzureOpenAI, OpenAI } from "openai";
