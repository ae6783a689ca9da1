/** Reads the output of a tool that Amazon runs. */
import type { WireItem } from "../../request/index.js";
import type { ServerToolContent } from "../../types/message.js";
import { isRecord } from "../../utils/is-object.js";
import { ownValue } from "../../utils/own-value.js";
import { isText } from "../../utils/read-text.js";

/** Our names for fields of the code interpreter (Amazon Nova user guide, "Code interpreter", 2026-11). */
const NAMES: Readonly<Record<string, string>> = { stdOut: "stdout", stdErr: "stderr" };

/** The status, the output and the error of a result. */
export function readOutput({ status, content }: WireItem): Pick<ServerToolContent, "status" | "output" | "errorText"> {
  const parts = Array.isArray(content) ? content.filter(isRecord) : [];
  const text = parts.flatMap((part) => (isText(part["text"]) ? [part["text"]] : [])).join("");
  const fields = parts.flatMap((part) => (isRecord(part["json"]) ? Object.entries(part["json"]) : []));
  const output: WireItem = Object.fromEntries([
    ...(text === "" ? [] : [["text", text]]),
    ...fields.map(([name, value]) => [ownValue(NAMES, name) ?? name, value]),
  ]);
  const failed = status === "error" || output["isError"] === true;
  const errorText = [text, output["stderr"]].find(isText);
  return {
    status: failed ? "failed" : "done",
    ...(Object.keys(output).length > 0 ? { output } : {}),
    ...(failed && errorText !== undefined ? { errorText } : {}),
  };
}
