/** What is used of `@google/genai`; the build makes one file of it. */
export { GoogleGenAI } from "@google/genai/web";
