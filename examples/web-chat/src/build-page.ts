/** Builds the page: one script that starts it, and chunks that are loaded when they are needed. */
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type BuildOptions, build } from "esbuild";

const PAGE = join(import.meta.dirname, "page");
const FILES = ["index.html", "colours.css", "style.css", "messages.css", "markdown.css", "narrow.css"];

export async function buildPage(folder: string, options: BuildOptions = {}): Promise<void> {
  await mkdir(folder, { recursive: true });
  await build({
    entryPoints: [join(PAGE, "main.ts")],
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2023",
    outdir: folder,
    logLevel: "error",
    // Bundles the installed packages instead of the sources that tsconfig.json refers to.
    tsconfigRaw: {},
    ...options,
  });
  await Promise.all(FILES.map((file) => copyFile(join(PAGE, file), join(folder, file))));
}
