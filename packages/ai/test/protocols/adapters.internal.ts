/** The adapters of the built-in apis, for tests of what they write and read without a request. */

import type { ApiAdapter } from "../../src/driver/api-adapter.js";
import { BUILT_IN_APIS } from "../../src/providers/built-in-apis.generated.js";

const adapters = new Map<string, ApiAdapter>();
for (const [api, load] of Object.entries(BUILT_IN_APIS)) adapters.set(api, await load());

export function adapterOf(api: string): ApiAdapter {
  const adapter = adapters.get(api);
  if (!adapter) throw new Error(`${api} is not a built-in api`);
  return adapter;
}
