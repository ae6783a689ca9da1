import type { FileContent, ImageContent } from "pi-ai";

/** Returns the URL at which a page can show a file; undefined if only the provider has the file. */
export function toDataUrl(file: ImageContent | FileContent): string | undefined {
  if (file.data !== undefined) return `data:${file.mimeType};base64,${file.data}`;
  return file.type === "file" ? file.url : undefined;
}

/** Parses a base64 `data:` URL. Returns undefined for any other URL. */
export function readDataUrl(url: string): string | undefined {
  const comma = url.indexOf(",");
  return url.startsWith("data:") && url.slice(0, comma).endsWith(";base64") ? url.slice(comma + 1) : undefined;
}
