/**
 * esbuild plugins that replace code of a package that is never reached with empty classes. A client can still refer to
 * them, extend and instantiate them; calling one throws.
 */
import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

const EXPORTS =
  /^export (?:(?:async )?(?:function\*?|class|const|let|var) (?<name>\w+)|\{(?<names>[^}]*)\};?$|(?<from>[*{][^;]* from [^;]*;))/gm;

/**
 * Replaces each export of a module with an empty class.
 *
 * @param filter matches the paths of the modules
 */
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

const CLASSES = /^(?<head>class (?<name>[\w$]+)(?: extends [\w$.]+)? \{)$.*?^\}$/gms;

/**
 * Replaces some top-level classes of a module with empty classes. Bundling then drops the code that only these used.
 *
 * @param filter matches the path of the module
 * @param names matches the names of the classes
 */
export function leaveOutClasses(filter: RegExp, names: RegExp): Plugin {
  return {
    name: "left-out-classes",
    setup: (build) => {
      build.onLoad({ filter }, async ({ path }) => {
        const source = await readFile(path, "utf8");
        return {
          contents: source.replaceAll(CLASSES, (whole: string, head: string, name: string) =>
            names.test(name) ? `${head}}` : whole,
          ),
        };
      });
    },
  };
}
