/** Turns in the wire format of the Responses API, from ChatGPT. */
import type { Wire } from "../../handoff/script.js";
import { createResponsesWire } from "../openai-responses/handoff.js";

export const codexResponsesWire: Wire = createResponsesWire("openai-codex-responses");
