/** Builds the wire request of Google's generateContent. */
import {
  factsOf,
  type GoogleFlags,
  geminiResource,
  resolveGoogleFlags,
  thinkingWord,
} from "../../catalogue/compat/index.js";
import { clampThinkingLevel } from "../../catalogue/index.js";
import type { ApiRequest } from "../../driver/index.js";
import { transformMessages } from "../../request/index.js";
import type { RequestNote, WireRequest } from "../../transport/index.js";
import type { Tool } from "../../types/context.js";
import { isRecord } from "../../utils/is-object.js";
import { sanitizeSurrogates } from "../../utils/sanitize-unicode.js";
import { USER_AGENT } from "../../version.js";
import { checkFileSizes } from "../file-limits.js";
import { addPlainOptions, PLAIN_ROWS, type PlainRows } from "../plain-options.js";
import { type TemperatureField, temperatureField } from "../temperature-field.js";
import { GOOGLE_CALL_IDS, toWireContents } from "./messages.js";
import { toOpenApiSchema } from "./open-api-schema.js";
import type { GoogleOptions } from "./options.js";
import { GOOGLE_FILES } from "./vendor-features.js";

type GoogleRequest = ApiRequest<GoogleOptions>;
type Fields = Record<string, unknown>;

/** In bytes (ai.google.dev, "File input methods"; cloud.google.com, "Document understanding"; both 2026-11). */
export const MAX_DOCUMENT_BYTES: number = 50 * 1024 * 1024;

const DEFAULT_BASE_URL = "https://generativelanguage.googleapis.com/v1beta";

export function buildGoogleRequest(request: GoogleRequest): WireRequest {
  const { model, apiKey } = request;
  return {
    baseUrl: model.baseUrl || DEFAULT_BASE_URL,
    path: `/${geminiResource(model.id)}:streamGenerateContent`,
    headers: buildGoogleHeaders(request),
    ...buildGoogleBody(request, PLAIN_ROWS.google),
    apiKey,
  };
}

/**
 * The same request with the token of the response so far, without the response itself (ai.google.dev, "Long decode", and
 * the types of @google/genai 3.3, 2026-11).
 */
export function continueGoogleRequest(wireRequest: WireRequest, token: string): WireRequest {
  const { body } = wireRequest;
  return { ...wireRequest, body: { ...(isRecord(body) ? body : {}), continuationToken: token } };
}

/** Other vendors' models at Google, such as Claude, refuse what they refuse elsewhere. */
function temperatureOf({ model, options }: GoogleRequest): TemperatureField {
  return temperatureField(options.temperature, factsOf(model).temperature, options.thinking?.enabled === true);
}

export function buildGoogleHeaders({ model, options }: GoogleRequest): Record<string, string | null> {
  return { "user-agent": USER_AGENT, ...model.headers, ...options.headers };
}

/**
 * The body, and diagnostics for the options that it omits.
 *
 * @param rows the fields of the options that every library has
 */
export function buildGoogleBody(request: GoogleRequest, rows: PlainRows): { body: Fields; notes: RequestNote[] } {
  const { model, context, options } = request;
  const flags = resolveGoogleFlags(model);
  const messages = transformMessages(context.messages, model, {
    foreignThinking: options.foreignThinking,
    files: GOOGLE_FILES,
    ...(flags.sendsCallIds ? { toolCallIds: GOOGLE_CALL_IDS } : {}),
  });
  checkFileSizes(messages, { documentBytes: MAX_DOCUMENT_BYTES, totalBytes: flags.inlineBytes }, model.provider);
  const generationConfig = buildGenerationConfig(request, flags);
  const body = {
    contents: toWireContents(messages, flags),
    ...(context.systemPrompt
      ? { systemInstruction: { parts: [{ text: sanitizeSurrogates(context.systemPrompt) }] } }
      : {}),
    ...(Object.keys(generationConfig).length > 0 ? { generationConfig } : {}),
    ...buildToolFields(request, flags),
  };
  const plain = addPlainOptions(body, rows, { model, options, thinks: options.thinking?.enabled === true });
  return { body: plain.body, notes: [...temperatureOf(request).notes, ...plain.notes] };
}

function buildGenerationConfig(request: GoogleRequest, flags: GoogleFlags): Fields {
  const { model, options } = request;
  const thinkingConfig =
    model.reasoning && options.thinking ? buildThinking(model, options.thinking, flags) : undefined;
  return {
    ...temperatureOf(request).fields,
    ...(options.maxTokens === undefined ? {} : { maxOutputTokens: options.maxTokens }),
    ...(thinkingConfig ? { thinkingConfig } : {}),
    ...buildOutputFormat(options),
  };
}

/** ai.google.dev, "Structured outputs", 2026-11. */
function buildOutputFormat({ outputFormat }: GoogleOptions): Fields {
  return outputFormat ? { responseMimeType: "application/json", responseJsonSchema: outputFormat.schema } : {};
}

function buildThinking(
  model: GoogleRequest["model"],
  thinking: NonNullable<GoogleOptions["thinking"]>,
  flags: GoogleFlags,
): Fields {
  if (!thinking.enabled) {
    // A model that always thinks gets its lowest level.
    const lowest = thinkingWord(model, flags, clampThinkingLevel(model, "off"));
    return lowest ? { thinkingLevel: lowest } : { thinkingBudget: flags.offBudget };
  }
  return {
    includeThoughts: true,
    ...(thinking.level === undefined ? {} : { thinkingLevel: thinking.level }),
    ...(thinking.level === undefined && thinking.budgetTokens !== undefined
      ? { thinkingBudget: thinking.budgetTokens }
      : {}),
  };
}

function buildToolFields({ context, options }: GoogleRequest, flags: GoogleFlags): Fields {
  if (!context.tools || context.tools.length === 0) return {};
  const { toolChoice } = options;
  return {
    tools: [{ functionDeclarations: context.tools.map((tool) => toDeclaration(tool, flags)) }],
    ...(toolChoice === undefined ? {} : { toolConfig: { functionCallingConfig: toCallingConfig(toolChoice) } }),
  };
}

function toDeclaration({ name, description, parameters }: Tool, flags: GoogleFlags): Fields {
  const field = flags.toolSchemaField;
  return { name, description, [field]: field === "parameters" ? toOpenApiSchema(parameters) : parameters };
}

function toCallingConfig(toolChoice: NonNullable<GoogleOptions["toolChoice"]>): object {
  return typeof toolChoice === "string" ? { mode: toolChoice.toUpperCase() } : toolChoice;
}
