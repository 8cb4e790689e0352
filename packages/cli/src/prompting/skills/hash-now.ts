/** Whether a skill is still what was loaded: the hash of its file at this moment. */

import type { Skill, SkillFiles } from "@pith/agent";
import { hashOf } from "../../home/trust/holding/hash-of.ts";

/** Only files that are skills now are looked at: what a session names may be anything. */
export function skillFiles(skills: () => readonly Pick<Skill, "path">[]): SkillFiles {
  return {
    async hashNow(path) {
      if (!skills().some((skill) => skill.path === path)) return null;
      const { bytesAt } = await import("./user-skills.ts");
      const bytes = await bytesAt(path);
      return bytes instanceof Uint8Array ? hashOf(bytes) : null;
    },
  };
}
