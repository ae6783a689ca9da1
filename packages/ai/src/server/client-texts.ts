/** The texts of errors as a client may see them: they name nothing of the network of the server. */
import type { ErrorInfo, ErrorKind } from "../types/message.js";
import { PRIVATE_NAMES, parsePublicAddress } from "../utils/public-address.js";

/**
 * The text of a failure of the network, for a client. The text of the error names hosts, ports, certificates and whatever else the
 * operator needs to find the fault.
 */
const SENTENCES: { readonly [TKind in ErrorKind]?: string } = {
  network: "The connection to the model's server failed",
  timeout: "The model's server did not respond in time",
};

/** Replaces an address that a client may not see. */
const HIDDEN = "[address]";

/** In characters. A longer text is not that of an error. */
const MAX_LENGTH = 10_000;

// Every pattern is bounded, or starts with what it ends at, so that no text takes more than linear time.
const ADDRESS = /\b[a-z][a-z\d+.-]{0,30}:\/\/(?:\[[\da-f:.%\w]{2,60}\])?[^\s"'<>)\]]{0,2048}/gi;
/** Node's texts of failed system calls: `connect ECONNREFUSED 10.0.0.1:80`, `getaddrinfo ENOTFOUND llm.internal`. */
const SYSTEM_CALL = /\b([a-z]{2,20}[ ])?(E[A-Z0-9_]{3,30}) [^\s,;]{1,300}/g;
const NUMERIC =
  /\b\d{1,3}(?:\.\d{1,3}){3}\b(?::\d{1,5}\b)?|\[[\da-f]{0,4}:[\da-f:.]{1,40}(?:%\w{1,20})?\](?::\d{1,5}\b)?|\blocalhost\b(?::\d{1,5}\b)?/gi;
/** What may be an address of version 6 without brackets. A time and other texts with colons look alike. */
const BARE_V6 = /(?<![\w:.])([\da-f]{0,4}:[\da-f:.]{0,40}[\da-f](?:::)?)(?:%\w{1,20})?(?!\w)/gi;
const PRIVATE_NAME = new RegExp(
  String.raw`(?<![\p{L}\p{N}_-])(?:(?:[\p{L}\p{N}_-]{1,63}\.){1,32}|(?=metadata\.))(?:${PRIVATE_NAMES})\b\.?(?::\d{1,5}\b)?`,
  "giu",
);
/** The path of a file in folders of the server. */
const FILE_PATH =
  /(?<![\p{L}\p{N}_/.])\/(?:(?:[\p{L}\p{N}_.@+-]{1,255}\/){1,20}[\p{L}\p{N}_.@+-]{1,255}|[\p{L}\p{N}_@+-]{1,255}\.\w{1,10}\b)/gu;
/** The same on Windows, also of a share. */
const WINDOWS_PATH = /(?<=['"])(?:[a-z]:|\\)[\\/][^'"\n]{1,1000}|(?:\b[a-z]:|(?<!\w)\\)\\[^\s"'<>|]{1,1000}/gi;

/** The sentence that a client gets in place of the error's text; undefined for other errors. */
function sentenceFor(error: ErrorInfo | undefined): string | undefined {
  return error && error.status === undefined ? SENTENCES[error.kind] : undefined;
}

/**
 * The text of a failed response for a client.
 *
 * @param baseUrl the address of the model's server, if it is known
 */
export function clientErrorText(text: string, error: ErrorInfo | undefined, baseUrl = ""): string {
  const sentence = sentenceFor(error);
  if (sentence !== undefined) return sentence;
  const shown = hideAddresses(text, baseUrl);
  // The words of a provider may name a path of its API. Others are of this machine.
  return error?.status === undefined ? shown.replace(WINDOWS_PATH, "[path]").replace(FILE_PATH, "[path]") : shown;
}

/**
 * Replaces addresses of private networks, numeric ones, and those of the model's server.
 *
 * @param baseUrl the address of the model's server
 */
export function hideAddresses(text: string, baseUrl: string): string {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : "";
  const hidden = text
    .slice(0, MAX_LENGTH)
    .replace(ADDRESS, (address) => (isShown(address, host) ? address : HIDDEN))
    .replace(SYSTEM_CALL, (_, call = "", code) => `${call}${code}`)
    .replace(NUMERIC, HIDDEN)
    .replace(BARE_V6, (found, address) => (URL.canParse(`http://[${address}]`) ? HIDDEN : found))
    .replace(PRIVATE_NAME, HIDDEN);
  return host === "" ? hidden : hideHost(hidden, host);
}

function isShown(address: string, host: string): boolean {
  const url = parsePublicAddress(address.replace(/^ws/i, "http"));
  return url !== undefined && url.hostname !== host;
}

/** A name of one word may be any word of the text, unless a port follows it. */
function hideHost(text: string, host: string): string {
  const name = host.replace(/[^\w]/g, "\\$&");
  return text.replace(
    new RegExp(`(?<![\\w.-])${name}${host.includes(".") ? "(?::\\d{1,5}\\b)?" : ":\\d{1,5}\\b"}`, "gi"),
    HIDDEN,
  );
}
