/** Parses addresses of the web, and tells public ones from those of private networks, by their text alone: no name is looked up. */

/**
 * Names that never lead out of a network (RFC 6761, RFC 6762, RFC 8375; ICANN, resolution 2024.07.29.06), the services of a
 * Kubernetes cluster, and the metadata server of Google Cloud (cloud.google.com, "About VM metadata", 2026-11).
 */
export const PRIVATE_NAMES: string = String.raw`localhost|localhost6|localdomain6?|local|internal|intranet|private|corp|home\.arpa|home|lan|svc|metadata\.goog`;
const PRIVATE_NAME = new RegExp(String.raw`(?:^|\.)(?:${PRIVATE_NAMES})$`);

/** Public domains whose names are made to resolve to loopback, or to the address that they spell (2026-11). Others are not known. */
const REFLECTING_NAME =
  /(?:^|\.)(?:nip\.io|sslip\.io|xip\.io|traefik\.me|localtest\.me|lvh\.me|fuf\.me|vcap\.me|local\.gd|localho\.st|lacolhost\.com|localhost\.direct|plex\.direct|local-ip\.(?:co|sh)|backname\.io|ddev\.site|lndo\.site|1u\.ms|rbndr\.us)$/;

/** The first bits of networks that are not global (IANA, "IPv4 Special-Purpose Address Registry", 2026-11), and multicast. */
const PRIVATE_V4: readonly (readonly [network: string, bits: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // The platform of Azure, as each of its machines sees it (learn.microsoft.com, "What is IP address 168.63.129.16?", 2026-11).
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

/** Hosts whose addresses name files of an account: the Files API of Gemini (ai.google.dev, "Files API", 2026-11). */
export const ACCOUNT_HOSTS: ReadonlySet<string> = new Set(["generativelanguage.googleapis.com"]);

/** Characters that parsers of addresses read differently: a server behind us could see another host. */
const AMBIGUOUS = /[\\\p{Cc}]/u;
/** Characters that must be encoded, and that some parsers remove. */
const UNENCODED = /[\s\p{Cf}]/u;
/** `URL` reads a host in `https:a.example` and `https:///a.example`; other parsers, and a page with a base, do not. */
const AUTHORITY = /^[a-z]+:\/\/[^/?#@]/i;

/**
 * Parses an address of the web, which every parser reads alike; undefined for anything else: other schemes, addresses with a
 * user name or a password, without slashes, with backslashes or control characters.
 */
export function parseWebAddress(text: string): URL | undefined {
  if (!AUTHORITY.test(text) || AMBIGUOUS.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isWeb = url.protocol === "https:" || url.protocol === "http:";
  return isWeb && url.username === "" && url.password === "" ? url : undefined;
}

/**
 * Parses an address of the public web, which is fully encoded; undefined for other schemes, for addresses that parsers read differently, for those of this machine and of
 * private networks, and for those of files in the account of whoever fetches them. A public name may still resolve to a private
 * address: whoever fetches it must check.
 */
export function parsePublicAddress(text: string): URL | undefined {
  const url = UNENCODED.test(text) ? undefined : parseWebAddress(text);
  return url && isPublicHost(url.hostname) ? url : undefined;
}

/** @param host as `URL` writes it: numbers in any base have become four decimal ones */
function isPublicHost(host: string): boolean {
  if (host.startsWith("[")) return isPublicV6(host.slice(1, -1));
  const name = host.replace(/\.+$/, "");
  if (/^\d+(?:\.\d+){3}$/.test(name)) return !PRIVATE_V4.some((network) => isInside(name, ...network));
  // A name of one word is looked up in the network of whoever fetches it.
  return name.includes(".") && !PRIVATE_NAME.test(name) && !REFLECTING_NAME.test(name) && !ACCOUNT_HOSTS.has(name);
}

function isInside(address: string, network: string, bits: number): boolean {
  const shift = 32 - bits;
  return toNumber(address) >>> shift === toNumber(network) >>> shift;
}

function toNumber(address: string): number {
  return address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

/**
 * Only global unicast is public, 2000::/3, without what is special in it: 2001::/23 with tunnels, 2001:db8::/32, 2002::/16,
 * which embeds addresses of version 4, and 3fff::/20 (IANA, "IPv6 Special-Purpose Address Registry", 2026-11).
 */
function isPublicV6(address: string): boolean {
  const [first = 0, second = 0] = address.split(":").map((part) => Number.parseInt(part || "0", 16));
  const isGlobal = first >= 0x2000 && first <= 0x3fff;
  const isSpecial =
    (first === 0x2001 && (second < 0x200 || second === 0xdb8)) ||
    first === 0x2002 ||
    (first === 0x3fff && second < 0x1000);
  return isGlobal && !isSpecial;
}
