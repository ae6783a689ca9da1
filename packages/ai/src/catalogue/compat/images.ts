/** Which images models and hosts take. What a model's family states holds at every host. */
import type { Model } from "../../types/model.js";
import { ownValue } from "../../utils/own-value.js";
import { familyOf } from "./families.js";
import { type CompatRow, matchesModel } from "./match.js";

/** Which images a model or a host takes. */
export interface ImageRules {
  /** Their MIME types. */
  types: readonly string[];
  /** The longest edge, in pixels. Default: any. */
  maxEdge?: number;
  /** The longest edge in a request with more than so many images. */
  many?: { count: number; maxEdge: number };
  /** The length of the data in base64. Default: any, or checked by the adapter. */
  maxLength?: number;
}

/** The types that every vendor's documentation of images names, unless a row says otherwise (2026-11). */
const COMMON_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** What families of models refuse, at every host. */
const FAMILIES: Readonly<Record<string, Partial<ImageRules>>> = {
  // "At least one of the image dimensions exceed max allowed size: 8000 pixels", "for many-image requests: 2000 pixels"
  // (anthropics/claude-code#5147 and #13480, 2025); platform.claude.com, "Vision": more than 20 images, 2026-11.
  Claude: { maxEdge: 8000, many: { count: 20, maxEdge: 2000 } },
  // ai.google.dev, "Image understanding: supported formats", 2026-11; microsoft/vscode#286628, 2026-01: no GIF.
  Gemini: { types: ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"] },
  // docs.x.ai, "Image understanding: general limits", 2026-11.
  Grok: { types: ["image/png", "image/jpeg"] },
};

/** What hosts refuse, of whatever model. */
const HOSTS: readonly CompatRow<Partial<ImageRules>>[] = [
  // docs.aws.amazon.com, Bedrock API reference, "Message": 3.75 MB, 8,000 px on each edge, 2026-11.
  { when: { providers: ["amazon-bedrock"] }, flags: { maxEdge: 8000, maxLength: 5 * 1024 * 1024 } },
  // platform.claude.com, "Vision", 2026-11.
  {
    when: { hosts: ["api.anthropic.com"] },
    flags: { maxLength: 10 * 1024 * 1024 },
  },
  // docs.x.ai, "Image understanding", 2026-11.
  { when: { providers: ["xai"], hosts: ["api.x.ai"] }, flags: { maxLength: Math.ceil((20 * 1024 * 1024 * 4) / 3) } },
];

/** What the vendor of a model takes of images. */
export function imageRulesOf(model: Model): ImageRules {
  const rules: ImageRules = { types: COMMON_TYPES };
  for (const { when, flags } of HOSTS) if (matchesModel(model, when)) Object.assign(rules, flags);
  return Object.assign(rules, ownValue(FAMILIES, familyOf(model)?.family));
}
