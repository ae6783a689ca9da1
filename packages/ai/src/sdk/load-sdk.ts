/** Loads the SDK of a vendor for the first request that needs it. */
import type { SendContext } from "../transport/wire-request.js";
import { loadOnce } from "../utils/load-once.js";

/**
 * Creates a function that returns the SDK, and stops the idle timeout of the request meanwhile. It throws a `ConfigError`
 * with the package name if the SDK cannot be loaded.
 *
 * @param name the package name
 * @param load a literal `import()`, which bundlers can find
 */
/* @__NO_SIDE_EFFECTS__ */
export function createSdkLoader<TModule extends object>(
  name: string,
  load: () => Promise<TModule>,
): (io?: Pick<SendContext, "pause">) => TModule | Promise<TModule> {
  const loadModule = loadOnce(load, `its copy of the package ${name}`);
  return (io) => {
    const module = loadModule();
    return module instanceof Promise && io?.pause ? io.pause(module) : module;
  };
}
