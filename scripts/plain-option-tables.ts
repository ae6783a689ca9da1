/** Tables of the options with one field for each api, for docs/providers.md: the fields, and what a family of models refuses. */
import { formatTable } from "../bench/src/table.ts";
import { FAMILIES } from "../packages/ai/src/catalogue/compat/families.ts";
import { PLAIN_OPTIONS, PLAIN_ROWS, REFUSED_AS } from "../packages/ai/src/providers/plain-options.ts";

const APIS: Readonly<Record<keyof typeof PLAIN_ROWS, string>> = {
  chat: "Chat Completions",
  openai: "Chat Completions at OpenAI",
  responses: "Responses",
  azure: "Responses on Azure",
  codex: "Responses of ChatGPT",
  anthropic: "Anthropic",
  anthropicElsewhere: "Messages at other hosts",
  google: "Gemini",
  vertex: "Vertex AI, Code Assist",
  bedrock: "Bedrock",
  mistral: "Mistral",
};

export function plainOptionTables(): string {
  return `## Options with one field for each api

The field in which each api takes the option. An option without a field, or that the model refuses, is left out, and the diagnostic
\`option_omitted\` names it. \`serviceTier\` takes \`"flex"\`, \`"standard"\` and \`"priority"\` in each api's own words, and those words too; the
cost counts the tier that the response names.

${fieldTable()}

What families of models refuse, wherever they run:

${refusalTable()}
`;
}

function fieldTable(): string {
  // Object.entries has no narrower type; the record names exactly the keys of the rows.
  const apis = Object.entries(APIS) as [keyof typeof PLAIN_ROWS, string][];
  const lines = apis.map(([key, title]) => [
    title,
    ...PLAIN_OPTIONS.map((name) => {
      const row = PLAIN_ROWS[key][name];
      if (!row) return "-";
      const most = row.most === undefined ? "" : `, at most ${row.most}`;
      return `\`${row.path.join(".")}\`${most}`;
    }),
  ]);
  return formatTable([["api", ...PLAIN_OPTIONS.map((name) => `\`${name}\``)], ...lines]);
}

function refusalTable(): string {
  const lines: string[][] = [];
  for (const { family, before, facts } of FAMILIES) {
    const cells = [namesOf(facts.refuses), namesOf(facts.refusesWhileThinking), facts.samplesByOne ? "`topP`" : "-"];
    const last = lines.at(-1);
    // Rows go from old to new, so one that refuses the same only moves the end.
    const isSame = last?.[0]?.startsWith(family) && last.slice(1).join() === cells.join();
    const isLater = lines.filter(([name]) => name?.startsWith(family)).length > (isSame ? 1 : 0);
    const name = before ? `${family} before ${before.join(".")}` : `${family}${isLater ? ", later" : ""}`;
    if (isSame) last?.splice(0, 1, name);
    else lines.push([name, ...cells]);
  }
  const refusing = lines.filter(([, ...cells]) => cells.some((cell) => cell !== "-"));
  return formatTable([["models", "always", "while thinking", "beside `temperature`"], ...refusing]);
}

function namesOf(fields: readonly string[] = []): string {
  const names = PLAIN_OPTIONS.filter((name) => fields.includes(REFUSED_AS[name]));
  return names.map((name) => `\`${name}\``).join(", ") || "-";
}
