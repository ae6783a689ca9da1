/** Lets Node run programs against the sources of the packages, without a build: `node --import` this file. */
import { enableCompileCache, registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

const PACKAGES = new URL("../packages/", import.meta.url).href;
const ENTRY = /^pi-(ai|agent|inspect)(?:\/(.+))?$/;

// Node otherwise strips the types of every source again in each process, which takes longer than most programs.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url)));

registerHooks({
  resolve: (specifier, context, next) => {
    const [, name, entry] = ENTRY.exec(specifier) ?? [];
    if (name !== undefined) return next(`${PACKAGES}${name}/src/${entry ? `entries/${entry}` : "index"}.ts`, context);
    const { parentURL = "" } = context;
    const inSources =
      parentURL.startsWith(PACKAGES) && !parentURL.includes("/node_modules/") && specifier.startsWith(".");
    return next(inSources ? specifier.replace(/\.js$/, ".ts") : specifier, context);
  },
});
