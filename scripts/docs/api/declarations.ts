/** Reads the declarations of a source file: name, signature without bodies, and comment. */

import type { ESTree } from "rolldown/utils";
import { lineAt, parseSource, type Source } from "../../source/source.ts";

export type Keyword = "function" | "const" | "class" | "interface" | "type";

export interface Declaration {
  readonly name: string;
  readonly keyword: Keyword;
  readonly isExported: boolean;
  readonly path: string;
  readonly line: number;
  readonly signature: string;
  /** The comment right above it, as Markdown; empty where there is none. */
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
  const fileComment = cleanComment(/^\/\*\*((?:(?!\*\/)[\s\S])*)\*\//.exec(text)?.[1] ?? "");
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

export function isType({ keyword }: Pick<Declaration, "keyword">): boolean {
  return keyword === "interface" || keyword === "type";
}

function cleanComment(comment: string): string {
  const lines = comment.split("\n").map((line) => line.replace(/^\s*\* ?/, "").trimEnd());
  return lines.join("\n").trim();
}
