/** The page. */
import { useChat } from "@ai-sdk/react";
import { type DynamicToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from "ai";
import { type FormEvent, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";

type Answer = (answer: { id: string; approved: boolean }) => void;

function Approval({ part, onAnswer }: { part: DynamicToolUIPart; onAnswer: Answer }) {
  if (part.state !== "approval-requested") return null;
  const { id } = part.approval;
  return (
    <div>
      May {part.toolName} run?
      <button type="button" onClick={() => onAnswer({ id, approved: true })}>
        Approve
      </button>
      <button type="button" onClick={() => onAnswer({ id, approved: false })}>
        Decline
      </button>
    </div>
  );
}

/** @param onAnswer undefined in all messages but the last: what they ask is no longer open */
function Part({ part, onAnswer }: { part: UIMessage["parts"][number]; onAnswer: Answer | undefined }) {
  if (part.type === "text") return <p>{part.text}</p>;
  if (part.type === "reasoning") return <em>{part.text}</em>;
  if (part.type === "source-url") return <a href={part.url}>{part.title ?? part.url}</a>;
  if (part.type !== "dynamic-tool") return null;
  return (
    <>
      <pre data-state={part.state}>
        {part.toolName} {JSON.stringify(part.input)} {part.state === "output-available" && JSON.stringify(part.output)}
      </pre>
      {onAnswer && <Approval part={part} onAnswer={onAnswer} />}
    </>
  );
}

/** Whether the conversation goes on with a response: the user has written something, or has answered all questions. */
function awaitsResponse(messages: UIMessage[]): boolean {
  return messages.at(-1)?.role === "user" || lastAssistantMessageIsCompleteWithApprovalResponses({ messages });
}

function Chat({ id, messages: before }: { id: string; messages: UIMessage[] }) {
  const { messages, sendMessage, addToolApprovalResponse, status, error } = useChat({
    id,
    messages: before,
    // Resumes the run that was in progress when the page was closed.
    resume: awaitsResponse(before),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  useEffect(() => {
    // Not the part of a response that has arrived: after a reload the page reads the whole run again.
    if (status !== "streaming") localStorage.setItem(id, JSON.stringify(messages));
  }, [id, messages, status]);
  const [text, setText] = useState("");
  const answer: Answer = (given) => void addToolApprovalResponse(given);
  const isBusy = status === "submitted" || status === "streaming";
  const send = (event: FormEvent) => {
    event.preventDefault();
    void sendMessage({ text });
    setText("");
  };
  return (
    <main data-status={status}>
      {messages.map(({ id: key, role, parts }, place) => (
        <section key={key} className={role}>
          {parts.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have no ids, and keep their places.
            <Part key={index} part={part} onAnswer={place === messages.length - 1 ? answer : undefined} />
          ))}
        </section>
      ))}
      {error && <p role="alert">{error.message}</p>}
      {!isBusy && awaitsResponse(messages) && (
        <button type="button" onClick={() => void sendMessage()}>
          Try again
        </button>
      )}
      <form onSubmit={send}>
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        <button type="submit" disabled={isBusy}>
          Send
        </button>
        {/* Ends the run itself. `stop()` of useChat would only end this page's connection. */}
        <button type="button" disabled={!isBusy} onClick={() => void fetch(`/api/chat/${id}`, { method: "DELETE" })}>
          Stop
        </button>
      </form>
    </main>
  );
}

location.hash ||= crypto.randomUUID();
const id = location.hash.slice(1);
// The browser keeps the conversation, and the server none.
const messages: UIMessage[] = JSON.parse(localStorage.getItem(id) ?? "[]");
const root = document.getElementById("root");
if (root) createRoot(root).render(<Chat id={id} messages={messages} />);
