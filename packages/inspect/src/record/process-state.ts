/**
 * State that exists once in a process. A program may load this package twice, as ES modules and as CommonJS, and both
 * copies show their runs in one page.
 */

/** Both copies are in one folder; another version is in another one. */
const KEY = Symbol.for(`pi-inspect ${new URL(".", import.meta.url).href}`);

/** Returns the state with this name, and creates it for the first copy that asks. */
export function processState<TState extends object>(name: string, create: () => TState): TState {
  const holder = globalThis as { [KEY]?: Record<string, object> }; // only this function writes the property
  holder[KEY] ??= {};
  const states = holder[KEY];
  states[name] ??= create();
  return states[name] as TState; // a name has one type
}
