/** The catalogue of skills kept short, because it stands in every request: where there are many, each says less, and none is left out in silence. */

import type { Skill } from "@pith/agent";
import { clipped } from "../../printing/clipped.ts";

/** Bytes of all lines. */
export const MOST_IN_CATALOGUE: number = 16 * 1024;

export interface Catalogue {
  readonly skills: readonly Skill[];
  readonly notes: readonly string[];
}

export function boundedSkills(found: readonly Skill[]): Catalogue {
  const letters = LENGTHS.find((most) => weight(shortened(found, most)) <= MOST_IN_CATALOGUE);
  if (letters !== undefined) {
    const skills = shortened(found, letters);
    return { skills, notes: letters === LENGTHS[0] ? [] : [`${found.length} skills are many: ${SHORTER}`] };
  }
  const skills = firstThatFit(shortened(found, LENGTHS.at(-1) ?? 0));
  const left = found.length - skills.length;
  return { skills, notes: [`${found.length} skills are too many: ${SHORTER}, and not told of the last ${left}`] };
}

/** Letters of each description: what a skill may have, and then less and less. */
const LENGTHS: readonly number[] = [1024, 400, 200, 100];
const SHORTER = "the model is told only the first words on each";

function shortened(skills: readonly Skill[], letters: number): readonly Skill[] {
  return skills.map(({ name, description, path }) => ({ name, path, description: clipped(description, letters) }));
}

function firstThatFit(skills: readonly Skill[]): readonly Skill[] {
  let room = MOST_IN_CATALOGUE;
  const over = skills.findIndex((skill) => {
    room -= weight([skill]);
    return room < 0;
  });
  return over < 0 ? skills : skills.slice(0, over);
}

function weight(skills: readonly Skill[]): number {
  return skills.reduce(
    (sum, { name, description, path }) => sum + Buffer.byteLength(name + description + path) + FRAME,
    0,
  );
}

/** Of a line: what stands between its parts. */
const FRAME = 8;
