/**
 * Reads the public API of `@pith/context` from its sources (the exports of every entry point with signature and comment) and renders it as
 * the page docs/api.md: for each entry point one table per subject, functions first.
 */

import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import type { ESTree } from "rolldown/utils";
import { lineAt, listExports, parseSource, readFolder, type Source } from "../source/source.ts";
import { formatTable } from "./tables.ts";

export interface Api {
  readonly entryPoints: readonly EntryPoint[];
  /** The paths of the programs in `examples/api`. */
  readonly examples: readonly string[];
}

/** One entry point of the package. */
export interface EntryPoint {
  /** What a program imports, e.g. `@pith/context/node`. */
  readonly specifier: string;
  readonly path: string;
  /** The comment at the head of its file. */
  readonly fileComment: string;
  readonly exports: readonly ApiExport[];
  /** Names that the entry point lists and no file declares. */
  readonly missing: readonly string[];
}

interface ApiExport extends Declaration {
  readonly kind: "value" | "type";
}

const PACKAGE = "packages/context";
const SOURCES = `${PACKAGE}/src`;
const EXAMPLES = "examples/api";

export function readApi(root: string): Api {
  const sources = new Map(readFolder(root, SOURCES).map((source) => [source.path, source]));
  return {
    entryPoints: listEntryPoints(root).map(({ specifier, path }) => readEntryPoint(specifier, path, sources)),
    examples: readFolder(root, EXAMPLES).map(({ path }) => path),
  };
}

function listEntryPoints(root: string): readonly { readonly specifier: string; readonly path: string }[] {
  const manifest = join(root, PACKAGE, "package.json");
  if (!existsSync(manifest)) return [];
  const { name, exports } = JSON.parse(readFileSync(manifest, "utf8"));
  return Object.entries<string>(Object(exports))
    .filter(([, file]) => file.endsWith(".ts"))
    .map(([exportPath, file]) => ({ specifier: name + exportPath.slice(1), path: posix.join(PACKAGE, file) }));
}

type Sources = ReadonlyMap<string, Source>;

function readEntryPoint(specifier: string, path: string, sources: Sources): EntryPoint {
  const exported = findExports(path, sources);
  return {
    specifier,
    path,
    fileComment: readFileComment(sources.get(path)?.text ?? ""),
    exports: exported.flatMap((each) => ("kind" in each ? each : [])),
    missing: exported.flatMap((each) => ("kind" in each ? [] : each.name)),
  };
}

/** Lists what a file re-exports. A name that no file declares is listed without a kind. */
function findExports(path: string, sources: Sources): readonly (ApiExport | { readonly name: string })[] {
  const source = sources.get(path);
  return (source ? listExports(source) : []).flatMap(({ name, isType: isTypeOnly, origin }) => {
    if (!origin?.target || (origin.name === "*" && name !== "*")) return [];
    const candidates = [...listDeclared(origin.target, sources), ...findExports(origin.target, sources)];
    if (origin.name === "*") return candidates.filter((each) => "kind" in each && each.kind === "type");
    const match = candidates.find((each) => each.name === origin.name);
    return match && "kind" in match ? [{ ...match, name, kind: isTypeOnly ? "type" : match.kind }] : [{ name }];
  });
}

function listDeclared(path: string, sources: Sources): readonly ApiExport[] {
  const source = sources.get(path);
  const declared = source ? listDeclarations(source).filter(({ isExported }) => isExported) : [];
  return declared.map((each) => ({ ...each, kind: isType(each) ? "type" : "value" }));
}

type Keyword = "function" | "const" | "class" | "interface" | "type";

interface Declaration {
  readonly name: string;
  readonly keyword: Keyword;
  readonly isExported: boolean;
  readonly path: string;
  readonly line: number;
  readonly signature: string;
  /** The comment right above it, as Markdown; empty if there is none. */
  readonly comment: string;
  /** The comment at the head of its file. */
  readonly fileComment: string;
}

export function listDeclarations(source: Source): readonly Declaration[] {
  const found = readStatements(source);
  return found.flatMap((each, index) =>
    each.name === found[index - 1]?.name ? [] : [withOverloads(each, found.slice(index + 1))],
  );
}

// The last of several overloads is the implementation, which callers do not see.
function withOverloads(first: Declaration, following: readonly Declaration[]): Declaration {
  const end = following.findIndex(({ name }) => name !== first.name);
  const overloads = end === -1 ? following : following.slice(0, end);
  const otherSignatures = overloads
    .slice(0, -1)
    .map(({ signature: overloadSignature, comment }) =>
      comment === "" ? overloadSignature : `/** ${comment.replaceAll("\n", " ")} */\n${overloadSignature}`,
    );
  return { ...first, signature: [first.signature, ...otherSignatures].join("\n") };
}

function readStatements(source: Source): readonly Declaration[] {
  const { path, text } = source;
  const fileComment = readFileComment(text);
  return parseSource(source).program.body.flatMap((statement) => {
    const isExported = statement.type === "ExportNamedDeclaration";
    const outline = readOutline(text, isExported ? statement.declaration : statement);
    if (outline === null) return [];
    const comment = cleanComment(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n$/.exec(text.slice(0, statement.start))?.[1] ?? "");
    return [{ ...outline, isExported, path, line: lineAt(text, statement.start), comment, fileComment }];
  });
}

type DeclarationOutline = Pick<Declaration, "name" | "keyword" | "signature">;

function readOutline(text: string, node: ESTree.Statement | null): DeclarationOutline | null {
  switch (node?.type) {
    case "FunctionDeclaration":
    case "TSDeclareFunction": {
      const signature = statementText(text, { start: node.start, end: node.body?.start ?? node.end });
      return { name: node.id?.name ?? "", keyword: "function", signature: signature.replace(/^async\s+/, "") };
    }
    case "VariableDeclaration":
      return node.kind === "const" ? readConstant(text, node) : null;
    case "ClassDeclaration":
      return { name: node.id?.name ?? "", keyword: "class", signature: formatClass(text, node) };
    case "TSInterfaceDeclaration":
      return { name: node.id.name, keyword: "interface", signature: statementText(text, node) };
    case "TSTypeAliasDeclaration":
      return { name: node.id.name, keyword: "type", signature: statementText(text, node) };
    default:
      return null;
  }
}

function statementText(text: string, { start, end }: Pick<ESTree.Span, "start" | "end">): string {
  return text.slice(start, end).trimEnd().replace(/;$/, "");
}

/** A constant without a type shows its value, if that is one line. */
function readConstant(text: string, node: ESTree.VariableDeclaration): DeclarationOutline | null {
  const [declarator] = node.declarations;
  if (declarator?.id.type !== "Identifier") return null;
  const { id } = declarator;
  const head = text.slice(node.start, id.typeAnnotation?.end ?? id.start + id.name.length);
  const fullText = statementText(text, node);
  const withValue = fullText.includes("\n") ? `${head} = { … }` : fullText;
  return { name: id.name, keyword: "const", signature: id.typeAnnotation ? head : withValue };
}

function formatClass(text: string, { start, body }: ESTree.Class): string {
  const head = text.slice(start, body.start + 1).replace(/^abstract\s+/, "");
  const members = body.body.flatMap((member, index) => {
    const textBefore = text.slice(body.body[index - 1]?.end ?? body.start + 1, member.start);
    return formatMember(text, textBefore, member);
  });
  return [head, ...members, "}"].join("\n");
}

/** The comment and the head of a public member. */
function formatMember(text: string, textBefore: string, member: ESTree.ClassElement): readonly string[] {
  if (member.type === "StaticBlock" || member.type === "TSIndexSignature") return [];
  if (member.key.type === "PrivateIdentifier" || member.accessibility === "private") return [];
  if (member.accessibility === "protected") return [];
  const { value } = member;
  const end = value === null ? member.end : "body" in value ? value.body?.start : value.start;
  const head = statementText(text, { start: member.start, end: end ?? member.end }).replace(/\s*=$/, "");
  const comment = /[ \t]*\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*$/.exec(textBefore)?.[0].trimEnd();
  const signature = `  ${head.replace(/\basync /, "")};`;
  return comment === undefined ? [signature] : [comment, signature];
}

function isType({ keyword }: Pick<Declaration, "keyword">): boolean {
  return keyword === "interface" || keyword === "type";
}

/** Returns the comment at the head of a file, as Markdown. */
function readFileComment(text: string): string {
  return cleanComment(/^\/\*\*((?:(?!\*\/)[\s\S])*)\*\//.exec(text)?.[1] ?? "");
}

function cleanComment(comment: string): string {
  const lines = comment.split("\n").map((line) => line.replace(/^\s*\* ?/, "").trimEnd());
  return lines.join("\n").trim();
}

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
      [signatureCode(each), firstSentence(each.comment)],
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

function firstSentence(text: string): string {
  const line = text.replace(/\s+/g, " ");
  const sentence = /^.*?[.!?](?=\s+[^a-z]|$)/.exec(line)?.[0] ?? line;
  return sentence.endsWith(":") ? `${sentence.slice(0, -1)}.` : sentence;
}

/** Describes a type in one line: its fields, or the discriminants of a union. */
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

// The members of result and event unions differ in `type`.
function describeMember(member: string): string {
  if (!member.startsWith("{")) return member;
  return /\btype: ("[^;]+");/.exec(member)?.[1] ?? /\btype: ("[^;]+") \}/.exec(member)?.[1] ?? "{ … }";
}
