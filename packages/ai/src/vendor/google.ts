/** The parts of the SDK that are used, in one file of the build. */
export { GoogleGenAI } from "@google/genai/web";
