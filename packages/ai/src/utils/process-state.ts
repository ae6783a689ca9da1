/**
 * State that exists once in a process. A program may load this package twice, as ES modules and as CommonJS, and what is
 * registered through one copy must be found through the other.
 */
import { PI_AI_VERSION } from "../version.js";

/** Another version may store its state differently. */
const KEY = /* @__PURE__ */ Symbol.for(`pi-ai@${PI_AI_VERSION}`);

/**
 * Returns the state with this name, and creates it for the first copy that asks.
 *
 * @param name unique in all packages of this repository
 */
/* @__NO_SIDE_EFFECTS__ */
export function processState<TState extends object>(name: string, create: () => TState): TState {
  const holder = globalThis as { [KEY]?: Record<string, object> }; // only this function writes the property
  holder[KEY] ??= {};
  const states = holder[KEY];
  states[name] ??= create();
  return states[name] as TState; // a name has one type
}
