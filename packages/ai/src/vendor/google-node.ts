/** The client that can find credentials on its machine. */
export { GoogleGenAI } from "@google/genai/node";
