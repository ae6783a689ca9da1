/** Ranks tools by how well words describe them: BM25 over names, descriptions and parameters. */
import type { AnyAgentTool } from "../../types/tool.js";

/** How strongly a repeated word counts, and how strongly a long text is discounted: the usual values of BM25. */
const K1 = 1.2;
const B = 0.75;

/** A word of the name says more than one of the description. */
const NAME_WEIGHT = 4;

/** A tool with a lower share of the best score has only words such as "of" in common with the query. */
const MIN_SHARE = 0.4;

/** The most that is read of one tool, in characters. Descriptions and schemas come from servers, too. */
const MAX_TEXT = 8000;
const MAX_QUERY = 500;

interface Entry {
  readonly tool: AnyAgentTool;
  /** How often each word occurs. */
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

const entries = new WeakMap<AnyAgentTool, Entry>();

/**
 * The tools that share words with the query, best first. A tool whose name is the query comes first.
 *
 * @param query words, or the name of a tool. At most 500 characters are read
 */
export function rankTools(tools: readonly AnyAgentTool[], query: string): AnyAgentTool[] {
  const asked = query.slice(0, MAX_QUERY).trim();
  const words = [...new Set(wordsOf(asked))];
  const indexed = tools.map(entryOf);
  const average = indexed.reduce((sum, { length }) => sum + length, 0) / (indexed.length || 1);
  const scores = new Map<AnyAgentTool, number>();
  for (const word of words) {
    const holding = indexed.filter(({ counts }) => counts.has(word));
    const rarity = Math.log(1 + (indexed.length - holding.length + 0.5) / (holding.length + 0.5));
    for (const { tool, counts, length } of holding) {
      const count = counts.get(word) ?? 0;
      const score = (rarity * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / average));
      scores.set(tool, (scores.get(tool) ?? 0) + score);
    }
  }
  const exact = tools.filter(({ name }) => name === asked);
  const best = Math.max(0, ...scores.values());
  // Sorting is stable, so equal tools stay in the order of the list.
  const ranked = [...scores].sort(([, one], [, other]) => other - one);
  const close = ranked.filter(([, score]) => score >= best * MIN_SHARE).map(([tool]) => tool);
  return [...new Set([...exact, ...close])];
}

function entryOf(tool: AnyAgentTool): Entry {
  const known = entries.get(tool);
  if (known) return known;
  const counts = new Map<string, number>();
  let length = 0;
  const add = (text: string, weight: number): void => {
    for (const word of wordsOf(text.slice(0, MAX_TEXT))) {
      counts.set(word, (counts.get(word) ?? 0) + weight);
      length += weight;
    }
  };
  add(tool.name, NAME_WEIGHT);
  if (tool.label) add(tool.label, NAME_WEIGHT);
  add(tool.description, 1);
  add(parameterText(tool.parameters), 1);
  const entry = { tool, counts, length };
  entries.set(tool, entry);
  return entry;
}

/** The names of the parameters, and what their schemas say of them. */
function parameterText(parameters: unknown): string {
  const properties: unknown = Object(parameters).properties;
  let text = "";
  for (const [name, schema] of Object.entries(Object(properties))) {
    if (text.length > MAX_TEXT) break;
    const { description } = Object(schema);
    text += ` ${name} ${typeof description === "string" ? description.slice(0, MAX_TEXT) : ""}`;
  }
  return text;
}

/** Words in lower case. `createIssue` and `create_issue` are two words, and each character of Chinese or Japanese is one. */
function wordsOf(text: string): string[] {
  const spaced = text.replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, " ");
  const found = spaced.toLowerCase().match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu);
  return (found ?? []).map(stem);
}

/** So that "issues" finds "issue". */
function stem(word: string): string {
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}
