/** The parts of `@google/genai` in Node, where it finds credentials that this package uses. The build makes one file of them. */
export { GoogleGenAI } from "@google/genai/node";
