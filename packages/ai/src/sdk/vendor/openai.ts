/** What is used of the `openai` SDK; the build makes one file of it. */
export { AzureOpenAI, OpenAI } from "openai";
