/** A skill: instructions for one sort of task, in a file that is read when the task comes up. Nothing in it permits anything. */

export interface Skill {
  readonly name: string;
  /** When it is of use, on one line. */
  readonly description: string;
  /** Absolute. */
  readonly path: string;
}

/** One that is loaded, as it is at this moment. */
export interface SkillText extends Omit<Skill, "description"> {
  readonly text: string;
  /** SHA-256 of its bytes, in hexadecimal digits. */
  readonly hash: string;
}

/** The port to where skills lie. */
export interface SkillFiles {
  /** What the hash of a file would be now; null where it is gone or cannot be read. */
  hashNow(path: string): Promise<string | null>;
}
