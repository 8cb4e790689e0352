/** Renders the API page: for each entry point one table per subject, functions first, each row with a signature and one sentence. */

import { posix } from "node:path";
import { formatTable } from "../pages.ts";
import type { Declaration } from "./declarations.ts";
import { type Api, type ApiExport, type EntryPoint, SOURCES } from "./read-api.ts";

export function renderApi({ entryPoints, examples }: Api): string {
  return entryPoints.map((entryPoint) => renderEntryPoint(entryPoint, examples)).join("\n\n");
}

function renderEntryPoint({ specifier, fileComment, exports }: EntryPoint, examples: readonly string[]): string {
  const ownSubjects = [...new Set(exports.map(findSubject))].toSorted(
    (one, other) => subjectRank(one) - subjectRank(other),
  );
  const parts = ownSubjects.map((subject) => {
    const subjectExports = exports.filter((each) => findSubject(each) === subject);
    return [`### ${subject.title}`, ...exampleLinks(subject, examples), renderTable(subjectExports)].join("\n\n");
  });
  const description = firstSentence(fileComment.replace(/^Exports `[^`]*`: /, ""));
  return [`## ${specifier}`, description.charAt(0).toUpperCase() + description.slice(1), ...parts].join("\n\n");
}

interface ApiSubject {
  readonly title: string;
  /** Paths below the sources; a folder ends with a slash. */
  readonly paths: readonly string[];
  /** Programs in `examples/api`, without `.ts`. */
  readonly examples: readonly string[];
}

/** In the order of the page. */
const SUBJECTS: readonly ApiSubject[] = [
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

const OTHER_SUBJECT: ApiSubject = { title: "Others", paths: [], examples: [] };

function findSubject({ path }: ApiExport): ApiSubject {
  const relativePath = posix.relative(SOURCES, path);
  const matches = (each: string): boolean =>
    each.endsWith("/") ? relativePath.startsWith(each) : relativePath === each;
  return SUBJECTS.find(({ paths }) => paths.some(matches)) ?? OTHER_SUBJECT;
}

function subjectRank(subject: ApiSubject): number {
  const index = SUBJECTS.indexOf(subject);
  return index === -1 ? SUBJECTS.length : index;
}

function exampleLinks({ examples: ownExamples }: ApiSubject, examples: readonly string[]): readonly string[] {
  const paths = examples.filter((path) => ownExamples.includes(posix.basename(path, ".ts")));
  const links = paths.map((path) => `[${path}](../${path})`);
  return links.length > 0 ? [`Example${links.length > 1 ? "s" : ""}: ${links.join(", ")}.`] : [];
}

function renderTable(exports: readonly ApiExport[]): string {
  const rows = exports
    .toSorted((one, other) => sortRank(one) - sortRank(other) || (one.name < other.name ? -1 : 1))
    .flatMap((each) => [
      [signatureCode(each), firstCommentSentence(each)],
      ...(each.kind === "value" ? listMemberRows(each) : []),
    ]);
  return formatTable(["name and signature", "what it does"], rows);
}

function sortRank({ kind, keyword }: ApiExport): number {
  if (kind === "type") return 3;
  return keyword === "class" ? 0 : keyword === "function" ? 1 : 2;
}

function signatureCode(item: ApiExport): string {
  const { name, kind, keyword, signature } = item;
  if (kind === "type") return formatCode(keyword === "class" ? name : `${name} = ${describeShape(item)}`);
  if (keyword === "class") return formatCode(`class ${name}`);
  const overloads = signature.replace(/\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n/g, "").split(/\n(?=function\b)/);
  return overloads.map((each) => formatCode(each.replace(/^(?:function\*?|const) /, ""))).join("<br>");
}

/** The public members of a class that have a comment. */
function listMemberRows({ name, keyword, signature }: ApiExport): readonly (readonly string[])[] {
  if (keyword !== "class") return [];
  const members = signature.matchAll(/^ {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2}([\s\S]*?);$/gm);
  return Array.from(members, ([, comment = "", member = ""]) => {
    const owner = member.startsWith("static ") ? name : name.charAt(0).toLowerCase() + name.slice(1);
    const head = member
      .replace(/^get (\w+)\(\)/, "$1")
      .replace(/^(?:static |readonly )+/, "")
      .replace(/^\*\s*/, "");
    return [formatCode(`${owner}.${head}`), firstSentence(comment.replace(/\n\s*\* ?/g, " ").trim())];
  });
}

function formatCode(text: string): string {
  return `\`${text.replace(/\s+/g, " ").replaceAll("readonly ", "").replace(/,? \)/g, ")").replaceAll("( ", "(").replaceAll("`", "'")}\``;
}

export function firstCommentSentence({ comment }: ApiExport): string {
  return firstSentence(comment);
}

function firstSentence(text: string): string {
  const line = text.replace(/\s+/g, " ");
  const sentence = /^.*?[.!?](?=\s+[^a-z]|$)/.exec(line)?.[0] ?? line;
  return sentence.endsWith(":") ? `${sentence.slice(0, -1)}.` : sentence;
}

/** What is in a type: its fields, or what tells the members of a union apart. */
export function describeShape({ signature }: Declaration): string {
  if (signature.startsWith("interface")) return `{ ${listFields(signature).join(", ")} }`;
  const right = signature.slice(signature.indexOf("=") + 1).replace(/\/\*\*.*?\*\//gs, "");
  if (!right.includes("\n")) return right.replaceAll("readonly ", "").trim();
  const members = right.split(/^ {2}\| /m).map((member) => member.trim());
  return [...new Set(members.filter((member) => member !== "").map(describeMember))].join(" | ");
}

function listFields(signature: string): readonly string[] {
  return [...signature.matchAll(/^ {2}(?:readonly )?([\w$]+\??)[:(<]/gm)].map(([, name = ""]) => name);
}

// Results and events are told apart by their type.
function describeMember(member: string): string {
  if (!member.startsWith("{")) return member;
  return /\btype: ("[^;]+");/.exec(member)?.[1] ?? /\btype: ("[^;]+") \}/.exec(member)?.[1] ?? "{ … }";
}
