import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import { expect, it } from "vitest";

it("bundles the page to at most 12 KB, and its styles to at most 5 KB, gzipped", async () => {
  const options = { bundle: true, minify: true, format: "esm", write: false, logLevel: "silent" } as const;
  const { outputFiles } = await esbuild.build({ ...options, entryPoints: [join(import.meta.dirname, "main.ts")] });
  const script = outputFiles[0]?.contents ?? new Uint8Array();
  expect(script.length).toBeGreaterThan(10_000);
  expect(gzipSync(script, { level: 9 }).length).toBeLessThanOrEqual(12 * 1024);
  const folder = join(import.meta.dirname, "assets/page");
  const styles = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name))));
  const weights = styles.map((style) => gzipSync(style, { level: 9 }).length);
  expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeLessThanOrEqual(5 * 1024);
});
