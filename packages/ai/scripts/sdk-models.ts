/** The models that the vendors' SDKs name and the catalogue lacks: a vendor adds an id there on the day of a release. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Model } from "../src/types/model.js";
import { describeFamily } from "./describe-changes.ts";

/** Where each SDK names its models. */
const UNIONS = [
  { provider: "openai", file: "openai/resources/shared.d.ts", type: "ChatModel" },
  { provider: "anthropic", file: "@anthropic-ai/sdk/resources/messages/messages.d.ts", type: "Model" },
  { provider: "google", file: "@google/genai/dist/genai.d.ts", type: "Model_2" },
] as const;

/** The ids that the catalogue has never had, by provider. */
export function missingSdkModels(models: readonly Model[], nodeModules: string): Map<string, string[]> {
  const missing = new Map<string, string[]>();
  for (const { provider, file, type } of UNIONS) {
    const known = new Set(models.filter((model) => model.provider === provider).map(({ id }) => id));
    const ids = unionOf(readFileSync(join(nodeModules, file), "utf8"), type);
    if (ids.length === 0) throw new Error(`${file} has no union ${type} of ids any more: look for its new name`);
    missing.set(
      provider,
      ids.filter((id) => !known.has(id)),
    );
  }
  return missing;
}

/** The strings of a union type. The first line of that name with a string is it: a class may have the name, too. */
function unionOf(source: string, type: string): string[] {
  const line = new RegExp(`^(?:export|declare) type ${type} =(.*["'].*)$`, "m").exec(source)?.[1] ?? "";
  return [...line.matchAll(/["']([\x21-\x7e]+?)["']/g)].flatMap(([, id]) => id ?? []);
}

export function describeSdkModels(missing: ReadonlyMap<string, readonly string[]>): string {
  const lines = [...missing].flatMap(([provider, ids]) =>
    ids.map((id) => `  ${provider}/${id} (${describeFamily(id)})\n`),
  );
  return lines.length === 0
    ? ""
    : `\nModels of the vendors' SDKs that the catalogue lacks (${lines.length})\n${lines.join("")}`;
}
