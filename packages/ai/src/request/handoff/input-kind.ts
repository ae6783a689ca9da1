/** Decides whether a model accepts a file. */
import type { Model } from "../../types/model.js";

type InputKind = Model["input"][number];

/** By the first part of a MIME type; other types count as documents. */
const KINDS: Readonly<Record<string, InputKind>> = { text: "text", image: "image", audio: "audio", video: "video" };
/** Text types outside of `text/` (IANA media types, 2026-11). */
const TEXT_TYPES: ReadonlySet<string> = new Set([
  "application/json",
  "application/xml",
  "application/yaml",
  "application/javascript",
  "application/x-ndjson",
]);

/** The kind of input that a file of this type counts as. */
export function inputKindOf(mimeType: string): InputKind {
  const type = mimeType.toLowerCase().split(";")[0]?.trim() ?? "";
  if (TEXT_TYPES.has(type)) return "text";
  const family = type.split("/")[0] ?? "";
  return (Object.hasOwn(KINDS, family) ? KINDS[family] : undefined) ?? "pdf";
}

const GOOGLE_APIS = ["google-generative-ai", "google-vertex", "google-gemini-cli"];

interface FileRow {
  apis: readonly string[];
  /** Default: all. */
  providers?: readonly string[];
  /** By the id of the model. Default: all. */
  models?: RegExp;
  /** Only models that also accept images. */
  ifImages?: true;
  kinds: readonly InputKind[];
}

/**
 * Kinds that models accept in addition to the catalogue, which knows only text and images. Above each row stands the
 * vendor's page, read 2026-11. Not here, because the api takes no data of a file but only an address or an id for a search:
 * Grok (docs.x.ai, "Chat with Files").
 */
const FILES: readonly FileRow[] = [
  // platform.claude.com, "PDF support": all active models; the pages are read as images.
  { apis: ["anthropic-messages"], models: /claude/, ifImages: true, kinds: ["pdf"] },
  // developers.openai.com, "File inputs": models with vision. learn.microsoft.com, "Azure OpenAI Responses API": the same.
  {
    apis: ["openai-responses", "azure-openai-responses"],
    providers: ["openai", "azure", "azure-openai-responses"],
    ifImages: true,
    kinds: ["pdf"],
  },
  { apis: ["openai-completions"], providers: ["openai"], ifImages: true, kinds: ["pdf"] },
  // cloud.google.com, "Gemini 2.5 Flash" and "Gemini 2.5 Flash Image", Supported inputs: the latter has no audio and video.
  { apis: GOOGLE_APIS, models: /gemini/, kinds: ["pdf"] },
  { apis: GOOGLE_APIS, models: /gemini(?!.*(-image|nano-banana))/, kinds: ["audio", "video"] },
  // docs.aws.amazon.com, Bedrock user guide, "Supported models and model features", Document chat. Models
  // without images get the text of a document.
  { apis: ["bedrock-converse-stream"], models: /claude|nova-(lite|pro|premier|2)/, ifImages: true, kinds: ["pdf"] },
  {
    apis: ["bedrock-converse-stream"],
    models: /llama3-[12]-|mistral-(7b|large-24)|mixtral|command-r|jamba-1-5/,
    kinds: ["pdf"],
  },
  // docs.aws.amazon.com, Nova user guide, "Multimodal support".
  { apis: ["bedrock-converse-stream"], models: /nova-(lite|pro|premier|2)/, ifImages: true, kinds: ["video"] },
  // openrouter.ai/docs, "PDF Inputs": any model, since the gateway reads the file for those that cannot.
  { apis: ["openai-completions"], providers: ["openrouter"], kinds: ["pdf"] },
  // docs.mistral.ai, "Document understanding" and "Audio & Transcription".
  { apis: ["mistral-conversations"], ifImages: true, kinds: ["pdf"] },
  { apis: ["mistral-conversations"], models: /voxtral/, kinds: ["audio"] },
];

/** Whether a model accepts a file of this type, according to its `input` or to the table of its api and provider. */
export function takesFile(model: Pick<Model, "api" | "provider" | "id" | "input">, mimeType: string): boolean {
  const kind = inputKindOf(mimeType);
  return model.input.includes(kind) || FILES.some((row) => row.kinds.includes(kind) && fits(row, model));
}

function fits(row: FileRow, { api, provider, id, input }: Parameters<typeof takesFile>[0]): boolean {
  if (!row.apis.includes(api) || (row.ifImages && !input.includes("image"))) return false;
  return (row.providers?.includes(provider) ?? true) && (row.models?.test(id) ?? true);
}
