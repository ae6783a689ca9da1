/** The command line of the demo. */
import { stat } from "node:fs/promises";
import { parseArgs } from "node:util";
import type { ModelThinkingLevel } from "pi-ai";

/** A level that the library adds does not compile without a place here. */
const PLACES: Readonly<Record<ModelThinkingLevel, number>> = {
  off: 0,
  minimal: 1,
  low: 2,
  medium: 3,
  high: 4,
  xhigh: 5,
  max: 6,
};
const LEVELS = Object.keys(PLACES);

export interface DemoArguments {
  help: boolean;
  provider: string | undefined;
  model: string | undefined;
  /** The address of a server of the user's own. */
  server: string | undefined;
  thinking: ModelThinkingLevel;
  /** The folder that the tools may read. Default: this project. */
  folder: string | undefined;
  /** The prompt of a single run; empty if the command line has none. */
  prompt: string;
}

export const HELP: string = `An agent in your terminal, with real tools: list files, read a file, search text, and save a note, which asks you first.

  npm run demo                         a conversation
  npm run demo -- [OPTIONS] "PROMPT"   one prompt, then the end
  echo "PROMPT" | npm run demo         the same, from a pipe

  --provider NAME    for example anthropic, openai, openrouter. Default: the first one that has a key
  --server URL       a server of yours, for example http://localhost:8080
  --model ID         a model of that provider. Default: a good one
  --thinking LEVEL   ${LEVELS.join(", ")}. Default: low
  --folder PATH      the folder that the tools use. Default: this project
  --help             this text

Keys come from the environment: ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENROUTER_API_KEY, GEMINI_API_KEY, ...
Without a key, a model on this machine is used if Ollama, LM Studio, llama.cpp or vLLM runs (--provider local). Without
one, a scripted model on 127.0.0.1 responds with what the tools really return (--provider scripted).

Without a terminal, whatever asks is declined. While the agent works, a line that you type steers it. Ctrl-C stops the agent; a second Ctrl-C leaves.
`;

export function parseDemoArguments(words: string[]): DemoArguments {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      help: { type: "boolean", short: "h", default: false },
      provider: { type: "string" },
      model: { type: "string" },
      server: { type: "string" },
      thinking: { type: "string", default: "low" },
      folder: { type: "string" },
    },
  });
  const { thinking } = values;
  if (!isLevel(thinking)) throw new Error(`--thinking ${thinking}: use one of ${LEVELS.join(", ")}`);
  return {
    help: values.help,
    provider: values.provider,
    model: values.model,
    server: values.server,
    thinking,
    folder: values.folder,
    prompt: positionals.join(" ").trim(),
  };
}

function isLevel(word: string): word is ModelThinkingLevel {
  return Object.hasOwn(PLACES, word);
}

/** @throws Error with a text for the user unless `folder` is a folder */
export async function checkFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (!found) throw new Error(`--folder ${folder}: this folder does not exist`);
  if (!found.isDirectory()) throw new Error(`--folder ${folder}: this is a file; name the folder that holds it`);
}
