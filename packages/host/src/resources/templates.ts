/** Finds and parses prompt templates and fills in their arguments. Nothing in a template runs. */

import { readdir } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { type Agent, decodeText, type UserContent } from "@pith/agent";
import { attachText } from "@pith/context/host";
import type { HostContext } from "../host-context.ts";
import { escapeControls, truncate } from "../text/safe-text.ts";
import { type FolderTrust, listTrustedFiles } from "../trust/folder-trust.ts";
import type { FoundFile } from "../trust/project-files.ts";
import { parseFrontMatter } from "./front-matter.ts";
import { type FoundSkill, formatDuplicate, readResourceFile } from "./skills.ts";

/**
 * Replaces the placeholders in one pass, so that an argument that looks like a placeholder stays as typed. If the template has no
 * placeholder, the arguments are appended, so that no input is lost.
 */
export function expandTemplate(text: string, argumentText: string): string {
  const args = splitArguments(argumentText);
  let hasPlaceholder = false;
  const result = text.replace(PLACEHOLDERS, (...match: readonly (string | undefined)[]) => {
    const [, number, from, count] = match;
    hasPlaceholder = true;
    if (number !== undefined) return args[Number(number) - 1] ?? "";
    if (from === undefined) return argumentText;
    const first = Math.max(0, Number(from) - 1);
    return args.slice(first, count === undefined ? undefined : first + Number(count)).join(" ");
  });
  return hasPlaceholder || argumentText === "" ? result : `${result}\n\n${argumentText}`;
}

/** `$1` to `$9`, `$@` or `$ARGUMENTS` for all arguments, `${@:2}` for all from the second on, `${@:2:3}` for three from the second on. */
const PLACEHOLDERS = /\$(?:([1-9])(?!\d)|@|ARGUMENTS\b|\{@:(\d{1,4})(?::(\d{1,4}))?\})/g;

/** Splits like a shell: quotes group words. A quote without an end is an ordinary character. */
function splitArguments(text: string): readonly string[] {
  const args: string[] = [];
  for (const [whole, double, single] of text.matchAll(/"([^"]*)"(?!\S)|'([^']*)'(?!\S)|\S+/g))
    args.push(double ?? single ?? whole);
  return args;
}

export interface Template {
  /** Without the slash. */
  readonly name: string;
  /** The purpose in one line. */
  readonly description: string;
  /** The arguments, such as `<issue>`. Empty if the template does not declare them. */
  readonly argumentHint: string;
  readonly text: string;
  readonly path: string;
}

export interface ParseTemplateResult {
  /** Null if the file is not a valid template. */
  readonly template: Template | null;
  readonly notes: readonly string[];
}

export function parseTemplate({ path, bytes }: FoundFile): ParseTemplateResult {
  const name = basename(path, ".md");
  const source = decodeText(bytes);
  if (source === null) return createInvalidTemplate(path, "is not a text file");
  if (!TEMPLATE_NAME.test(name))
    return createInvalidTemplate(path, "has an invalid name (use letters, digits and dashes)");
  const { fields, body, error } = parseFrontMatter(source);
  if (error !== null) return createInvalidTemplate(path, error);
  const text = escapeControls(body).trim();
  if (text === "") return createInvalidTemplate(path, "contains no text");
  const field = (key: string): string => truncate(escapeControls(fields.get(key) ?? ""), MAX_DESCRIPTION_CHARS);
  const description = field("description") || truncate(text.split("\n", 1)[0] ?? "", MAX_DESCRIPTION_CHARS);
  return { template: { name, description, argumentHint: field("argument-hint"), text, path }, notes: [] };
}

const TEMPLATE_NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?$/u;

const MAX_DESCRIPTION_CHARS = 200;

function createInvalidTemplate(path: string, why: string): ParseTemplateResult {
  return { template: null, notes: [`${path} ${why}, so it was not loaded as a prompt template`] };
}

export interface TemplateSources extends Pick<HostContext, "home"> {
  readonly trustedFolder: FolderTrust;
  /** The names of commands. A template cannot use them. */
  readonly reservedNames: readonly string[];
  /** Folders of extensions. They have the lowest priority. */
  readonly extensionFolders?: readonly string[];
}

export interface FoundTemplates {
  /** Sorted by name. */
  readonly templates: readonly Template[];
  readonly notes: readonly string[];
}

/** If two templates have the same name, the one nearer to the working directory is used. A command always has priority. */
export async function findTemplates({
  home,
  trustedFolder,
  reservedNames,
  extensionFolders = [],
}: TemplateSources): Promise<FoundTemplates> {
  const userFolders = await Promise.all([...extensionFolders, join(home, "prompts")].map(readUserTemplateFiles));
  const results = [...userFolders.flatMap(({ files }) => files), ...listTrustedMarkdown(trustedFolder, "prompts")].map(
    parseTemplate,
  );
  const notes = [...userFolders, ...results].flatMap((result) => result.notes);
  const byName = new Map<string, Template>();
  for (const { template } of results) {
    if (!template) continue;
    const { name, path } = template;
    const previous = byName.get(name);
    if (reservedNames.includes(name))
      notes.push(`${path} is not used, because /${name} is a command; rename the template`);
    else byName.set(name, template);
    if (previous)
      notes.push(
        formatDuplicate({ kind: "prompt templates", name: `/${name}`, usedPath: path, ignoredPath: previous.path }),
      );
  }
  return { templates: [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), notes };
}

async function readUserTemplateFiles(
  folder: string,
): Promise<{ readonly files: readonly FoundFile[]; readonly notes: readonly string[] }> {
  const { files, notes, isCut } = await readMarkdownFolder(folder, MAX_TEMPLATES);
  return isCut
    ? { files, notes: [`${folder} has more than ${MAX_TEMPLATES} templates; the rest are ignored`, ...notes] }
    : { files, notes };
}

const MAX_TEMPLATES = 500;

interface MarkdownFolder {
  readonly files: readonly FoundFile[];
  readonly notes: readonly string[];
  /** Whether the folder has more files than were read. */
  readonly isCut: boolean;
}

/** Reads the Markdown files in a folder of the user. A folder that cannot be read has none. */
export async function readMarkdownFolder(folder: string, maxFiles: number): Promise<MarkdownFolder> {
  const names = (await readdir(folder).catch(() => [])).filter(isMarkdownFile).sort();
  const files: FoundFile[] = [];
  const notes: string[] = [];
  for (const path of names.slice(0, maxFiles).map((name) => join(folder, name))) {
    const content = await readResourceFile(path);
    if (typeof content === "string") notes.push(content);
    else if (content) files.push({ path, bytes: content });
  }
  return { files, notes, isCut: names.length > maxFiles };
}

/** The Markdown files of a trusted project that are directly in folders of a kind. */
export function listTrustedMarkdown(trustedFolder: FolderTrust, kind: "agents" | "prompts"): readonly FoundFile[] {
  return listTrustedFiles(trustedFolder, kind).filter(({ path, folder }) => {
    const [, , name = "", ...subpath] = relative(folder, path).split(sep);
    return subpath.length === 0 && isMarkdownFile(name);
  });
}

function isMarkdownFile(name: string): boolean {
  return name.endsWith(".md") && !name.startsWith(".");
}

export interface TemplatesOptions {
  readonly agent: Pick<Agent, "attachSkill">;
  /** Returns the current skills. */
  readonly getSkills: () => readonly FoundSkill[];
  readonly getSources: () => TemplateSources;
  /** Shows a line to the user. */
  readonly notify: (line: string) => void;
}

/** Reads the files again for each call, and reports each problem only once. */
export function createTemplates({ agent, getSkills, getSources, notify }: TemplatesOptions): Templates {
  const reportedNotes = new Set<string>();
  const find = async (): Promise<FoundTemplates["templates"]> => {
    const { templates, notes } = await findTemplates(getSources());
    for (const line of notes) if (!reportedNotes.has(line)) notify(line);
    for (const line of notes) reportedNotes.add(line);
    return templates;
  };
  return {
    async expand(name, args) {
      const skill = getSkills().find((candidate) => name === `${SKILL_PREFIX}${candidate.name}`);
      if (skill) {
        await agent.attachSkill(skill);
        const text = [`Follow the skill ${skill.name}.`, args].filter((part) => part !== "").join("\n\n");
        return [attachText({ kind: "skill", name: skill.name, typed: formatCommandLine(name, args) }, text)];
      }
      const template = (await find()).find((candidate) => candidate.name === name);
      const text = template ? expandTemplate(template.text, args).trim() : null;
      if (text === null || text === "") return text;
      // WORD7: the text comes from a file, perhaps of the repository. Only the typed line is the user's own text.
      return [attachText({ kind: "template", name, typed: formatCommandLine(name, args) }, text)];
    },
    async list() {
      const listedTemplates = (await find()).map(({ name, argumentHint, description }) => ({
        name,
        description: argumentHint ? `${argumentHint}: ${description}` : description,
      }));
      return [
        ...listedTemplates,
        ...getSkills().map(({ name, description }) => ({ name: `${SKILL_PREFIX}${name}`, description })),
      ];
    },
  };
}

const SKILL_PREFIX = "skill:";

const formatCommandLine = (name: string, args: string): string => `/${name}${args === "" ? "" : ` ${args}`}`;

/** The user's prompt templates and skills, used with `/name arguments`. */
export interface Templates {
  /** Returns the prompt. Null if no template or skill has this name. */
  expand(name: string, args: string): Promise<UserContent | null>;
  list(): Promise<readonly { readonly name: string; readonly description: string }[]>;
}
