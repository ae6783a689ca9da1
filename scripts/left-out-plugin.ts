/**
 * esbuild plugins that leave out code of a package that is never reached: it becomes empty classes. A client can still
 * refer to them, extend and instantiate them; calling one throws.
 */
import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

const EXPORTS =
  /^export (?:(?:async )?(?:function\*?|class|const|let|var) (?<name>\w+)|\{(?<names>[^}]*)\};?$|(?<from>[*{][^;]* from [^;]*;))/gm;

/**
 * Makes an empty class of each export of a module.
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
 * Makes empty classes of some classes at the top of a module; bundling then drops what only these used.
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
