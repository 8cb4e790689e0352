/** Runs the hooks that change or handle user input before it is recorded, and those before the first request of a run. */

import {
  type Budget,
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
import { AppendError, appendEntries } from "../append-entries.ts";
import type { RunEnd } from "../events.ts";
import { EXTENSION_SECTION } from "../prompt/system-prompt.ts";
import type { BeforeAgentStartEvent, HookContext, InputEvent, RunHooks } from "./hooks.ts";
import { parseBlocks } from "./parse-content.ts";

type UserContent = UserMessage["content"];

export type InputOutcome =
  | { readonly type: "accepted"; readonly content: UserContent }
  | { readonly type: "handled" }
  | { readonly type: "aborted" }
  /** A hook failed, and the host cancels on failures: the hook may be the one that removes secrets. */
  | { readonly type: "hook-failed" };

export interface InputHookOptions extends Omit<HookContext, "signal"> {
  readonly signal?: AbortSignal | undefined;
}

/** Each hook gets the input as the previous hook left it, with secrets redacted. */
export async function runInputHooks(
  input: UserContent,
  inputKind: InputEvent["as"],
  options: InputHookOptions,
): Promise<InputOutcome> {
  const { hooks, session, runtime, signal } = options;
  let content = input;
  for (const hook of hooks.input ?? []) {
    const createEvent = () => createInputEvent(session.redact(content), inputKind);
    const read = (result: unknown) => parseInputAnswer(result, content);
    const { answers, isCancelled } = await runHooks([hook], createEvent, { host: hooks, runtime, signal, read });
    if (isCancelled) return { type: signal?.aborted ? "aborted" : "hook-failed" };
    const [answer] = answers;
    if (answer?.type === "handled") return answer;
    content = answer?.content ?? content;
  }
  return { type: "accepted", content };
}

/** Runs the input hooks for a message queued during a run. Null if a hook handled it; throws if a hook failed and the host cancels. */
export async function runQueuedInputHooks(
  { kind, content }: Pick<QueuedMessage, "kind" | "content">,
  { hooks = {}, ...options }: Omit<InputHookOptions, "hooks"> & { readonly hooks?: RunHooks },
): Promise<UserContent | null> {
  const outcome = await runInputHooks(content, kind, { ...options, hooks });
  if (outcome.type === "hook-failed") throw new AppendError(INPUT_HOOK_FAILED);
  return outcome.type === "accepted" ? outcome.content : null;
}

/** How a run ends whose input did not reach the model. */
export function toInputRunEnd({ type }: Exclude<InputOutcome, { type: "accepted" }>): RunEnd {
  if (type === "hook-failed") return { type: "failed", why: INPUT_HOOK_FAILED };
  return { type: type === "handled" ? "done" : "aborted" };
}

const INPUT_HOOK_FAILED =
  "an input hook failed, so the message was not sent; fix the hook, then send the message again";

function createInputEvent(content: UserContent, inputKind: InputEvent["as"]): InputEvent {
  const images = imageBlocks(content).map(({ pith: _, ...image }) => image);
  const attachments = splitContent(content).attachments.filter(
    ({ kind, typed }) => kind !== "image" && typed === undefined,
  );
  return structuredClone({ type: "input", text: inputText(content), images, attachments, as: inputKind });
}

function parseInputAnswer(
  result: unknown,
  original: UserContent,
): Extract<InputOutcome, { type: "accepted" | "handled" }> | null {
  if (result === undefined || result === null) return null;
  const { action, text, images } = Object(result) as Readonly<Record<string, unknown>>;
  if (action === "continue") return null;
  if (action === "handled") return { type: "handled" };
  if (action !== "transform") throw new Error("action must be continue, transform or handled");
  if (text !== undefined && typeof text !== "string") throw new Error("text must be a string");
  const newImages = images === undefined ? imageBlocks(original) : parseBlocks(images).filter(isImage);
  const content = replaceTextAndImages(original, { text: text ?? inputText(original), images: newImages });
  if (content.length === 0) throw new Error("the transformed input is empty");
  return { type: "accepted", content };
}

/** WORD2: attachments stay attachments, and the text of a template keeps its mark. */
function replaceTextAndImages(
  original: UserContent,
  { text, images }: { readonly text: string; readonly images: readonly ImageBlock[] },
): UserContent {
  const blocks = typeof original === "string" ? [] : original;
  const attachmentBlocks = blocks.filter((block) => block.type === "text" && isAttachment(block));
  const templateBlock = blocks.find((block) => readAttachmentMark(block)?.typed !== undefined);
  if (images.length === 0 && attachmentBlocks.length === 0 && !templateBlock) return text;
  const textBlock: TextBlock = { type: "text", text, ...(templateBlock?.pith && { pith: templateBlock.pith }) };
  return [...attachmentBlocks, ...(text === "" ? [] : [textBlock]), ...images];
}

/** Returns the typed text or the text of the template, without attachments. */
function inputText(content: UserContent): string {
  if (typeof content === "string") return content;
  const texts = content.flatMap((block) => (block.type === "text" && !isAttachment(block) ? [block.text] : []));
  return texts.join("\n");
}

function isAttachment(block: TextBlock | ImageBlock): boolean {
  const mark = readAttachmentMark(block);
  return mark !== null && mark.typed === undefined;
}

function imageBlocks(content: UserContent): readonly ImageBlock[] {
  return typeof content === "string" ? [] : content.filter(isImage);
}

function isImage(block: { readonly type: string }): block is ImageBlock {
  return block.type === "image";
}

/** Runs the `before_agent_start` hooks, and records their messages and their section of the system prompt. */
export async function runStartHooks(run: HookContext, budget: Budget): Promise<void> {
  const { session, hooks, runtime, signal } = run;
  const startHooks = hooks.before_agent_start ?? [];
  const sections = readSystemSections(session);
  if (startHooks.length === 0 && sections[EXTENSION_SECTION] === undefined) return;
  const tokenAllowance = hookTokenAllowance(session, budget);
  const parseEntries = createHookEntryParser(tokenAllowance);
  const { answers, failures, isCancelled } = await runHooks(startHooks, () => createStartEvent(session), {
    host: hooks,
    runtime,
    signal,
    read: (result) => parseStartAnswer(result, { parseEntries, tokenAllowance }),
  });
  if (isCancelled && signal.aborted) return;
  if (isCancelled) throw new AppendError(START_HOOK_FAILED);
  const sectionTexts = answers.flatMap(({ promptSections }) => promptSections);
  // A hook that failed has not withdrawn its section.
  const sectionText =
    sectionTexts.length > 0 ? sectionTexts.join("\n\n") : failures.length > 0 ? sections[EXTENSION_SECTION] : undefined;
  const drafts = [
    ...createSectionChange(
      sections[EXTENSION_SECTION],
      sectionText === undefined ? undefined : session.redact(sectionText),
      runtime,
    ),
    ...answers.flatMap(({ newEntries }) => newEntries),
  ];
  if (drafts.length > 0) await appendEntries(session, ...drafts);
}

const START_HOOK_FAILED = "a before_agent_start hook failed, so the run did not start; fix the hook, then continue";

interface StartAnswer {
  readonly promptSections: readonly string[];
  readonly newEntries: readonly NewEntry[];
}

function parseStartAnswer(
  result: unknown,
  {
    parseEntries,
    tokenAllowance,
  }: { readonly parseEntries: ReturnType<typeof createHookEntryParser>; readonly tokenAllowance: number },
): StartAnswer | null {
  if (result === undefined || result === null) return null;
  const { message, systemPrompt } = Object(result) as Readonly<Record<string, unknown>>;
  if (systemPrompt !== undefined && systemPrompt !== null && typeof systemPrompt !== "string")
    throw new Error("systemPrompt must be a string");
  const promptSections = systemPrompt ? [systemPrompt] : [];
  if (promptSections.some((text) => textTokens(text) > tokenAllowance))
    throw new Error(`systemPrompt has more than ${tokenAllowance} tokens`);
  const entries = message === undefined || message === null ? [] : [{ ...Object(message), type: "custom_message" }];
  return { promptSections, newEntries: parseEntries({ entries }) ?? [] };
}

// The beginning of the request stays unchanged, so that the prompt cache keeps working: the change is appended.
function createSectionChange(
  currentText: string | undefined,
  newText: string | undefined,
  runtime: Pick<Runtime, "now">,
): readonly NewEntry[] {
  if (currentText === newText) return [];
  const sections = { [EXTENSION_SECTION]: newText ?? null };
  return [{ type: "message", message: { role: "system", content: "", sections, timestamp: runtime.now() } }];
}

function readSystemSections(session: Session): Readonly<Record<string, string>> {
  const sectionEntries = Object.entries(mergeSystemMessages(session.branch)?.sections ?? {});
  return Object.fromEntries(
    sectionEntries.filter((sectionEntry): sectionEntry is [string, string] => typeof sectionEntry[1] === "string"),
  );
}

function createStartEvent(session: Session): BeforeAgentStartEvent {
  const { entries } = session.branch;
  const lastUserEntry = entries.findLast((entry) => entry.type === "message" && entry.message.role === "user");
  const prompt =
    lastUserEntry?.type === "message" && lastUserEntry.message.role === "user" ? lastUserEntry.message.content : "";
  return { type: "before_agent_start", prompt: structuredClone(prompt), sections: readSystemSections(session) };
}
