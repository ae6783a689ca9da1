/** Compiles a copy of both packages' sources with one change, and lists the declarations that the compiler rejects. */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { listPaths } from "../../scripts/package-entries.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PACKAGES = ["ai", "agent"];
/** Tables in tests that must be complete too. */
const TABLES = ["ai/test/sent-options.ts"];
const DECLARATION = /^(?:export )?(?:abstract )?(?:async )?(?:class|function|const|type|interface) (\w+)/;

/** A change of one source file. */
export interface Change {
  /** The path below `packages/`. */
  file: string;
  /** A text that occurs once in the file. */
  after: string;
  /** The text to insert after it. */
  insert: string;
}

export class PatchedSources implements AsyncDisposable {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async create(): Promise<PatchedSources> {
    const folder = await mkdtemp(join(tmpdir(), "pi-seams-"));
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
    for (const name of PACKAGES) {
      await mkdir(join(folder, "packages", name), { recursive: true });
      const from = join(ROOT, "packages", name);
      const to = join(folder, "packages", name);
      await cp(join(from, "src"), join(to, "src"), { recursive: true, filter: (path) => !path.endsWith(".test.ts") });
      await cp(join(from, "package.json"), join(to, "package.json"));
      await symlink(join(from, "node_modules"), join(to, "node_modules"));
    }
    for (const table of TABLES) await cp(join(ROOT, "packages", table), join(folder, "packages", table));
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(compilerConfig()));
    return new PatchedSources(folder);
  }

  /** The declarations with an error after the change, as `path name`, sorted. The change is undone. */
  async brokenBy(change: Change): Promise<string[]> {
    const path = join(this.#folder, "packages", change.file);
    const source = await readFile(path, "utf8");
    const parts = source.split(change.after);
    if (parts.length !== 2) throw new Error(`${change.file} holds this ${parts.length - 1} times: ${change.after}`);
    await writeFile(path, parts.join(`${change.after}${change.insert}`));
    try {
      return await this.#findErrors();
    } finally {
      await writeFile(path, source);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #findErrors(): Promise<string[]> {
    const places = new Set<string>();
    for (const line of (await compile(this.#folder)).split("\n")) {
      const [, file, row] = /^(\S+?)\((\d+),\d+\): error/.exec(line) ?? [];
      if (file && row) places.add(`${file.replace("packages/", "")} ${await this.#declarationAt(file, Number(row))}`);
    }
    return [...places].sort();
  }

  async #declarationAt(file: string, row: number): Promise<string> {
    const lines = (await readFile(join(this.#folder, file), "utf8")).split("\n").slice(0, row);
    const name = lines.reverse().map((line) => DECLARATION.exec(line)?.[1]);
    return name.find((found) => found !== undefined) ?? "";
  }
}

function compilerConfig(): object {
  return {
    extends: join(ROOT, "tsconfig.base.json"),
    compilerOptions: { paths: listPaths(ROOT) },
    include: ["packages/*/src", "packages/*/test"],
  };
}

/** The compiler's messages; fails if there are any. */
async function compile(folder: string): Promise<string> {
  const compiler = join(ROOT, "node_modules", ".bin", "tsc");
  const run = promisify(execFile)(compiler, ["-p", folder, "--pretty", "false"], { cwd: folder, maxBuffer: 1 << 26 });
  return run.then(
    ({ stdout }) => stdout,
    (error: { stdout?: string }) => {
      if (!error.stdout) throw error;
      return error.stdout;
    },
  );
}
