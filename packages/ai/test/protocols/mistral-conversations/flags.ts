/** Two values of each flag of the Mistral API that must make a difference. */
import type { MistralConversationsCompat } from "pi-ai";
import type { FlagTable } from "../api-tests.js";

export const mistralFlags: FlagTable<MistralConversationsCompat> = { reasoningControl: { values: ["effort", "mode"] } };
