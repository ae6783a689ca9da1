/** What is used of `@google/genai` where it has to find credentials; the build makes one file of it. */
export { GoogleGenAI } from "@google/genai/node";
