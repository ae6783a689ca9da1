/** Reads the table of hosts. */
import type { Api, Provider } from "../../types/model.js";
import type { Account, Host, HostFlags } from "./host.js";
import { HOSTS } from "./hosts.js";
import type { CompatRow, ModelMatch } from "./match.js";

/** The rows of one api's flags, in the order of the table. */
export function hostRows<TApi extends keyof HostFlags>(api: TApi): CompatRow<NonNullable<HostFlags[TApi]>>[] {
  return HOSTS.flatMap((host) => {
    const { accounts = {}, hosts = [], loopback, ports, only = [] } = host;
    const own: ModelMatch = loopback ? { loopback, ...(ports && { ports }) } : { hosts };
    const all: ModelMatch = loopback ? own : { hosts, providers: Object.keys(accounts) };
    const parts: NonNullable<Host["only"]> = [host, ...only];
    return parts.flatMap(({ atOwnAddress, ids, facts, [api]: flags }) =>
      flags ? [{ when: { ...(atOwnAddress ? own : all), ...(ids && { ids }), ...(facts && { facts }) }, flags }] : [],
    );
  });
}

/** The accounts of all hosts, by provider. */
export function allAccounts(): Map<Provider, Account> {
  return new Map(HOSTS.flatMap(({ accounts }) => Object.entries(accounts ?? {})));
}

/** The base URL of the models of an account; undefined if they differ. */
export function addressOf({ url }: Account, api: Api): string | undefined {
  const urls: Partial<Record<string, string>> = typeof url === "string" ? { "openai-completions": url } : (url ?? {});
  return urls[api];
}
