/** The page. */
import { useChat } from "@ai-sdk/react";
import type { UIMessage } from "ai";
import { type FormEvent, useState } from "react";
import { createRoot } from "react-dom/client";

function Part({ part }: { part: UIMessage["parts"][number] }) {
  if (part.type === "text") return <p>{part.text}</p>;
  if (part.type === "reasoning") return <em>{part.text}</em>;
  if (part.type === "source-url") return <a href={part.url}>{part.title ?? part.url}</a>;
  if (part.type !== "dynamic-tool") return null;
  return (
    <pre data-state={part.state}>
      {part.toolName} {JSON.stringify(part.input)} {part.state === "output-available" && JSON.stringify(part.output)}
    </pre>
  );
}

function Chat({ id, messages: before }: { id: string; messages: UIMessage[] }) {
  // Resumes the run that was in progress when the page was closed.
  const { messages, sendMessage, status, error } = useChat({ id, messages: before, resume: before.length > 0 });
  const [text, setText] = useState("");
  const isBusy = status === "submitted" || status === "streaming";
  const send = (event: FormEvent) => {
    event.preventDefault();
    void sendMessage({ text });
    setText("");
  };
  return (
    <main data-status={status}>
      {messages.map(({ id: key, role, parts }) => (
        <section key={key} className={role}>
          {parts.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have no ids, and keep their places.
            <Part key={index} part={part} />
          ))}
        </section>
      ))}
      {error && <p role="alert">{error.message}</p>}
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
const messages: UIMessage[] = await (await fetch(`/api/chat/${id}`)).json();
const root = document.getElementById("root");
if (root) createRoot(root).render(<Chat id={id} messages={messages} />);
