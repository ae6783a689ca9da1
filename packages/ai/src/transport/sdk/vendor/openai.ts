/** The parts of the `openai` SDK that this package uses. The build makes one file of them. */
export { AzureOpenAI, OpenAI } from "openai";
