/** What a person says, before anything of it is kept: hooks may say it otherwise, or see to it themselves. Each hears what the one before it left. */

import { answersOf, type ImageBlock, type Ports, type Queued, type Session, type UserMessage } from "@pith/context";
import { NotWritten } from "../append.ts";
import type { RunEnd } from "../events.ts";
import type { InputEvent, RunHooks } from "./run-hooks.ts";
import { soundBlocks } from "./sound-content.ts";

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
  readonly ports: Pick<Ports, "sleep">;
  readonly signal?: AbortSignal | undefined;
}

export async function heardInput(said: Said, as: InputEvent["as"], parts: InputParts): Promise<Heard> {
  const { hooks, session, ports, signal } = parts;
  let content = said;
  for (const hook of hooks.input ?? []) {
    const { answers, isCancelled } = await answersOf([hook], () => eventOf(session.redacted(content), as), {
      host: hooks,
      ports,
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
  { kind, content }: Pick<Queued, "kind" | "content">,
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
  return { type: "input", text: textIn(content), images: structuredClone(imagesIn(content)), as };
}

function answerIn(result: unknown, before: Said): Extract<Heard, { type: "said" | "handled" }> | null {
  if (result === undefined || result === null) return null;
  const { action, text, images } = Object(result) as Readonly<Record<string, unknown>>;
  if (action === "continue") return null;
  if (action === "handled") return { type: "handled" };
  if (action !== "transform") throw new Error("its action is neither continue, transform nor handled");
  if (text !== undefined && typeof text !== "string") throw new Error("its text is no text");
  const shown = images === undefined ? imagesIn(before) : soundBlocks(images).filter(isImage);
  const content = joined(text ?? textIn(before), shown);
  if (content.length === 0) throw new Error("it leaves nothing to say");
  return { type: "said", content };
}

function joined(text: string, images: readonly ImageBlock[]): Said {
  if (images.length === 0) return text;
  return text === "" ? images : [{ type: "text", text }, ...images];
}

function textIn(content: Said): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function imagesIn(content: Said): readonly ImageBlock[] {
  return typeof content === "string" ? [] : content.filter(isImage);
}

function isImage(block: { readonly type: string }): block is ImageBlock {
  return block.type === "image";
}
