/** A copy of the package for the tests of the scaffolds, which change files and run the tests of the result. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const BIN = join(ROOT, "node_modules/.bin");
const PACKAGE = ["data", "scripts", "src", "test", "package.json", "README.md", "tsconfig.json", "vitest.config.ts"];
/** The last one holds the configuration of the runner, and shared test code. */
const REPOSITORY = [
  "package.json",
  "tsconfig.base.json",
  "tsconfig.sources.json",
  "biome.json",
  "scripts/help.ts",
  "scripts/imports.ts",
  "scripts/installed-packages.ts",
  "packages/ai/test/layers.ts",
  "scripts/package-entries.ts",
  "test/support",
];

export class PackageCopy implements Disposable {
  /** The copy of the repository, with this package only. */
  readonly root: string = mkdtempSync(join(tmpdir(), "package-copy-"));
  /** The copy of the package. */
  readonly folder: string = join(this.root, "packages/ai");

  constructor() {
    for (const name of PACKAGE) cpSync(join(ROOT, "packages/ai", name), join(this.folder, name), { recursive: true });
    for (const name of REPOSITORY) cpSync(join(ROOT, name), join(this.root, name), { recursive: true });
    for (const name of ["node_modules", "packages/ai/node_modules"])
      symlinkSync(join(ROOT, name), join(this.root, name));
  }

  /** The text of each file of the package, by its path. */
  readTree(): Map<string, string> {
    const entries = readdirSync(this.folder, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    // The runner stores its cache among the packages.
    const own = paths.filter((path) => !path.includes("node_modules"));
    return new Map(own.map((path) => [path.slice(this.folder.length + 1), readFileSync(path, "utf8")]));
  }

  /** The paths of the files that are new or differ from an earlier {@link readTree}, sorted. */
  differingFrom(before: ReadonlyMap<string, string>): string[] {
    return [...this.readTree()].flatMap(([path, text]) => (before.get(path) === text ? [] : [path])).sort();
  }

  /**
   * Runs a command of the repository in the package.
   *
   * @throws Error with the output if the command fails
   */
  run(command: string, ...args: string[]): string {
    // The test runner does not write a snapshot if it detects CI.
    const { CI: _ci, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(join(BIN, command), args, { cwd: this.folder, encoding: "utf8", env });
    if (status !== 0) throw new Error(`${command} failed:\n${stdout}${stderr}`);
    return stdout;
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true });
  }
}
