/** What an agent is guided by and can be read anew while it works: settings, the texts of the project, skills and prompt templates. */

import type { Agent, Beginning, LimitsFor, SkillFiles } from "@pith/agent";
import type { Wish } from "../asking/wish.ts";
import type { Templates } from "../commands/command.ts";
import { type LimitsWish, limitsOf } from "../home/limits.ts";
import type { Settings } from "../home/settings.ts";
import type { TrustedFolder } from "../home/trust/trusted-folder.ts";
import { skillFiles } from "../prompting/skills/hash-now.ts";
import { type Guidance, type MoreFolders, readGuidance, readsOf } from "./guidance.ts";
import type { ReloadParts, Standing } from "./reloading.ts";

export interface GuidedParts extends Pick<ReloadParts, "cwd" | "home" | "userHome" | "mayRead" | "environment"> {
  readonly wish: Wish;
  readonly choices: Settings;
  /** What of this folder counts; absent: nothing. */
  readonly trusted: TrustedFolder | undefined;
  /** Folders that extensions name beside the usual ones. */
  readonly more?: MoreFolders;
  /** For people. */
  readonly note: (line: string) => void;
}

export interface Guided extends SkillFiles {
  /** As it is at this moment. */
  readonly standing: Readonly<Standing>;
  readonly limits: LimitsFor;
  /** The name of the skill whose text lies there; null for every other file. */
  skillAt(path: string): string | null;
}

export interface Guide {
  /** What is said by its name: prompt templates and skills. */
  readonly templates: Templates;
  /** Reads all of it anew; what has changed, for people. */
  readonly reload: () => Promise<readonly string[]>;
  /** What is set at this moment. */
  readonly standing: () => Readonly<Pick<Standing, "choices" | "sources">>;
}

export async function guided(parts: GuidedParts): Promise<Guided> {
  const { choices, trusted = untrusted(parts.cwd) } = parts;
  const guidance = await readGuidance({ ...parts, trusted, reads: readsOf(choices) });
  const standing: Standing = { choices, trusted, guidance };
  return {
    standing,
    limits: (to) => limitsOf(standing.choices.compaction, agentOf(parts.wish))(to),
    skillAt: (path) => standing.guidance.skills.find((skill) => skill.path === path)?.name ?? null,
    ...skillFiles(() => standing.guidance.skills),
  };
}

function agentOf({ agent }: Wish): LimitsWish {
  return agent === undefined ? {} : { agent };
}

/** Loaded when somebody asks for it: most calls name no template and reload nothing. */
export function guideOf(
  agent: Agent,
  { standing }: Guided,
  parts: GuidedParts & { readonly beginning: (guidance: Guidance) => Beginning },
): Guide {
  const templates = once(async () => {
    const [{ templatesIn }, { commands }] = await Promise.all([
      import("../prompting/templates/templates.ts"),
      import("../commands/commands.ts"),
    ]);
    const taken = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    const places = () => ({ home: parts.home, trusted: standing.trusted, taken, more: parts.more?.prompts ?? [] });
    return templatesIn({
      agent,
      skills: () => standing.guidance.skills,
      places,
      note: parts.note,
    });
  });
  return {
    standing: () => standing,
    templates: {
      filled: async (name, words) => (await templates()).filled(name, words),
      list: async () => (await templates()).list(),
    },
    reload: async () => {
      const { reload } = await import("./reloading.ts");
      const { choices: flags, trusts } = parts.wish;
      return await reload(standing as Standing, { ...parts, agent, flags, trusts });
    },
  };
}

function untrusted(root: string): TrustedFolder {
  const holds = { root, folders: [], files: [], unread: [] };
  return { type: "untrusted", why: "never", holds, changes: [], notes: [] };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}
