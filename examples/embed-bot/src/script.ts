/** The responses of this example's model, in order, regardless of the questions. */
import { type FauxResponseStep, fauxAssistantMessage, fauxText, fauxToolCall } from "pi-ai";

export const NEWS = "Version 2.1 is out, with faster search.";
export const ALARM = "The build of today has failed. Who can look?";

export const HELP = `<think>They want to know how to update. A list is best.</think>Three steps bring you there.

First stop the service, so that nothing is written meanwhile. Then update and check:

\`\`\`sh
npm install service@2.1
npm run check
npm run migrate -- --dry-run
npm run migrate
npm run check -- --after
\`\`\`

Last, start it again. That is all!`;

function sends(room: string, content: string): FauxResponseStep {
  const call = fauxToolCall("send_message", { room, content }, { id: `to-${room}` });
  return fauxAssistantMessage([fauxText("I pass it on."), call], { stopReason: "toolUse" });
}

/** Responses to three questions. */
export const SCRIPT: readonly FauxResponseStep[] = [
  // The model repeats what it has sent: the reply is dropped.
  sends("#news", NEWS),
  fauxAssistantMessage(`${NEWS} 🎉`),
  // The tool fails, so the same text is delivered as a reply.
  sends("#closed", ALARM),
  fauxAssistantMessage(ALARM),
  fauxAssistantMessage(HELP),
];
