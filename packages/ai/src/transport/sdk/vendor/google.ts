/** The parts of `@google/genai` that this package uses. The build makes one file of them. */
export { GoogleGenAI } from "@google/genai/web";
