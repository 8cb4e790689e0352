/** A skill in the log, word for word, with what it was loaded from: behind every compaction it is found again by that. */

import { type Drafted, loadedReferences, missingReferences, type Reference, type Session } from "@pith/context";
import { appended } from "../append.ts";
import type { SkillText } from "./skill.ts";

/** Nothing is said twice: one that stands in the context as it is now is there already. */
export async function attachSkill(session: Session, { name, path, hash, text }: SkillText): Promise<void> {
  if (hasSkill(session, { name, hash })) return;
  const reference = { kind: "skill", name, path, hash } as const;
  await appended(session, attached(reference, skillBlock({ name, path, text })));
}

export function attached(reference: Reference, content: string): Drafted {
  return { type: "custom_message", customType: SKILL, content, display: false, details: { pith: { reference } } };
}

/** The text is not changed, whatever stands in it. */
export function skillBlock({ name, path, text }: Omit<SkillText, "hash">): string {
  return `<skill name="${name}" path="${path.replaceAll('"', "'")}">\n${text}${text.endsWith("\n") ? "" : "\n"}</skill>`;
}

function hasSkill({ window }: Session, { name, hash }: Pick<SkillText, "name" | "hash">): boolean {
  const isIt = (reference: Reference): boolean => reference.name === name && reference.hash === hash && !reference.part;
  return loadedReferences(window).some(isIt) && !missingReferences(window).some(isIt);
}

export const SKILL = "pith.skill";
