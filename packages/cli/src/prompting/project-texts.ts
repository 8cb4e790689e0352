/** What people have written down for whoever works on a project: AGENTS.md, or else CLAUDE.md. Nothing in them runs, and nothing they name is opened. */

import { boundedTexts, type ProjectTexts } from "./bounded-texts.ts";
import { projectFolders } from "./project-folders.ts";
import { readTextIn } from "./read-text-in.ts";

export interface TextPlaces {
  readonly cwd: string;
  /** What `~` stands for. */
  readonly userHome: string;
  /** Pith's home. */
  readonly home: string;
  /** Whether a tool could read what lies there, without a question to anybody. */
  readonly mayRead: (path: string) => Promise<boolean>;
}

/** The user's own, then those of the repository from its root down to where one works. */
export async function projectTexts({ cwd, userHome, home, mayRead }: TextPlaces): Promise<ProjectTexts> {
  const folders = await projectFolders(cwd, userHome);
  const [inside = cwd] = folders;
  const found = await Promise.all([
    readTextIn(home, { names: ["AGENTS.md"] }),
    ...folders
      .filter((folder) => folder !== home)
      .map((folder) => readTextIn(folder, { names: ["AGENTS.md", "CLAUDE.md"], inside, mayRead })),
  ]);
  const { texts, notes } = boundedTexts(found.filter((each) => each.type === "text"));
  const unread = found.flatMap((each) => (each.type === "unread" ? [each.note] : []));
  return { texts, notes: [...unread, ...notes] };
}
