/** What the person wants, from the command line. */
import { parseArgs } from "node:util";

const LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh"] as const;
type Level = (typeof LEVELS)[number];

export interface DemoArguments {
  help: boolean;
  provider: string | undefined;
  model: string | undefined;
  thinking: Level;
  /** The folder that the tools may look into. Default: this project. */
  folder: string | undefined;
  prompt: string;
}

const DEFAULT_PROMPT = "What is in this project, and where are its error classes defined?";

export const HELP: string = `An agent in your terminal, with three real tools: list files, read a file, search text.

  npm run demo
  npm run demo -- [--provider NAME] [--model ID] [--thinking LEVEL] [--folder PATH] [PROMPT]

  --provider NAME    for example anthropic, openai, openrouter. Default: the first whose key is set
  --model ID         a model of that provider. Default: a good one
  --thinking LEVEL   ${LEVELS.join(", ")}. Default: low
  --folder PATH      what the tools may look into. Default: this project
  --help             this text

Keys come from the environment: ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENROUTER_API_KEY, GEMINI_API_KEY, ...
Without a key, a scripted model on 127.0.0.1 answers from what the tools really return.
Ctrl-C stops the agent; the second time, the program.
`;

export function parseDemoArguments(words: string[]): DemoArguments {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      help: { type: "boolean", short: "h", default: false },
      provider: { type: "string" },
      model: { type: "string" },
      thinking: { type: "string", default: "low" },
      folder: { type: "string" },
    },
  });
  const thinking = LEVELS.find((level) => level === values.thinking);
  if (!thinking) throw new Error(`--thinking ${values.thinking}: one of ${LEVELS.join(", ")}`);
  return {
    help: values.help,
    provider: values.provider,
    model: values.model,
    thinking,
    folder: values.folder,
    prompt: positionals.join(" ").trim() || DEFAULT_PROMPT,
  };
}
