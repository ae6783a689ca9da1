/** What the library sends where a vendor would refuse, by the subjects of the rules, and how a program hears of it. */

export interface Change {
  /** The subjects of the rules, as after the slash of their ids. */
  subjects: readonly string[];
  /** What vendors refuse. */
  refused: string;
  /** What is sent. */
  sent: string;
  /** The notes of the message that say so. Empty: nothing that the conversation says is lost. */
  notes: readonly string[];
  /** Whether it may also be an error before the request. */
  fails?: true;
}

const subjects = (text: string): string[] => text.split(" ");

export const CHANGES: readonly Change[] = [
  {
    subjects: subjects("tool-name tool-name-length call-name result-name call-name-empty call-name-length"),
    refused: "A name of a tool, or of a call in the history, with other characters, too long or empty",
    sent: "Another character becomes `_`, the end is cut, names stay unique; the response has the given names",
    notes: ["names_changed"],
  },
  {
    subjects: ["same-tool-name"],
    refused: "Two tools with one name",
    sent: "The first of them",
    notes: ["tool_omitted"],
  },
  {
    subjects: ["tool-count"],
    refused: "More tools than the vendor takes",
    sent: "Nothing",
    notes: [],
    fails: true,
  },
  {
    subjects: ["service-tier"],
    refused: "A tier that the vendor does not have",
    sent: "Its own word for `standard` and `priority`",
    notes: [],
    fails: true,
  },
  {
    subjects: ["property-name"],
    refused: "Names of properties such as `$select` or `a b`",
    sent: "Legal names, which the description explains; the arguments of a call have the given names",
    notes: ["schema_narrowed"],
  },
  {
    subjects: subjects("schema-union schema-top schema-type"),
    refused: "A union, a combination, a reference or a value at the top of a tool's schema",
    sent: "One object with the properties of all branches. What is lost stands in the description; arguments are checked by the given schema",
    notes: ["schema_narrowed"],
  },
  {
    subjects: subjects("schema-properties schema-items"),
    refused: "An object without `properties`, a list without `items`",
    sent: "Empty ones, which permit everything",
    notes: ["schema_narrowed"],
  },
  {
    subjects: subjects(
      "schema schema-required schema-draft schema-keyword schema-depth schema-enum schema-enum-value schema-type-value any-of-type ref-type ref-sibling ref-place no-type unique-items",
    ),
    refused: "Keywords, values and places that are not in the vendor's form of JSON Schema",
    sent: "The same in that form, or without what it cannot say",
    notes: ["schema_narrowed"],
  },
  {
    subjects: subjects("strict-closed strict-required strict-all-of strict-together strict-limits"),
    refused: "A strict tool whose schema the vendor cannot enforce",
    sent: "A narrower schema, or a tool that is not strict",
    notes: ["schema_narrowed", "tool_not_strict"],
    fails: true,
  },
  {
    subjects: ["empty-description"],
    refused: "An empty description of a tool",
    sent: "No description",
    notes: [],
  },
  {
    subjects: ["half-pair"],
    refused: "Half of a character anywhere in the body",
    sent: "The text without it",
    notes: [],
  },
  {
    subjects: subjects("call-id call-id-length same-call-id item-id same-item-id"),
    refused: "An id of a call with other characters, too long, or used twice",
    sent: "Another id, in the call and its result alike",
    notes: [],
  },
  {
    subjects: subjects("call-input call-args call-arguments"),
    refused: "Arguments that are no object",
    sent: "`{}`; the transcript keeps the text",
    notes: [],
  },
  {
    subjects: subjects(
      "unanswered-call orphan-result result-twice results-first call-order response-beside-text response-count response-object order alternate first-role role no-user empty-calls",
    ),
    refused: "Calls and results that are not in pairs, or roles in another order",
    sent: "Each result right after its call; `No result provided` for one that is missing; a result without a call is left out",
    notes: [],
  },
  {
    subjects: subjects("prefill last-role"),
    refused: "A conversation that ends with a response",
    sent: "`(go on)` as a message of the user after it; `(blank message)` for a blank one",
    notes: ["message_added", "blank_message_filled"],
  },
  {
    subjects: subjects("no-messages no-contents"),
    refused: "A request without a message",
    sent: "Nothing. A context whose `messages` are empty is sent as it is, because `onPayload` may fill it",
    notes: [],
    fails: true,
  },
  {
    subjects: subjects(
      "empty-message empty-text blank-message empty-system blank-system empty-content empty-parts empty-part blank-text silent-assistant empty-assistant prefill-space error-result",
    ),
    refused: "Texts and messages that are empty or blank",
    sent: "The others; a result without text says so",
    notes: [],
  },
  {
    subjects: subjects("picture-type picture-data picture-format other-picture animation broken-picture"),
    refused: "A picture of another format, that moves, is cut off, or is none",
    sent: "The type that its first bytes name; a note in the place of what cannot be sent. An error if the last message holds it",
    notes: ["image_type_changed", "image_omitted"],
    fails: true,
  },
  {
    subjects: subjects(
      "picture-bytes picture-pixels small-picture many-pictures picture-count inline-bytes document-count",
    ),
    refused: "A picture, a number of pictures or documents, or their size in all, outside of the vendor's limits",
    sent: "A note in its place, in that of the oldest if they are too many. An error if the user's last message holds it",
    notes: ["image_omitted"],
    fails: true,
  },
  {
    subjects: ["file-address"],
    refused: "An address from which the vendor loads nothing",
    sent: "A note in its place. An error if the last message holds it",
    notes: ["image_omitted"],
    fails: true,
  },
  {
    subjects: ["file-type"],
    refused: "A file under a type that says nothing, or that the vendor does not take",
    sent: "The type that its first bytes name, `text/plain` for a text; a note in the place of what has none. An error if the last message holds it",
    notes: ["image_type_changed", "image_omitted"],
    fails: true,
  },
  {
    subjects: subjects("picture-role picture tool-picture document-type"),
    refused: "A picture or a file in a place, or of a kind, that the model does not take",
    sent: "In another place, or a note such as `(image omitted: …)`",
    notes: [],
  },
  {
    subjects: subjects("document-data document-pages document-format document-bytes"),
    refused: "A document above the vendor's limits, or that is none",
    sent: "A note in its place. An error if the last message holds it",
    notes: ["image_omitted"],
    fails: true,
  },
  {
    subjects: subjects("document-name same-document-name document-text file-name"),
    refused:
      "A document without a name, with one that another has or with other characters, or without a text beside it",
    sent: "A legal name that no other has, and a short text",
    notes: [],
  },
  {
    subjects: subjects(
      "thinking-signature thinking-last reasoning-alone reasoning-missing thought-signature signature-base64",
    ),
    refused: "Thinking without its signature, of another model, or alone",
    sent: "As text, left out, or with what the family demands",
    notes: [],
  },
  {
    subjects: subjects(
      "thinking-budget thinking-room thinking-manual thinking-forced thinking-temperature thinking-top-p top-p thinking-off one-sampling temperature penalty reasoning max-tokens max-output",
    ),
    refused: "Options that the model does not take, or not together",
    sent: "The nearest that it takes, or without the option",
    notes: ["option_omitted", "thinking_level"],
  },
  {
    subjects: subjects("tool-choice forced-call forced-name empty-tools no-tool-config empty-tool-config"),
    refused: "A choice of tools without tools, an empty list of them, or calls without any",
    sent: "Without the choice or the list, or with a tool that stands for those of before",
    notes: [],
  },
  {
    subjects: ["gone-tool"],
    refused: "A tool that a search found and that is gone",
    sent: "What the search found without it",
    notes: [],
  },
  {
    subjects: subjects("reference-alone all-deferred search-model"),
    refused: "Deferred tools alone, a reference to one beside other content, a tool search for older models",
    sent: "References in a result of their own; a tool that is added to no other is at the beginning",
    notes: [],
  },
  {
    subjects: subjects("cache-marks cache-empty cache-key"),
    refused: "Too many cache marks, or one on an empty text; a key that is too long",
    sent: "At most four marks, on texts; 64 characters of the key",
    notes: [],
  },
];
