/** Runs the hooks that change or handle user input before it is recorded, and those before the first request of a run. */

import {
  type ImageBlock,
  type NewEntry,
  type Runtime,
  type Session,
  type TextBlock,
  textTokens,
  type UserMessage,
} from "@pith/context";
import {
  createHookEntryParser,
  hookTokenAllowance,
  mergeSystemMessages,
  type QueuedMessage,
  readAttachmentMark,
  runHooks,
  splitContent,
} from "@pith/context/host";
import { appended, NotWritten } from "../append.ts";
import type { RunEnd } from "../events.ts";
import { budgetOf, type RunParts } from "../loop/run-context.ts";
import { EXTENSION } from "../prompt/system-prompt.ts";
import type { BeforeAgentStartEvent, InputEvent, RunHooks } from "./hooks.ts";
import { soundBlocks } from "./message-hooks.ts";

type Said = UserMessage["content"];

export type Heard =
  | { readonly type: "said"; readonly content: Said }
  | { readonly type: "handled" }
  | { readonly type: "aborted" }
  /** A hook that keeps secrets has failed. */
  | { readonly type: "unheard" };

export interface InputParts {
  readonly session: Session;
  readonly hooks: RunHooks;
  readonly ports: Pick<Runtime, "sleep">;
  readonly signal?: AbortSignal | undefined;
}

/** Each hook sees the input as the one before it left it. */
export async function heardInput(said: Said, as: InputEvent["as"], parts: InputParts): Promise<Heard> {
  const { hooks, session, ports, signal } = parts;
  let content = said;
  for (const hook of hooks.input ?? []) {
    const { answers, isCancelled } = await runHooks([hook], () => eventOf(session.redact(content), as), {
      host: hooks,
      runtime: ports,
      signal,
      read: (result) => answerIn(result, content),
    });
    if (isCancelled) return { type: signal?.aborted ? "aborted" : "unheard" };
    const [answer] = answers;
    if (answer?.type === "handled") return answer;
    content = answer?.content ?? content;
  }
  return { type: "said", content };
}

/** The same while a run is under way; null where a hook has seen to it. What must not be said is thrown: nobody else could tell. */
export async function heardWords(
  { kind, content }: Pick<QueuedMessage, "kind" | "content">,
  { hooks = {}, ...parts }: Omit<InputParts, "hooks"> & { readonly hooks?: RunHooks },
): Promise<Said | null> {
  const heard = await heardInput(content, kind, { ...parts, hooks });
  if (heard.type === "unheard") throw new NotWritten(UNHEARD);
  return heard.type === "said" ? heard.content : null;
}

/** How a run ends that nothing was said for. */
export function unsaid({ type }: Exclude<Heard, { type: "said" }>): RunEnd {
  if (type === "unheard") return { type: "failed", why: UNHEARD };
  return { type: type === "handled" ? "done" : "aborted" };
}

const UNHEARD =
  "a hook that watches over all that is said failed, so it was not said; say it again once that is mended";

function eventOf(content: Said, as: InputEvent["as"]): InputEvent {
  const images = imagesIn(content).map(({ pith: _, ...image }) => image);
  const attachments = splitContent(content).attachments.filter(
    ({ kind, typed }) => kind !== "image" && typed === undefined,
  );
  return structuredClone({ type: "input", text: textIn(content), images, attachments, as });
}

function answerIn(result: unknown, before: Said): Extract<Heard, { type: "said" | "handled" }> | null {
  if (result === undefined || result === null) return null;
  const { action, text, images } = Object(result) as Readonly<Record<string, unknown>>;
  if (action === "continue") return null;
  if (action === "handled") return { type: "handled" };
  if (action !== "transform") throw new Error("its action is neither continue, transform nor handled");
  if (text !== undefined && typeof text !== "string") throw new Error("its text is no text");
  const shown = images === undefined ? imagesIn(before) : soundBlocks(images).filter(isImage);
  const content = joined(before, { text: text ?? textIn(before), images: shown });
  if (content.length === 0) throw new Error("it leaves nothing to say");
  return { type: "said", content };
}

/** WORD2: what was attached stays attached, and what a template said stays the template's. */
function joined(
  before: Said,
  { text, images }: { readonly text: string; readonly images: readonly ImageBlock[] },
): Said {
  const blocks = typeof before === "string" ? [] : before;
  const attached = blocks.filter((block) => block.type === "text" && isAttached(block));
  const template = blocks.find((block) => readAttachmentMark(block)?.typed !== undefined);
  if (images.length === 0 && attached.length === 0 && !template) return text;
  const own: TextBlock = { type: "text", text, ...(template?.pith && { pith: template.pith }) };
  return [...attached, ...(text === "" ? [] : [own]), ...images];
}

/** What is sent as it stands: the typed text, or that of a template. */
function textIn(content: Said): string {
  if (typeof content === "string") return content;
  const texts = content.flatMap((block) => (block.type === "text" && !isAttached(block) ? [block.text] : []));
  return texts.join("\n");
}

function isAttached(block: TextBlock | ImageBlock): boolean {
  const mark = readAttachmentMark(block);
  return mark !== null && mark.typed === undefined;
}

function imagesIn(content: Said): readonly ImageBlock[] {
  return typeof content === "string" ? [] : content.filter(isImage);
}

function isImage(block: { readonly type: string }): block is ImageBlock {
  return block.type === "image";
}

export async function beforeStart(parts: RunParts): Promise<void> {
  const { session, hooks, ports, signal } = parts;
  const asked = hooks.before_agent_start ?? [];
  const sections = sectionsOf(parts);
  if (asked.length === 0 && sections[EXTENSION] === undefined) return;
  const room = hookTokenAllowance(session, budgetOf(parts));
  const adding = createHookEntryParser(room);
  const { answers, failures, isCancelled } = await runHooks(asked, () => createStartEvent(parts), {
    host: hooks,
    runtime: ports,
    signal,
    read: (result) => readStartAnswer(result, { adding, room }),
  });
  if (isCancelled && signal.aborted) return;
  if (isCancelled) throw new NotWritten(UNWATCHED);
  const texts = answers.flatMap(({ section }) => section);
  // One that failed has not said that it is over.
  const wanted = texts.length > 0 ? texts.join("\n\n") : failures.length > 0 ? sections[EXTENSION] : undefined;
  const drafts = [
    ...sectionChange(sections[EXTENSION], wanted === undefined ? undefined : session.redact(wanted), ports),
    ...answers.flatMap(({ added }) => added),
  ];
  if (drafts.length > 0) await appended(session, ...drafts);
}

const UNWATCHED = "a hook that watches over every run failed, so this one did not begin; mend it, and go on";

interface Answer {
  readonly section: readonly string[];
  readonly added: readonly NewEntry[];
}

function readStartAnswer(
  result: unknown,
  { adding, room }: { readonly adding: ReturnType<typeof createHookEntryParser>; readonly room: number },
): Answer | null {
  if (result === undefined || result === null) return null;
  const { message, systemPrompt } = Object(result) as Readonly<Record<string, unknown>>;
  if (systemPrompt !== undefined && systemPrompt !== null && typeof systemPrompt !== "string")
    throw new Error("its systemPrompt is no text");
  const section = systemPrompt ? [systemPrompt] : [];
  if (section.some((text) => textTokens(text) > room)) throw new Error(`its systemPrompt has more than ${room} tokens`);
  const entries = message === undefined || message === null ? [] : [{ ...Object(message), type: "custom_message" }];
  return { section, added: adding({ entries }) ?? [] };
}

// The beginning of the request stays as it is: a change is said where one stands.
function sectionChange(
  before: string | undefined,
  wanted: string | undefined,
  ports: Pick<Runtime, "now">,
): readonly NewEntry[] {
  if (before === wanted) return [];
  const sections = { [EXTENSION]: wanted ?? null };
  return [{ type: "message", message: { role: "system", content: "", sections, timestamp: ports.now() } }];
}

function sectionsOf({ session }: RunParts): Readonly<Record<string, string>> {
  const said = Object.entries(mergeSystemMessages(session.branch)?.sections ?? {});
  return Object.fromEntries(said.filter((each): each is [string, string] => typeof each[1] === "string"));
}

function createStartEvent(parts: RunParts): BeforeAgentStartEvent {
  const { entries } = parts.session.branch;
  const last = entries.findLast((entry) => entry.type === "message" && entry.message.role === "user");
  const prompt = last?.type === "message" && last.message.role === "user" ? last.message.content : "";
  return { type: "before_agent_start", prompt: structuredClone(prompt), sections: sectionsOf(parts) };
}
