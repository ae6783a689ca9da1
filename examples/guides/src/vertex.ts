/** Gemini in Vertex AI. Project, location and credentials come from the environment. */
import { complete, getModel } from "pi-ai";

const message = await complete(getModel("google-vertex", "gemini-4-hydrogen"), "Name three rivers in Norway.");
console.log(message.errorMessage ?? message.content);
