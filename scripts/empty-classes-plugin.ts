/**
 * An esbuild plugin that reduces classes to their names. For classes that a client instantiates once and never uses.
 */
import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

const KEPT = /^export (?:class (?<name>\w+)|[*{].* from .*$)/gm;

/** @param filter matches the paths of the modules, which must contain nothing else that is used */
export function emptyClasses(filter: RegExp): Plugin {
  return {
    name: "empty-classes",
    setup: (build) => {
      build.onLoad({ filter }, async ({ path }) => {
        const kept = (await readFile(path, "utf8")).matchAll(KEPT);
        const lines = Array.from(kept, ([line, name]) => (name ? `export class ${name} {}` : line));
        return { contents: lines.join("\n") };
      });
    },
  };
}
