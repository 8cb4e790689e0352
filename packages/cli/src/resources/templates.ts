/** Finds and parses prompt templates and fills in their arguments. Nothing in a template runs. */

import { readdir } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { type Agent, decodeText, type UserContent } from "@pith/agent";
import { attachText } from "@pith/context/host";
import { clipped, plain } from "../text/safe-text.ts";
import { type TrustedFolder, trustedFiles } from "../trust/trust.ts";
import { frontMatter } from "./front-matter.ts";
import { bytesAt, type FoundSkill } from "./skills.ts";

/**
 * Filled in once, so that words that look like a place stay as typed.
 * Where it has no place for words, they stand behind it: nothing that was typed is lost.
 */
export function expanded(text: string, words: string): string {
  const parts = wordsIn(words);
  let hasPlace = false;
  const filled = text.replace(PLACES, (...found: readonly (string | undefined)[]) => {
    const [, number, from, count] = found;
    hasPlace = true;
    if (number !== undefined) return parts[Number(number) - 1] ?? "";
    if (from === undefined) return words;
    const first = Math.max(0, Number(from) - 1);
    return parts.slice(first, count === undefined ? undefined : first + Number(count)).join(" ");
  });
  return hasPlace || words === "" ? filled : `${filled}\n\n${words}`;
}

/** `$1` to `$9`, `$@` or `$ARGUMENTS` for all, `${@:2}` for all from the second on, `${@:2:3}` for three of those. */
const PLACES = /\$(?:([1-9])(?!\d)|@|ARGUMENTS\b|\{@:(\d{1,4})(?::(\d{1,4}))?\})/g;

/** As a shell would part them, with quotes around what belongs together; a quote without an end is a letter. */
export function wordsIn(words: string): readonly string[] {
  const parts: string[] = [];
  for (const [whole, double, single] of words.matchAll(/"([^"]*)"(?!\S)|'([^']*)'(?!\S)|\S+/g))
    parts.push(double ?? single ?? whole);
  return parts;
}

export interface Template {
  /** Without its slash. */
  readonly name: string;
  /** What it is for, in one line. */
  readonly says: string;
  /** What may stand behind it, such as `<issue>`; empty where nobody said. */
  readonly takes: string;
  readonly text: string;
  readonly path: string;
}

export interface TemplateFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export interface TemplateIn {
  /** Null where it is none. */
  readonly template: Template | null;
  readonly notes: readonly string[];
}

export function templateIn({ path, bytes }: TemplateFile): TemplateIn {
  const name = basename(path, ".md");
  const written = decodeText(bytes);
  if (written === null) return unused(path, "is no text");
  if (!NAME.test(name)) return unused(path, "has a name that cannot be typed; take letters, digits and dashes");
  const { fields, body, fault } = frontMatter(written);
  if (fault !== null) return unused(path, fault);
  const text = plain(body).trim();
  if (text === "") return unused(path, "says nothing");
  const field = (of: string): string => clipped(plain(fields.get(of) ?? ""), LONGEST);
  const says = field("description") || clipped(text.split("\n", 1)[0] ?? "", LONGEST);
  return { template: { name, says, takes: field("argument-hint"), text, path }, notes: [] };
}

const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?$/u;

const LONGEST = 200;

function unused(path: string, why: string): TemplateIn {
  return { template: null, notes: [`${path} ${why}, so it is no template`] };
}

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

/** Of two with one name the nearer counts, and a command before all. */
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

export interface TemplateParts {
  readonly agent: Pick<Agent, "attachSkill">;
  /** As they are at this moment. */
  readonly skills: () => readonly FoundSkill[];
  readonly places: () => TemplatePlaces;
  /** For people. */
  readonly note: (line: string) => void;
}

/** Files are looked for when a name is said, and told of faults once. */
export function templatesIn({ agent, skills, places, note }: TemplateParts): Templates {
  const told = new Set<string>();
  const find = async (): Promise<FoundTemplates["templates"]> => {
    const { templates, notes } = await findTemplates(places());
    for (const line of notes) if (!told.has(line)) note(line);
    for (const line of notes) told.add(line);
    return templates;
  };
  return {
    async filled(name, words) {
      const skill = skills().find((each) => name === `${SKILL}${each.name}`);
      if (skill) {
        await agent.attachSkill(skill);
        const text = [`Follow the skill ${skill.name}.`, words].filter((part) => part !== "").join("\n\n");
        return [attachText({ kind: "skill", name: skill.name, typed: commandLine(name, words) }, text)];
      }
      const template = (await find()).find((each) => each.name === name);
      const text = template ? expanded(template.text, words).trim() : null;
      if (text === null || text === "") return text;
      // WORD7: the text comes from a file, perhaps of the repository; the user's word is the line that was typed.
      return [attachText({ kind: "template", name, typed: commandLine(name, words) }, text)];
    },
    async list() {
      const named = (await find()).map(({ name, takes, says }) => ({ name, says: takes ? `${takes}: ${says}` : says }));
      return [...named, ...skills().map(({ name, description }) => ({ name: `${SKILL}${name}`, says: description }))];
    },
  };
}

const SKILL = "skill:";

const commandLine = (name: string, words: string): string => `/${name}${words === "" ? "" : ` ${words}`}`;

/** Texts of the user that are said to the model by `/name words`. */
export interface Templates {
  /** What is said then; null where none has this name. */
  filled(name: string, words: string): Promise<UserContent | null>;
  list(): Promise<readonly { readonly name: string; readonly says: string }[]>;
}
