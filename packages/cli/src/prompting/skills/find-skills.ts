/** The skills there are: the user's own, and those of the project where it is trusted. Of two with one name the nearer counts. */

import { join, relative, sep } from "node:path";
import { type TrustedFolder, trustedFiles } from "../../home/trust/trusted-folder.ts";
import { type FoundSkill, type SkillFile, skillIn } from "./skill-in.ts";
import { SKILL_FILE, userSkills } from "./user-skills.ts";

export interface SkillPlaces {
  /** What `~` stands for. */
  readonly userHome: string;
  /** Pith's home. */
  readonly home: string;
  readonly trusted: TrustedFolder;
  /** Folders beside those, which count less. */
  readonly more?: readonly string[];
}

export interface FoundSkills {
  /** By name. */
  readonly skills: readonly FoundSkill[];
  /** For people: what is wrong with some of them. */
  readonly notes: readonly string[];
}

export async function findSkills({ userHome, home, trusted, more = [] }: SkillPlaces): Promise<FoundSkills> {
  const folders = [...more, join(userHome, ".agents", "skills"), join(home, "skills")];
  const own = await Promise.all(folders.map(userSkills));
  const files = [...own.flatMap((each) => each.files), ...ofProject(trusted)];
  const read = files.map(skillIn);
  const { skills, notes } = nearest(read.flatMap(({ skill }) => skill ?? []));
  const faults = [...own, ...read].flatMap((each) => each.notes);
  return { skills, notes: [...faults, ...notes, ...toolNotes(skills)] };
}

/** Those of the root first; in a folder, Pith's own last. */
function ofProject(trusted: TrustedFolder): readonly SkillFile[] {
  const files = trustedFiles(trusted, "skills").flatMap(({ path, folder, bytes }) => {
    const [place = "", , name = "", file, ...deeper] = relative(folder, path).split(sep);
    return file === SKILL_FILE && deeper.length === 0 ? [{ path, folder: name, bytes, around: folder, place }] : [];
  });
  const order = [...new Set(files.map(({ around }) => around))];
  return files.toSorted(
    (one, other) =>
      order.indexOf(one.around) - order.indexOf(other.around) || one.place.localeCompare(other.place, "en"),
  );
}

/** `found` has the nearest last. */
function nearest(found: readonly FoundSkill[]): FoundSkills {
  const byName = new Map<string, FoundSkill>();
  const notes: string[] = [];
  for (const skill of found) {
    const farther = byName.get(skill.name);
    if (farther) notes.push(`there are two skills ${skill.name}: ${skill.path} counts, ${farther.path} does not`);
    byName.set(skill.name, skill);
  }
  return { skills: [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1)), notes };
}

function toolNotes(skills: readonly FoundSkill[]): readonly string[] {
  const wishing = skills.filter(({ wantsTools }) => wantsTools).map(({ name }) => name);
  return wishing.length === 0 ? [] : [`allowed-tools of ${wishing.join(", ")}: a skill grants no permission`];
}
