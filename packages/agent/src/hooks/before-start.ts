/** Before the first request of a run: hooks may put a message behind what was said, and a section of their own into what the model is told first. */

import { addingUpTo, answersOf, type Drafted, foldedSystem, type Ports, roomForHooks, textTokens } from "@pith/context";
import { appended, NotWritten } from "../append.ts";
import { budgetOf } from "../loop/fitting/budget-of.ts";
import type { RunParts } from "../loop/run-parts.ts";
import { EXTENSION } from "../prompt/extension-section.ts";
import type { BeforeAgentStartEvent } from "./run-hooks.ts";

export async function beforeStart(parts: RunParts): Promise<void> {
  const { session, hooks, ports, signal } = parts;
  const asked = hooks.before_agent_start ?? [];
  const sections = sectionsOf(parts);
  if (asked.length === 0 && sections[EXTENSION] === undefined) return;
  const room = roomForHooks(session, budgetOf(parts));
  const adding = addingUpTo(room);
  const { answers, failures, isCancelled } = await answersOf(asked, () => eventOf(parts), {
    host: hooks,
    ports,
    signal,
    read: (result) => answerIn(result, { adding, room }),
  });
  if (isCancelled && signal.aborted) return;
  if (isCancelled) throw new NotWritten(UNWATCHED);
  const texts = answers.flatMap(({ section }) => section);
  // One that failed has not said that it is over.
  const wanted = texts.length > 0 ? texts.join("\n\n") : failures.length > 0 ? sections[EXTENSION] : undefined;
  const drafts = [
    ...sectionChange(sections[EXTENSION], wanted === undefined ? undefined : session.redacted(wanted), ports),
    ...answers.flatMap(({ added }) => added),
  ];
  if (drafts.length > 0) await appended(session, ...drafts);
}

const UNWATCHED = "a hook that watches over every run failed, so this one did not begin; mend it, and go on";

interface Answer {
  readonly section: readonly string[];
  readonly added: readonly Drafted[];
}

function answerIn(
  result: unknown,
  { adding, room }: { readonly adding: ReturnType<typeof addingUpTo>; readonly room: number },
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
  ports: Pick<Ports, "now">,
): readonly Drafted[] {
  if (before === wanted) return [];
  const sections = { [EXTENSION]: wanted ?? null };
  return [{ type: "message", message: { role: "system", content: "", sections, timestamp: ports.now() } }];
}

function sectionsOf({ session }: RunParts): Readonly<Record<string, string>> {
  const said = Object.entries(foldedSystem(session.window)?.sections ?? {});
  return Object.fromEntries(said.filter((each): each is [string, string] => typeof each[1] === "string"));
}

function eventOf(parts: RunParts): BeforeAgentStartEvent {
  const { entries } = parts.session.window;
  const last = entries.findLast((entry) => entry.type === "message" && entry.message.role === "user");
  const prompt = last?.type === "message" && last.message.role === "user" ? last.message.content : "";
  return { type: "before_agent_start", prompt: structuredClone(prompt), sections: sectionsOf(parts) };
}
