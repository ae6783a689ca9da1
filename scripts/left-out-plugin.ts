/**
 * An esbuild plugin that leaves out modules of a package that are never reached: each of their exports becomes an empty
 * class. A client can still refer to it, extend it and instantiate it; calling it throws.
 */
import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

const EXPORTS =
  /^export (?:(?:async )?(?:function\*?|class|const|let|var) (?<name>\w+)|\{(?<names>[^}]*)\};?$|(?<from>[*{][^;]* from [^;]*;))/gm;

/** @param filter matches the paths of the modules */
export function leaveOut(filter: RegExp): Plugin {
  return {
    name: "left-out",
    setup: (build) => {
      build.onLoad({ filter }, async ({ path }) => {
        const found = (await readFile(path, "utf8")).matchAll(EXPORTS);
        return { contents: Array.from(found, ({ groups }) => standIn(groups ?? {})).join("\n") };
      });
    },
  };
}

function standIn({ name, names = "", from }: Record<string, string | undefined>): string {
  if (from) return `export ${from}`;
  const listed = names.split(",").map((entry) => entry.trim().replace(/^.* as /, ""));
  return [name ?? "", ...listed]
    .filter(Boolean)
    .map((exported) => (exported === "default" ? "export default class {}" : `export class ${exported} {}`))
    .join("\n");
}
