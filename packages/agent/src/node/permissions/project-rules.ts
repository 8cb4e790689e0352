/** Rules that the user wants remembered for a project: in one file of pith's own, never in the project, which could else permit itself anything. */

import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { parseRule, type Rule } from "../../permissions/rules/rule.ts";
import { setAside } from "../disk/believed-text.ts";
import { refusal } from "../disk/disk-refusal.ts";
import { ownFile } from "../disk/own-files.ts";
import { syncFolder } from "../disk/take-place.ts";
import { inOrder } from "./in-order.ts";
import { type Kept, type ReadRules, readRulesFile } from "./rules-file.ts";

export interface ProjectRulesParts {
  /** The file, in pith's home. */
  readonly file: string;
  /** Whose rules they are: a folder by its absolute path, links followed. */
  readonly workspace: string;
  /** Told, in a sentence for the user, what was not believed or could not be kept. */
  readonly tell: (note: string) => void;
  /** Tools of the host's own, on which there may be rules. */
  readonly tools?: readonly string[];
}

export interface ProjectRules {
  /** What was remembered for this workspace. */
  recall(): Promise<readonly Rule[]>;
  /** Keeps one more; those that other programs keep at the same time stay. */
  remember(rule: Rule): Promise<void>;
}

/** Every rule in the file allows something; what is denied or asked stands in the settings. */
export function projectRules(parts: ProjectRulesParts): ProjectRules {
  const { file, tell } = parts;
  return {
    async recall() {
      try {
        return await recall(parts);
      } catch (error) {
        tell(`no remembered rule counts: ${refusal(error, { act: "read", shown: file })}`);
        return [];
      }
    },
    async remember(rule) {
      try {
        await remember(rule, parts);
      } catch (error) {
        tell(
          `${rule.text} counts until the end of this session only: ${refusal(error, { act: "written", shown: file })}`,
        );
      }
    },
  };
}

async function recall(parts: ProjectRulesParts): Promise<readonly Rule[]> {
  const read = await readRulesFile(parts.file);
  // Only what is to be moved needs a turn: a home that is read-only can be read all the same.
  const kept = read.type === "damaged" ? await inOrder(parts.file, () => believed(parts)) : await keptOf(read, parts);
  return textsFor(parts.workspace, kept).flatMap((text) => {
    const parsed = parseRule(text, { tools: parts.tools ?? [] });
    if (parsed.type === "mistake") parts.tell(`a remembered rule does not count: ${parsed.message}`);
    return parsed.type === "rule" ? [parsed.rule] : [];
  });
}

async function remember({ text }: Rule, parts: ProjectRulesParts): Promise<void> {
  const { file, workspace } = parts;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await inOrder(file, async (isOurTurn) => {
    const kept = await believed(parts);
    const texts = textsFor(workspace, kept);
    if (kept === null || texts.includes(text)) return;
    const next: Kept = { ...kept, projects: { ...kept.projects, [workspace]: [...texts, text] } };
    const bytes = new TextEncoder().encode(`${JSON.stringify(next, null, 2)}\n`);
    await ownFile(file, bytes, { last: () => unlessTaken(isOurTurn) });
    await syncFolder(dirname(file));
  });
}

async function unlessTaken(isOurTurn: () => Promise<boolean>): Promise<void> {
  if (!(await isOurTurn())) throw new Error("another program took our turn; try again");
}

/** Only for whose turn it is: what is set aside must be what was read. */
async function believed(parts: ProjectRulesParts): Promise<Kept | null> {
  return await keptOf(await readRulesFile(parts.file), parts);
}

/** Null where the file is not to be believed, and so not to be written either. */
async function keptOf(read: ReadRules, { file, tell }: ProjectRulesParts): Promise<Kept | null> {
  switch (read.type) {
    case "read":
      return read.kept;
    case "unbelieved":
      tell(`${read.why}, so no rule in it counts and none is added`);
      return null;
    case "damaged":
      tell(`${read.why}; it was set aside as ${await setAside(file)}, and no rule in it counts`);
      return { version: 1, projects: {} };
  }
}

function textsFor(workspace: string, kept: Kept | null): readonly string[] {
  return kept && Object.hasOwn(kept.projects, workspace) ? (kept.projects[workspace] ?? []) : [];
}
