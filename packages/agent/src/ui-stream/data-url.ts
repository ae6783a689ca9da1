import type { FileContent, ImageContent } from "pi-ai";

/** The address under which a page can show a file; undefined if only the provider has it. */
export function toDataUrl(file: ImageContent | FileContent): string | undefined {
  if (file.data !== undefined) return `data:${file.mimeType};base64,${file.data}`;
  return file.type === "file" ? file.url : undefined;
}

/** A `data:` address with base64 as its data; undefined for any other address. */
export function readDataUrl(url: string): string | undefined {
  const comma = url.indexOf(",");
  return url.startsWith("data:") && url.slice(0, comma).endsWith(";base64") ? url.slice(comma + 1) : undefined;
}
