/** A server of a chat in a process of its own, which a test stops and starts again on the same port. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { DIES_WITH_PARENT } from "../support/child-flags.js";

const ROOT = resolve(import.meta.dirname, "../..");

export class ServerProcess {
  readonly #program: string;
  readonly #folder: string;
  #child: ChildProcess | undefined;
  #port = "0";
  /** What all processes have paid, one line each. */
  readonly paid: string[] = [];

  /**
   * @param program its path in the repository
   * @param folder what the processes share, beside the port
   */
  constructor(program: string, folder: string) {
    this.#program = join(ROOT, program);
    this.#folder = folder;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  /** Resolves when the server listens. */
  async start(): Promise<void> {
    const hook = join(ROOT, "scripts/resolve-sources.ts");
    const child = spawn(process.execPath, [...DIES_WITH_PARENT, "--import", hook, this.#program], {
      env: { PORT: this.#port, FOLDER: this.#folder },
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#child = child;
    const { promise, resolve: listens, reject } = Promise.withResolvers<string>();
    child.once("exit", (code) => reject(new Error(`The server ended with ${code}`)));
    createInterface(child.stdout).on("line", (line) => {
      if (line.startsWith("Paid")) this.paid.push(line);
      const [, port] = /^Open http:\/\/127\.0\.0\.1:(\d+)\/$/.exec(line) ?? [];
      if (port !== undefined) listens(port);
    });
    this.#port = await promise;
  }

  /** Ends the process at once, wherever it is. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "close");
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }
}
