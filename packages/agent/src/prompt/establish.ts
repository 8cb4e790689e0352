/** What must have been said before the first word: who the model is and what it can do, where it works and when. What the log has already is not said again. */

import { foldedSystem, type Ports, type Session, type ThinkingLevel } from "@pith/context";
import { appended } from "../append.ts";
import type { Tool } from "../tool.ts";
import { surroundings } from "./surroundings.ts";
import { systemChange } from "./system-change.ts";
import { type PromptParts, systemMessage } from "./system-message.ts";

export interface Beginning extends Omit<PromptParts, "tools"> {
  /** Where it works. */
  readonly folder: string;
}

export interface EstablishParts {
  readonly session: Session;
  readonly tools: readonly Tool[];
  readonly ports: Ports;
  readonly beginning?: Beginning | undefined;
  readonly thinking?: ThinkingLevel | undefined;
}

export async function establish({ session, tools, ports, beginning, thinking }: EstablishParts): Promise<void> {
  await session.settle();
  const now = ports.now();
  if (beginning) {
    const { folder, ...prompt } = beginning;
    const change = systemChange(foldedSystem(session.window), systemMessage({ ...prompt, tools }, now));
    const place = surroundings(session.window, { folder, now });
    const said = change ? [{ type: "message" as const, message: change }] : [];
    if (change || place) await appended(session, ...said, ...(place ? [place] : []));
  }
  if (thinking && session.window.state.thinkingLevel !== thinking)
    await appended(session, { type: "thinking_level_change", thinkingLevel: thinking });
}
