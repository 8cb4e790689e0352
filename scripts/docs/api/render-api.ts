/** Renders the API page: for each entry point one table per subject, functions first, each row with a signature and one sentence. */

import { posix } from "node:path";
import { table } from "../pages.ts";
import type { Declaration } from "./declarations.ts";
import { type Api, type Door, type Exported, SOURCES } from "./read-api.ts";

export function renderApi({ doors, examples }: Api): string {
  return doors.map((door) => renderDoor(door, examples)).join("\n\n");
}

function renderDoor({ specifier, opening, exports }: Door, examples: readonly string[]): string {
  const subjects = [...new Set(exports.map(subjectOf))].toSorted((one, other) => rank(one) - rank(other));
  const parts = subjects.map((subject) => {
    const own = exports.filter((each) => subjectOf(each) === subject);
    return [`### ${subject.title}`, ...exampleLinks(subject, examples), renderTable(own)].join("\n\n");
  });
  const about = firstSentence(opening.replace(/^Exports `[^`]*`: /, ""));
  return [`## ${specifier}`, about.charAt(0).toUpperCase() + about.slice(1), ...parts].join("\n\n");
}

interface Subject {
  readonly title: string;
  /** Paths below the sources; a folder ends with a slash. */
  readonly paths: readonly string[];
  /** Programs in `examples/api`, without `.ts`. */
  readonly examples: readonly string[];
}

/** In the order of the page. */
const subjects: readonly Subject[] = [
  { title: "Sessions", paths: ["session/", "node/sessions/"], examples: ["sessions"] },
  { title: "Contexts", paths: ["context/"], examples: ["contexts", "references"] },
  {
    title: "Compaction",
    paths: ["compaction/", "default-compaction.ts", "pi-calls.ts", "settings.ts"],
    examples: ["compaction", "planning", "pins"],
  },
  { title: "Branches", paths: ["branches/"], examples: ["branches"] },
  { title: "Summaries", paths: ["summary/"], examples: ["summaries"] },
  { title: "Tokens", paths: ["tokens/"], examples: ["tokens"] },
  { title: "Hooks", paths: ["hooks.ts", "runtime.ts"], examples: ["hooks"] },
  { title: "Entries", paths: ["entry.ts"], examples: [] },
  { title: "Messages", paths: ["message.ts"], examples: [] },
  { title: "Models", paths: ["model.ts"], examples: [] },
  { title: "Files touched", paths: ["ledger/"], examples: [] },
  {
    title: "References and blobs",
    paths: ["citations.ts", "node/blobs.ts", "node/blob-writer.ts"],
    examples: ["blobs"],
  },
  { title: "Usage totals", paths: ["usage.ts"], examples: ["totals"] },
  { title: "Text", paths: ["text/"], examples: [] },
  { title: "Shell lines", paths: ["shell/"], examples: [] },
  { title: "Session files", paths: ["format/", "node/jsonl/", "node/files.ts"], examples: ["files"] },
  { title: "Trees", paths: ["tree.ts"], examples: ["trees"] },
  { title: "Runtime", paths: ["node/runtime.ts"], examples: [] },
  { title: "Search", paths: ["search/"], examples: [] },
  { title: "Secrets", paths: ["secrets/"], examples: [] },
  { title: "Testing", paths: ["testing/"], examples: [] },
];

const OTHERS: Subject = { title: "Others", paths: [], examples: [] };

function subjectOf({ path }: Exported): Subject {
  const own = posix.relative(SOURCES, path);
  const matches = (each: string): boolean => (each.endsWith("/") ? own.startsWith(each) : own === each);
  return subjects.find(({ paths }) => paths.some(matches)) ?? OTHERS;
}

function rank(subject: Subject): number {
  const index = subjects.indexOf(subject);
  return index === -1 ? subjects.length : index;
}

function exampleLinks({ examples: own }: Subject, examples: readonly string[]): readonly string[] {
  const paths = examples.filter((path) => own.includes(posix.basename(path, ".ts")));
  const links = paths.map((path) => `[${path}](../${path})`);
  return links.length > 0 ? [`Example${links.length > 1 ? "s" : ""}: ${links.join(", ")}.`] : [];
}

function renderTable(exports: readonly Exported[]): string {
  const rows = exports
    .toSorted((one, other) => order(one) - order(other) || (one.name < other.name ? -1 : 1))
    .flatMap((each) => [[code(each), sentenceOf(each)], ...(each.kind === "value" ? memberRows(each) : [])]);
  return table(["name and signature", "what it does"], rows);
}

function order({ kind, keyword }: Exported): number {
  if (kind === "type") return 3;
  return keyword === "class" ? 0 : keyword === "function" ? 1 : 2;
}

function code(item: Exported): string {
  const { name, kind, keyword, signature } = item;
  if (kind === "type") return inCode(keyword === "class" ? name : `${name} = ${shape(item)}`);
  if (keyword === "class") return inCode(`class ${name}`);
  const overloads = signature.replace(/\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n/g, "").split(/\n(?=function\b)/);
  return overloads.map((each) => inCode(each.replace(/^(?:function\*?|const) /, ""))).join("<br>");
}

/** The public members of a class that have a comment. */
function memberRows({ name, keyword, signature }: Exported): readonly (readonly string[])[] {
  if (keyword !== "class") return [];
  const members = signature.matchAll(/^ {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2}([\s\S]*?);$/gm);
  return Array.from(members, ([, comment = "", member = ""]) => {
    const owner = member.startsWith("static ") ? name : name.charAt(0).toLowerCase() + name.slice(1);
    const head = member
      .replace(/^get (\w+)\(\)/, "$1")
      .replace(/^(?:static |readonly )+/, "")
      .replace(/^\*\s*/, "");
    return [inCode(`${owner}.${head}`), firstSentence(comment.replace(/\n\s*\* ?/g, " ").trim())];
  });
}

function inCode(text: string): string {
  return `\`${text.replace(/\s+/g, " ").replaceAll("readonly ", "").replace(/,? \)/g, ")").replaceAll("( ", "(").replaceAll("`", "'")}\``;
}

export function sentenceOf({ said }: Exported): string {
  return firstSentence(said);
}

function firstSentence(text: string): string {
  const line = text.replace(/\s+/g, " ");
  const sentence = /^.*?[.!?](?=\s+[^a-z]|$)/.exec(line)?.[0] ?? line;
  return sentence.endsWith(":") ? `${sentence.slice(0, -1)}.` : sentence;
}

/** What is in a type: its fields, or what tells the members of a union apart. */
export function shape({ signature }: Declaration): string {
  if (signature.startsWith("interface")) return `{ ${fields(signature).join(", ")} }`;
  const right = signature.slice(signature.indexOf("=") + 1).replace(/\/\*\*.*?\*\//gs, "");
  if (!right.includes("\n")) return right.replaceAll("readonly ", "").trim();
  const members = right.split(/^ {2}\| /m).map((member) => member.trim());
  return [...new Set(members.filter((member) => member !== "").map(unionMember))].join(" | ");
}

function fields(signature: string): readonly string[] {
  return [...signature.matchAll(/^ {2}(?:readonly )?([\w$]+\??)[:(<]/gm)].map(([, name = ""]) => name);
}

// Results and events are told apart by their type.
function unionMember(member: string): string {
  if (!member.startsWith("{")) return member;
  return /\btype: ("[^;]+");/.exec(member)?.[1] ?? /\btype: ("[^;]+") \}/.exec(member)?.[1] ?? "{ … }";
}
