/** The tables of the error of the token estimate, and their place in the documentation. */
import { join } from "node:path";
import { estimateText, familyOf } from "../../../packages/ai/src/tokens/token-families.ts";
import { formatTable } from "../table.ts";
import { KINDS, type Sample } from "./corpus.ts";
import type { Measurement } from "./recordings.ts";
import { show, summarize } from "./statistics.ts";
import type { FamilyTokenizer } from "./tokenizers.ts";

/** The page that has the tables. */
export const PAGE: string = join(import.meta.dirname, "../../../docs/long-context.md");
/** The part of the page with the tables. */
export const PART: RegExp = /(?<=<!-- count:error -->\n)[\s\S]*?(?=<!-- \/count:error -->)/;
/** Percentage points by which a figure may differ from the page, because some of the texts are sources that change. */
const TOLERANCE = 2;
const RECORDED: readonly Measurement["kind"][] = ["text", "thinking", "tool calls", "prompt", "prompt with tools"];
/** The families by the ids of recorded models. */
const FAMILY_NAMES: readonly (readonly [RegExp, string])[] = [
  [/claude/, "Claude"],
  [/gemini|gemma/, "Gemini"],
  [/gpt|\bo\d|codex/, "GPT"],
  [/[sx]tral/, "Mistral"],
  [/qwen/i, "Qwen"],
  [/./, "others"],
];

export function tableOfTokenizers(tokenizers: readonly FamilyTokenizer[], samples: readonly Sample[]): string {
  const rows = tokenizers.map(({ name, model, count }) => {
    const family = familyOf(model);
    const errors = KINDS.map((kind) =>
      samples
        .filter((sample) => sample.kind === kind)
        .map(({ text }) => Math.abs((estimateText(text, family.text) * family.scale) / count(text) - 1)),
    );
    return [name, ...errors.map((each) => show(summarize(each)))];
  });
  return formatTable([["family", ...KINDS], ...rows]);
}

export function tableOfRecordings(measurements: readonly Measurement[]): string {
  const families = Map.groupBy(
    measurements,
    ({ model }) => FAMILY_NAMES.find(([names]) => names.test(model))?.[1] ?? "",
  );
  const rows = FAMILY_NAMES.map(([, name]) => [
    name,
    ...RECORDED.map((kind) => {
      const found = (families.get(name) ?? []).filter((each) => each.kind === kind);
      const errors = summarize(found.map(({ tokens, estimate }) => Math.abs(estimate / tokens - 1)));
      return errors.count === 0 ? "-" : `${show(errors)} (${errors.count})`;
    }),
  ]);
  return formatTable([["family", ...RECORDED], ...rows]);
}

/** Whether both texts have the same words, and figures within the tolerance. */
export function isNear(before: string, after: string): boolean {
  const figures = (text: string): number[] => (text.match(/\d+/g) ?? []).map(Number);
  const words = (text: string): string => text.replaceAll(/\d+|[ -]+/g, " ");
  const [old, now] = [figures(before), figures(after)];
  return (
    words(before).replaceAll(/ +/g, " ") === words(after).replaceAll(/ +/g, " ") &&
    old.length === now.length &&
    old.every((figure, index) => Math.abs(figure - (now[index] ?? 0)) <= TOLERANCE)
  );
}
