/** Defines what requests and answers contain. The checks, the types and the OpenAPI document come from these schemas. */

import Type, { type Static, type TSchema } from "typebox";

const CLOSED = { additionalProperties: false } as const;

/** An object without further fields. */
export function object<Fields extends Record<string, TSchema>>(fields: Fields) {
  return Type.Object(fields, CLOSED);
}

/** An id that a client may choose. U+0000 is not possible in a file or a path. */
export const Id = Type.String({ minLength: 1, maxLength: 200, pattern: "^[^\\u0000-\\u001f\\u007f/\\\\]+$" });

const Name = Type.String({ maxLength: 200, description: "A name for people." });
const TokenName = Type.String({
  ...{ minLength: 1, maxLength: 100, pattern: "^[^\\p{Cc}\\p{Cs}]+$", description: "A name for people." },
});
const NullableId = Type.Union([Id, Type.Null()]);
const Time = Type.String({ format: "date-time" });
const NullableTime = Type.Union([Time, Type.Null()]);
const Count = Type.Integer({ minimum: 0 });

const Text = object({ type: Type.Literal("text"), text: Type.String({ minLength: 1, maxLength: 1_000_000 }) });
const Image = object({
  type: Type.Literal("image"),
  data: Type.String({ minLength: 1, pattern: "^[A-Za-z0-9+/]+={0,2}$", description: "In base64." }),
  mimeType: Type.Union([
    ...[Type.Literal("image/png"), Type.Literal("image/jpeg"), Type.Literal("image/gif"), Type.Literal("image/webp")],
  ]),
});

const Content = Type.Union(
  [
    Type.String({ minLength: 1, maxLength: 1_000_000 }),
    Type.Array(Type.Union([Text, Image]), { minItems: 1, maxItems: 20 }),
  ],
  { description: "Text, or blocks of text and images." },
);

/** A client that sends a request again with the same id does nothing twice. */
const ClientId = Type.Optional(
  Type.String({
    ...Id,
    description: "Chosen by the client: the same id again is the same request. Default: a new one.",
  }),
);

export const SessionParams = object({ session: Id });
export const EntryParams = object({ session: Id, entry: Id });
export const CommandParams = object({ session: Id, command: Id });
export const QuestionParams = object({ session: Id, question: Id });
export const TokenParams = object({ token: Id });
export const ProviderParams = object({ provider: Type.String({ pattern: "^[a-z0-9][a-z0-9.-]{0,39}$" }) });

export const PageQuery = object({
  after: Type.Optional(Type.String({ maxLength: 500, description: "The `next` of the page before." })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
});
export const SeqQuery = object({
  after: Type.Optional(
    Type.Integer({ minimum: -1, maximum: 2 ** 31 - 1, description: "The `seq` of the last entry that is known." }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
});
export const FollowQuery = object({ after: SeqQuery.properties.after });
export const SearchQuery = object({
  query: Type.String({ minLength: 1, maxLength: 1_000 }),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
});
export const WaitQuery = object({
  wait: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 60, description: "Seconds to wait for the result. Default: 0." }),
  ),
});

export const NewSession = object({ id: ClientId, name: Type.Optional(Name) });
export const NewFork = object({ id: ClientId, entryId: Type.Optional(Id) });
export const NewMessage = object({
  id: ClientId,
  content: Content,
  kind: Type.Optional(
    Type.Union([Type.Literal("followUp"), Type.Literal("steer")], {
      description:
        "`followUp`, the default: delivered when the model is done, and at once if nothing runs. `steer`: delivered before the next request of the run.",
    }),
  ),
});
export const NewRequest = object({ id: ClientId });
export const Move = object({
  id: ClientId,
  entryId: NullableId,
  summarize: Type.Optional(Type.Boolean()),
  instructions: Type.Optional(Type.String({ maxLength: 4_000 })),
  label: Type.Optional(Name),
  restoreFiles: Type.Optional(Type.Boolean()),
});
export const Compact = object({
  id: ClientId,
  instructions: Type.Optional(Type.String({ maxLength: 4_000 })),
  firstKeptEntryId: Type.Optional(Id),
  fromOriginals: Type.Optional(Type.Boolean()),
});
export const PreviewQuery = object({ firstKeptEntryId: Type.Optional(Id) });
export const Rename = object({ id: ClientId, name: Name });
export const Label = object({ id: ClientId, label: Name });
export const Answer = object({
  answer: Type.Union([Type.Literal("yes"), Type.Literal("no")]),
  reason: Type.Optional(Type.String({ maxLength: 4_000, description: "With `no`: what the model is told." })),
});

const Scopes = Type.Array(Type.Union([Type.Literal("read"), Type.Literal("write"), Type.Literal("admin")]), {
  minItems: 1,
  uniqueItems: true,
});
const BrowserScopes = Type.Array(Type.Union([Type.Literal("read"), Type.Literal("write")]), {
  minItems: 1,
  uniqueItems: true,
});
const Seconds = Type.Integer({ minimum: 1, maximum: 10 * 365 * 86_400 });
export const NewToken = object({ name: TokenName, scopes: Scopes, expiresIn: Type.Optional(Seconds) });
export const NewSessionToken = object({
  name: Type.Optional(TokenName),
  scopes: Type.Optional(BrowserScopes),
  expiresIn: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400, description: "Seconds. Default: 900." })),
});
export const Rotation = object({
  grace: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 30 * 86_400,
      description: "Seconds for which the old token still works. Default: 0.",
    }),
  ),
});
export const NewKey = object({ key: Type.String({ minLength: 1, maxLength: 10_000 }) });
export const AnyObject = Type.Record(Type.String(), Type.Unknown());

const Entry = Type.Record(Type.String(), Type.Unknown(), { description: "An entry of the log, as in a session file." });
/** A session file may have entries with any ids. */
const EntryId = Type.String();
const NullableEntryId = Type.Union([EntryId, Type.Null()]);

export const Accepted = object({ id: Id });
const Session = object({
  id: Id,
  name: Type.Optional(Type.String()),
  created: Time,
  changed: Time,
  entryCount: Count,
});
const SessionStatus = Type.Union(
  [Type.Literal("idle"), Type.Literal("busy"), Type.Literal("waiting"), Type.Literal("parked")],
  {
    description:
      "`waiting`: its tenant has no place left. `parked`: workers ended with it too often; an operator has to look.",
  },
);
export const SessionState = object({
  ...Session.properties,
  leaf: NullableEntryId,
  lastSeq: Type.Integer({ minimum: -1 }),
  status: SessionStatus,
  openQuestions: Count,
});
export const SessionPage = object({ sessions: Type.Array(Session), next: Type.Union([Type.String(), Type.Null()]) });
export const EntryPage = object({
  entries: Type.Array(object({ seq: Count, entry: Entry })),
  next: Type.Union([Count, Type.Null()], { description: "Pass it as `after`. Null at the end." }),
});
export const Tree = object({
  leaf: NullableEntryId,
  nodes: Type.Array(
    object({
      seq: Count,
      id: EntryId,
      parentId: NullableEntryId,
      type: Type.String(),
      role: Type.Optional(Type.String()),
      text: Type.String({ description: "The beginning of its text." }),
      label: Type.Optional(Type.String()),
      timestamp: Type.String(),
    }),
  ),
  next: Type.Union([Count, Type.Null()]),
});
export const Context = object({
  tokens: Type.Number(),
  isEstimate: Type.Boolean(),
  contextWindow: Type.Number({ description: "0 if it is unknown." }),
  limit: Type.Union([Type.Number(), Type.Null()], { description: "A context above this is compacted." }),
  model: Type.String(),
  messages: Type.Array(Type.Unknown(), { description: "What the model would get." }),
});
export const Preview = object({
  type: Type.String(),
  why: Type.Optional(Type.String()),
  preview: Type.Optional(Type.Unknown()),
});
export const Hits = object({
  hits: Type.Array(object({ session: Type.Optional(Id), entryId: EntryId, text: Type.String() })),
  total: Type.Optional(Count),
});
export const CommandState = object({
  state: Type.Union([Type.Literal("waiting"), Type.Literal("finished")]),
  result: Type.Optional(
    object({
      type: Type.Union([Type.Literal("done"), Type.Literal("refused"), Type.Literal("failed")]),
      code: Type.Optional(Type.String()),
      leaf: Type.Optional(NullableEntryId),
      entryId: Type.Optional(EntryId),
      tokens: Type.Optional(object({ before: Type.Number(), after: Type.Number() })),
    }),
  ),
});
export const Questions = object({
  questions: Type.Array(
    object({
      session: Id,
      id: Id,
      tool: Type.String(),
      arguments: AnyObject,
      text: Type.String(),
      asked: Time,
      expires: Time,
    }),
  ),
});
const Token = {
  id: Id,
  name: Type.String(),
  scopes: Scopes,
  session: Type.Union([Id, Type.Null()]),
  created: Time,
  expires: NullableTime,
  revoked: NullableTime,
  used: Type.Union([Time, Type.Null()], { description: "The last use, within a minute." }),
};
export const Tokens = object({ tokens: Type.Array(object(Token)) });
export const CreatedToken = object({ ...Token, token: Type.String({ description: "Shown only now." }) });
export const Keys = object({
  keys: Type.Array(
    object({ provider: Type.String(), ending: Type.String({ description: "The last four characters." }), saved: Time }),
  ),
});
export const AuditQuery = object({ ...PageQuery.properties, session: Type.Optional(Id) });
export const AuditPage = object({
  records: Type.Array(
    object({
      id: Type.String(),
      at: Time,
      action: Type.String(),
      outcome: Type.String(),
      session: NullableId,
      sessionKey: Type.Union([Type.String(), Type.Null()], { description: "Stays when the session is erased." }),
      token: Type.Union([object({ id: Id, name: Type.Union([Type.String(), Type.Null()]) }), Type.Null()]),
      details: Type.Union([AnyObject, Type.Null()]),
    }),
  ),
  next: Type.Union([Type.String(), Type.Null()]),
});
export const NewHold = object({ reason: Type.String({ minLength: 1, maxLength: 1_000 }) });
export const Holds = object({
  holds: Type.Array(
    object({
      session: Type.Union([Id, Type.Null()], { description: "Null: on the tenant with all of its sessions." }),
      reason: Type.String(),
    }),
  ),
});
export const Settings = object({ settings: AnyObject });
/** The events of a stream. */
export const Events = {
  entry: Type.Object(
    { seq: Count, entry: Entry },
    { ...CLOSED, description: "An entry, in the order of the log and each once. Its `seq` is the id of the event." },
  ),
  delta: Type.Object(
    {
      reply: Type.String({
        description: "The id of the entry that the reply becomes. With this entry, the reply is over.",
      }),
      holder: Type.String({
        description: "A number. A reply with a higher one takes the place of one with a lower one.",
      }),
      part: Type.Integer({ minimum: 0, description: "Which part of the reply, counted from 0." }),
      kind: Type.Union([Type.Literal("text"), Type.Literal("thinking"), Type.Literal("toolCall")]),
      offset: Type.Integer({
        minimum: 0,
        description:
          "Where `text` begins in its part, in UTF-16 code units. At 0, the part begins anew and later parts are dropped.",
      }),
      text: Type.String({ description: "For a tool call, its arguments as JSON." }),
      call: Type.Optional(
        Type.Object(
          { id: Type.String(), name: Type.String() },
          { ...CLOSED, description: "The tool call. Only at the offset 0." },
        ),
      ),
    },
    { ...CLOSED, description: "Text of the running reply, which is not in the log yet." },
  ),
  state: Type.Object(
    { status: SessionStatus, openQuestions: Count },
    { ...CLOSED, description: "The first event, and again when something of it has changed." },
  ),
};
export const EventStream = Type.String({
  description:
    "Server-sent events: `id`, `event` and `data`, which is JSON in one line. `x-events` has the schema of the data of each event. Ignore events that you do not know.",
});
export const ResumeHeaders = Type.Object({
  "last-event-id": Type.Optional(
    Type.String({ description: "The id of the last event. The stream goes on after it. Takes the place of `after`." }),
  ),
});
export const SessionFile = Type.Unsafe<Uint8Array>({ description: "The bytes of a session file." });
export const SessionFileText = Type.String({ description: "The bytes of a session file." });
export const Imported = object({ id: Id, entryCount: Count, skipped: Count });
export const Nothing = Type.Null();
export const ProblemSchema = object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  errors: Type.Optional(Type.Array(object({ at: Type.String(), message: Type.String() }))),
});

export type { Static };
