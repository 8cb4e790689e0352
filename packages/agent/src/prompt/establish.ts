/** What must have been said before the first word: who the model is and what it can do, where it works and when. What the log has already is not said again. */

import {
  type Drafted,
  foldedSystem,
  type ModelName,
  type Ports,
  type Session,
  type ThinkingLevel,
} from "@pith/context";
import { appended } from "../append.ts";
import type { Tool } from "../tool.ts";
import { withExtension } from "./extension-section.ts";
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
  /** Who will speak: known from the log also where no reply ever comes. */
  readonly model: ModelName;
  readonly ports: Ports;
  readonly beginning?: Beginning | undefined;
  readonly thinking?: ThinkingLevel | undefined;
}

export async function establish(parts: EstablishParts): Promise<void> {
  const { session, beginning, thinking } = parts;
  await session.settle();
  const said = [
    ...(beginning ? beginningOf(beginning, parts) : []),
    ...(thinking && session.window.state.thinkingLevel !== thinking ? [levelOf(thinking)] : []),
  ];
  if (said.length > 0) await appended(session, ...said);
}

function beginningOf({ folder, ...prompt }: Beginning, { session, tools, model, ports }: EstablishParts): Drafted[] {
  const { window } = session;
  const now = ports.now();
  const before = foldedSystem(window);
  const change = systemChange(
    before,
    withExtension(session.redacted(systemMessage({ ...prompt, tools }, now)), before),
  );
  const place = surroundings(window, { folder: session.redacted(folder), now });
  const speaker = window.state.model;
  const isKnown = speaker?.provider === model.provider && speaker.modelId === model.model;
  return [
    ...(change ? [{ type: "message" as const, message: change }] : []),
    ...(place ? [place] : []),
    ...(isKnown ? [] : [{ type: "model_change" as const, provider: model.provider, modelId: model.model }]),
  ];
}

function levelOf(thinkingLevel: ThinkingLevel): Drafted {
  return { type: "thinking_level_change", thinkingLevel };
}
