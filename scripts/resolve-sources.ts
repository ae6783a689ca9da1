/** Lets Node run programs against the sources of the packages, without a build: `node --import` this file. */
import { registerHooks } from "node:module";

const PACKAGES = new URL("../packages/", import.meta.url).href;
const ENTRY = /^pi-(ai|agent|inspect)(?:\/(.+))?$/;

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
