/** Lists the functions of a file with their sizes, and the names that a file declares. */

import { type ESTree, Visitor } from "rolldown/utils";
import { lineAt, memoizePerSource, parseSource, type Source } from "./source.ts";

export interface MeasuredFunction {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
  readonly parameters: number;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Lists functions that have a body: declarations, methods, arrows and function expressions. */
export function listFunctions(source: Source): readonly MeasuredFunction[] {
  const { text } = source;
  const functions: MeasuredFunction[] = [];
  // The visitor enters a parent before its children, so a function's name is known before the function is reached.
  const names = new Map<number, string>();
  const addFunction = ({ start, end }: Span, params: readonly unknown[], ownName?: string) => {
    const line = lineAt(text, start);
    const name = ownName ?? names.get(start) ?? "a function";
    functions.push({ name, line, lines: lineAt(text, end) - line + 1, parameters: params.length });
  };
  const nameValue = (key: Span, value: Span | null) => {
    if (value !== null) names.set(value.start, text.slice(key.start, key.end).replace(/^#/, ""));
  };
  const visitor = new Visitor({
    VariableDeclarator: ({ id, init }) => {
      if (id.type === "Identifier") nameValue({ start: id.start, end: id.start + id.name.length }, init);
    },
    MethodDefinition: ({ key, value }) => nameValue(key, value),
    PropertyDefinition: ({ key, value }) => nameValue(key, value),
    Property: ({ key, value }) => nameValue(key, value),
    FunctionDeclaration: (node) => addFunction(node, node.params, node.id?.name),
    FunctionExpression: (node) => addFunction(node, node.params, node.id?.name),
    ArrowFunctionExpression: (node) => addFunction(node, node.params),
  });
  visitor.visit(parseSource(source).program);
  return functions;
}

export interface DeclaredName {
  readonly name: string;
  readonly line: number;
  readonly kind: "function" | "type" | "class" | "constant";
}

/**
 * Lists the names of functions, nested ones and methods included, of types and classes, and of constants at the top level. Overloads
 * count once. Getters and setters are properties and are left out.
 */
export const listDeclaredNames: (source: Source) => readonly DeclaredName[] = memoizePerSource((source) => {
  const { program } = parseSource(source);
  const names: DeclaredName[] = listTopLevelConstants(source, program);
  const add = (kind: DeclaredName["kind"], { start, end }: Span) => {
    const name = source.text.slice(start, end).replace(/^#/, "");
    const line = lineAt(source.text, start);
    if (/^[\w$]+$/.test(name) && !names.some((other) => other.name === name && other.line === line))
      names.push({ name, line, kind });
  };
  const visitor = new Visitor({
    FunctionDeclaration: ({ id }) => id && add("function", id),
    VariableDeclarator: ({ id, init }) => {
      const isFunction = init?.type === "ArrowFunctionExpression" || init?.type === "FunctionExpression";
      if (isFunction && id.type === "Identifier") add("function", { start: id.start, end: id.start + id.name.length });
    },
    MethodDefinition: ({ kind, key }) => kind === "method" && add("function", key),
    PropertyDefinition: ({ key, value }) => value?.type === "ArrowFunctionExpression" && add("function", key),
    Property: ({ method, key }) => method && add("function", key),
    ClassDeclaration: ({ id }) => id && add("class", id),
    TSInterfaceDeclaration: ({ id }) => add("type", id),
    TSTypeAliasDeclaration: ({ id }) => add("type", id),
  });
  visitor.visit(program);
  return names.toSorted((a, b) => a.line - b.line);
});

function listTopLevelConstants({ text }: Source, program: ESTree.Program): DeclaredName[] {
  return program.body.flatMap((statement) => {
    const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declared?.type !== "VariableDeclaration") return [];
    return declared.declarations.flatMap(({ id }) =>
      id.type === "Identifier" ? [{ name: id.name, line: lineAt(text, id.start), kind: "constant" as const }] : [],
    );
  });
}
