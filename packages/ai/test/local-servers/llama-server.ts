/** A real inference server on this machine, if its folder is there. It is not part of this repository. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export interface LlamaServer {
  /** The address, without a path. */
  url: string;
  pid: number;
  stop(): Promise<void>;
  log(): string;
}

interface LlamaOptions {
  /** A file of `templates/`, without its ending. */
  template?: string;
  /** Further arguments of the program; of two equal ones the last counts. */
  args?: readonly string[];
  env?: Record<string, string>;
  /** Whether to wait until the model is loaded. Default true. */
  wait?: boolean;
}

const ROOT = resolve(fileURLToPath(import.meta.url), "../../../../..");

/** The folder of the server: `PI_LOCAL_SERVERS`, else `../shared/local-servers` beside the repository. */
// biome-ignore lint/style/noProcessEnv: a test's own setting, not the library's.
const FOLDER: string = process.env["PI_LOCAL_SERVERS"] || resolve(ROOT, "../shared/local-servers");

export const hasLlamaServer: boolean = existsSync(join(FOLDER, "start.mjs"));

/** Why the tests are skipped, in their name. */
export const SKIPPED: string = hasLlamaServer ? "" : " (skipped: set PI_LOCAL_SERVERS to the folder of local servers)";

/** What a server answered when it was recorded: a file of `answers/`, without its ending. Undefined without the folder. */
export function recordedAnswer(name: string): object | undefined {
  const file = join(FOLDER, "answers", `${name}.json`);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).body : undefined;
}

/** Starts the server on a free port. It ends with this process. */
export async function startLlama(options: LlamaOptions = {}): Promise<LlamaServer> {
  // The module is described in the folder's README.
  const { startLlama: start } = (await import(pathToFileURL(join(FOLDER, "start.mjs")).href)) as {
    startLlama: (options: LlamaOptions) => Promise<LlamaServer>;
  };
  return start(options);
}

export const TEMPLATES: readonly string[] = [
  "Qwen-Qwen3-0.6B",
  "Qwen-QwQ-32B",
  "Qwen3-Coder",
  "deepseek-ai-DeepSeek-V3.1",
  "GLM-4.6",
  "MiniMax-M2",
  "Kimi-K2-Instruct",
  "mistralai-Mistral-Nemo-Instruct-2407",
];
