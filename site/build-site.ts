/** Builds the site: the reference, the pages, then HTML by VitePress. */
import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { installFolder } from "./install.ts";
import { ROOT } from "./sources.ts";
import { MENU, stagePages } from "./stage.ts";

const HERE = import.meta.dirname;
/** `.vitepress/config.ts` names it, too. */
const PAGES = join(HERE, ".pages");

export interface SiteOptions {
  /** The path of the site at its host, with a slash at both ends. */
  base: string;
  repository: string;
  /** The folder for the site. */
  out: string;
  log(line: string): void;
}

/** Returns the number of pages. */
export async function buildSite({ base, repository, out, log }: SiteOptions): Promise<number> {
  if (!/^\/(?:[\w~-][\w.~-]*\/)*$/.test(base)) throw new Error(`A base looks like "/pi/", not ${JSON.stringify(base)}`);
  log("Installing what is missing ...");
  await installFolder(HERE);
  await installFolder(join(ROOT, "docs/reference"));
  const reference = await mkdtemp(join(tmpdir(), "site-reference-"));
  try {
    log("Reading the comments of the code ...");
    await run(join(ROOT, "docs/reference/build.js"), "--markdown", reference);
    log("Writing the pages ...");
    const pages = await stagePages({ folder: PAGES, reference, repository });
    log("Building the site ...");
    await run(join(HERE, "node_modules/vitepress/bin/vitepress.js"), "build", HERE, "--base", base, "--outDir", out);
    // Beside each page its Markdown, with the pictures that it names.
    await cp(PAGES, out, { recursive: true, filter: (path) => !path.endsWith(MENU), force: true });
    return pages;
  } finally {
    await rm(reference, { recursive: true, force: true });
  }
}

/** Runs a program of Node; what it printed is in the error if it fails. */
async function run(program: string, ...words: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, ["--no-warnings", program, ...words], { maxBuffer: 2 ** 26 }).catch(
    (error: { stdout?: string; stderr?: string }) => {
      throw new Error(`${program} failed:\n${error.stdout ?? ""}${error.stderr ?? ""}`);
    },
  );
}
