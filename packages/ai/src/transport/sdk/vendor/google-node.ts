/** The parts of `@google/genai` for Node.js, where it can find credentials. The build makes one file of them. */
export { GoogleGenAI } from "@google/genai/node";
