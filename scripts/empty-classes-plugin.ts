/** An esbuild plugin for classes that a client makes one of each and that nobody calls: it keeps their names only. */
import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

const KEPT = /^export (?:class (?<name>\w+)|[*{].* from .*$)/gm;

/** @param filter the paths of the modules, which have nothing else that is used */
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
