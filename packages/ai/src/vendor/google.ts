/** What is used of the SDK, in one file of the build. */
export { GoogleGenAI } from "@google/genai/web";
