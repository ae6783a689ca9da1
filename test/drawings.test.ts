/** The drawings of the pages are plain files that read in light and in dark, and each concept has one. */
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

it.each(globSync("docs/images/*.svg", { cwd: ROOT }).sort())(
  "%s brings its own background, title and description",
  (file) => {
    const drawing = read(file);
    const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(drawing) ?? [];
    // Without a background, one of light and dark would hide the text.
    expect(drawing).toContain(`<rect width="${width}" height="${height}" rx="10" fill="#f6f8fa"/>`);
    expect(drawing).toMatch(/<title id="title">[^<]+<\/title>\s*<desc id="desc">[^<]+<\/desc>/);
    expect(drawing).not.toMatch(/<script|<foreignObject|href=|url\((?!#)/);
    expect(drawing.length).toBeLessThan(8000);
  },
);

it("shows a drawing under each concept", () => {
  const page = read("docs/concepts.md");
  const words = [...page.matchAll(/^## (.*)$/gm)].map(([, word = ""]) => word);
  const drawn = [...page.matchAll(/^## (.*)\n\n!\[[^\]]+\]\(images\/concept-([\w-]+)\.svg\)$/gm)];
  expect(words).toHaveLength(8);
  expect(drawn.map(([, word, name]) => [word, name])).toEqual(
    words.map((word) => [word, word.toLowerCase().replaceAll(" ", "-")]),
  );
});
