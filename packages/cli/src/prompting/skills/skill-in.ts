/** The bytes of a SKILL.md as a skill, or why they are none. What it says of tools it may use grants nothing. */

import { type Skill, type SkillText, textOf } from "@pith/agent";
import { hashOf } from "../../home/trust/holding/hash-of.ts";
import { clipped } from "../../printing/clipped.ts";
import { plain } from "../../printing/plain.ts";
import { frontMatter } from "../front-matter.ts";

/** A skill with its text: what is found is what is told. */
export interface FoundSkill extends Skill, SkillText {
  /** Whether it names tools that it would like to use freely. */
  readonly wantsTools: boolean;
}

export interface SkillFile {
  readonly path: string;
  /** The name of the folder it lies in. */
  readonly folder: string;
  readonly bytes: Uint8Array;
}

export interface SkillIn {
  /** Null where it is none. */
  readonly skill: FoundSkill | null;
  /** For people: what is wrong with it. */
  readonly notes: readonly string[];
}

export function skillIn({ path, folder, bytes }: SkillFile): SkillIn {
  const text = textOf(bytes);
  if (text === null) return unused(path, "is no text");
  const { fields, fault } = frontMatter(text);
  if (fault !== null) return unused(path, fault);
  if (!NAME.test(folder) || folder.length > LONGEST_NAME)
    return unused(path, `lies in a folder whose name is no ${WANTED}`);
  const said = oneLine(fields.get("description") ?? "");
  if (said === "") return unused(path, "has no description; begin it with --- name: …, description: … and ---");
  const description = clipped(said, LONGEST);
  const wantsTools = fields.has("allowed-tools");
  const skill = { name: folder, description, path, text: plain(text), hash: hashOf(bytes), wantsTools };
  return { skill, notes: faultsIn({ path, folder, said, name: fields.get("name") }) };
}

/** As the standard has it: lower case, digits and single dashes. */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const LONGEST_NAME = 64;
const WANTED = `skill's name: at most ${LONGEST_NAME} of a-z, 0-9 and single dashes between them`;
const LONGEST = 1024;

interface Told extends Omit<SkillFile, "bytes"> {
  readonly said: string;
  readonly name: string | undefined;
}

function faultsIn({ path, folder, said, name }: Told): readonly string[] {
  const shown = plain(name ?? "").slice(0, LONGEST_NAME);
  return [
    ...(name === folder ? [] : [`${path} names itself ${shown || "nothing"}; it is known by its folder, ${folder}`]),
    ...(said.length > LONGEST ? [`${path} has a description of more than ${LONGEST} letters, which is cut`] : []),
  ];
}

function oneLine(text: string): string {
  return plain(text.replace(/\s+/g, " ").trim());
}

function unused(path: string, why: string): SkillIn {
  return { skill: null, notes: [`${path} ${why}, so it is no skill`] };
}
