/** Servers on this machine that have models. */
import type { Model } from "../types/model.js";
import { checkOptionNames, type OptionNames } from "../utils/nearest-names.js";
import { listServer } from "./list-models.js";
import type { ListModelsNote } from "./list-notes.js";

/** A server on this machine. */
export interface LocalServer {
  /** `Ollama`, `LM Studio`, `llama.cpp`, `vLLM` or `SGLang`; `unknown` for another one. */
  name: string;
  /** The base URL of its models. */
  baseUrl: string;
  /** Its models; never empty. */
  models: Model[];
  /** Notes about its list, such as models without tools. */
  notes: ListModelsNote[];
}

/** Options of {@link findLocalServers}. */
export interface FindLocalServersOptions {
  /** Milliseconds for each server to answer. Default 300. */
  timeoutMs?: number | undefined;
  /** The ports to ask. Default: those of Ollama, LM Studio, llama.cpp, vLLM, SGLang. */
  ports?: readonly number[] | undefined;
  /** Aborts the search. */
  signal?: AbortSignal | undefined;
  /** Sends the requests. Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** The ports that servers use unless told otherwise (their documents, 2026-11). */
const PORTS: readonly number[] = [
  11434, // Ollama
  1234, // LM Studio
  8080, // llama.cpp, mlx-lm
  8000, // vLLM
  30000, // SGLang
];

const NAMES: OptionNames<FindLocalServersOptions> = {
  timeoutMs: true,
  ports: true,
  signal: true,
  fetch: true,
};

/**
 * Asks the usual ports of this machine for models, all at once. A port that does not answer in time, needs a key, or is not a server
 * of models is left out.
 *
 *     const [server] = await findLocalServers();
 *     const model = server?.models[0];
 *
 * @throws the reason of the abort
 */
export async function findLocalServers(options: FindLocalServersOptions = {}): Promise<LocalServer[]> {
  checkOptionNames("findLocalServers", options, NAMES);
  const { timeoutMs = 300, ports = PORTS, signal, fetch } = options;
  const shared = { ...(signal ? { signal } : {}), ...(fetch ? { fetch } : {}), timeoutMs };
  const found = await Promise.all(
    ports.map(async (port) => {
      const baseUrl = `http://127.0.0.1:${port}/v1`;
      try {
        const notes: ListModelsNote[] = [];
        const onNote = (note: ListModelsNote): void => void notes.push(note);
        const { models, server } = await listServer({ baseUrl }, { ...shared, onNote });
        return models.length > 0 ? [{ name: server ?? "unknown", baseUrl, models, notes }] : [];
      } catch {
        return [];
      }
    }),
  );
  signal?.throwIfAborted();
  return found.flat();
}
