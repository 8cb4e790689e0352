/** The prompt templates there are: the user's own, and those of the project where it is trusted. Of two with one name the nearer counts, and a command before all. */

import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { type TrustedFolder, trustedFiles } from "../../home/trust/trusted-folder.ts";
import { bytesAt } from "../skills/user-skills.ts";
import { type Template, type TemplateFile, templateIn } from "./template.ts";

export interface TemplatePlaces {
  /** Pith's home. */
  readonly home: string;
  readonly trusted: TrustedFolder;
  /** Names that mean something else already. */
  readonly taken: readonly string[];
  /** Folders beside those, which count less. */
  readonly more?: readonly string[];
}

export interface FoundTemplates {
  /** By name. */
  readonly templates: readonly Template[];
  readonly notes: readonly string[];
}

export async function findTemplates({ home, trusted, taken, more = [] }: TemplatePlaces): Promise<FoundTemplates> {
  const own = await Promise.all([...more, join(home, "prompts")].map(ofUser));
  const read = [...own.flatMap(({ files }) => files), ...ofProject(trusted)].map(templateIn);
  const notes = [...own, ...read].flatMap((each) => each.notes);
  const byName = new Map<string, Template>();
  for (const { template } of read) {
    if (!template) continue;
    const { name, path } = template;
    const farther = byName.get(name);
    if (taken.includes(name)) notes.push(`${path} is never used: /${name} is a command; give it another name`);
    else byName.set(name, template);
    if (farther) notes.push(`there are two templates /${name}: ${path} counts, ${farther.path} does not`);
  }
  return { templates: [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1)), notes };
}

interface TemplateFiles {
  readonly files: readonly TemplateFile[];
  readonly notes: readonly string[];
}

async function ofUser(folder: string): Promise<TemplateFiles> {
  // Where it cannot be looked into, there is nothing.
  const names = (await readdir(folder).catch(() => [])).filter(isTemplate).sort();
  const files: TemplateFile[] = [];
  const notes = names.length > MOST ? [`${folder} has more than ${MOST} templates; the others are left out`] : [];
  for (const path of names.slice(0, MOST).map((name) => join(folder, name))) {
    const read = await bytesAt(path);
    if (typeof read === "string") notes.push(read);
    else if (read) files.push({ path, bytes: read });
  }
  return { files, notes };
}

const MOST = 500;

function ofProject(trusted: TrustedFolder): readonly TemplateFile[] {
  return trustedFiles(trusted, "prompts").filter(({ path, folder }) => {
    const [, , name = "", ...deeper] = relative(folder, path).split(sep);
    return deeper.length === 0 && isTemplate(name);
  });
}

function isTemplate(name: string): boolean {
  return name.endsWith(".md") && !name.startsWith(".");
}
