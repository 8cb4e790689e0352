/** Finds the declarations and titles of tests that use words which only this project's tests used. A reader who does not know those tests cannot guess them. */

import { type ESTree, Visitor } from "rolldown/utils";
import { lineAt, parseSource, type Source } from "../source/source.ts";

export interface IdiomMark {
  readonly path: string;
  readonly line: number;
  readonly kind: "declaration" | "title";
  readonly text: string;
}

/** In any place of a name: `desk` and `startWebDesk`. */
const PRIVATE_WORDS: ReadonlySet<string> = new Set(
  [
    [
      "asked",
      "crew",
      "desk",
      "ground",
      "grounds",
      "heard",
      "life",
      "lives",
      "nobody",
      "said",
      "seat",
      "shelf",
      "taker",
    ],
    ["talk", "talks", "telling", "told", "unheard", "voice", "voices", "wish", "wishes"],
  ].flat(),
);

/** As a whole name only: `seen`, but not `seenIds`. */
const PRIVATE_NAMES: ReadonlySet<string> = new Set(
  ["came", "lived", "looked", "play", "played", "plays", "seen", "stage", "thinks", "world"].flat(),
);

const PRIVATE_TITLES: readonly RegExp[] = [
  /\b(?:told|said|heard)\b/i,
  /\b(?:is|are|was|were|be|been) (?:\w+ )?asked\b/i,
  /\bwhat is wrong\b|\b(?:says|tells) so\b/i,
  /\b(?:nobody|somebody|whoever|anew)\b/i,
  /\bwho speaks\b|\bunder way\b|\bin short\b|\bby itself\b|\bone (?:goes|stands|comes|sees|types|leaves|wants)\b/i,
];

export function listTestIdiom(tests: readonly Source[]): readonly IdiomMark[] {
  return tests.flatMap((source) => {
    const mark = (kind: IdiomMark["kind"]) => (found: Found) => ({
      path: source.path,
      line: lineAt(source.text, found.start),
      kind,
      text: found.text,
    });
    return [
      ...listDeclarations(source)
        .filter(({ text }) => isPrivateName(text))
        .map(mark("declaration")),
      ...listTitles(source)
        .filter(({ text }) => isPrivateTitle(text))
        .map(mark("title")),
    ];
  });
}

function isPrivateName(name: string): boolean {
  const words = name.split(/(?=[A-Z])|[_$#\d]+/).map((word) => word.toLowerCase());
  return PRIVATE_NAMES.has(words.join("")) || words.some((word) => PRIVATE_WORDS.has(word));
}

function isPrivateTitle(title: string): boolean {
  return PRIVATE_TITLES.some((pattern) => pattern.test(title));
}

interface Found {
  readonly text: string;
  readonly start: number;
}

/** The names of functions, variables, parameters, types and their members. */
function listDeclarations(source: Source): readonly Found[] {
  const found: Found[] = [];
  const add = (node: { readonly type: string; readonly start: number } | null): void => {
    if (node === null) return;
    const name = /^#?[\w$]+/.exec(source.text.slice(node.start))?.[0];
    if (name !== undefined) found.push({ text: name, start: node.start });
  };
  const addNames = (pattern: Pattern): void => listBoundNames(pattern).forEach(add);
  const addParameters = ({ params }: { readonly params: readonly Pattern[] }): void => params.forEach(addNames);
  const visitor = new Visitor({
    VariableDeclarator: ({ id }) => addNames(id),
    FunctionDeclaration: (node) => {
      add(node.id);
      addParameters(node);
    },
    FunctionExpression: addParameters,
    ArrowFunctionExpression: addParameters,
    ClassDeclaration: ({ id }) => add(id),
    TSInterfaceDeclaration: ({ id }) => add(id),
    TSTypeAliasDeclaration: ({ id }) => add(id),
    TSPropertySignature: ({ key }) => add(key),
    TSMethodSignature: ({ key }) => add(key),
    PropertyDefinition: ({ key }) => add(key),
    MethodDefinition: ({ key }) => add(key),
  });
  visitor.visit(parseSource(source).program);
  return found;
}

type Pattern = ESTree.BindingPattern | ESTree.ParamPattern;

/** `a` and `b` for `{ a, x: [b = 1] }`. */
function listBoundNames(pattern: Pattern | null): readonly ESTree.BindingIdentifier[] {
  switch (pattern?.type) {
    case "Identifier":
      return [pattern as ESTree.BindingIdentifier];
    case "ObjectPattern":
      return pattern.properties.flatMap((each) =>
        listBoundNames(each.type === "RestElement" ? each.argument : each.value),
      );
    case "ArrayPattern":
      return pattern.elements.flatMap((each) => listBoundNames(each?.type === "RestElement" ? each.argument : each));
    case "AssignmentPattern":
      return listBoundNames(pattern.left);
    case "RestElement":
      return listBoundNames(pattern.argument);
    default:
      return [];
  }
}

/** The first arguments of `test`, `describe` and their variants such as `test.each(…)`. */
function listTitles(source: Source): readonly Found[] {
  const found: Found[] = [];
  const visitor = new Visitor({
    CallExpression: ({ callee, arguments: [title] }) => {
      if (!TITLED_FUNCTION.test(source.text.slice(callee.start, callee.end))) return;
      if (title?.type === "Literal" || title?.type === "TemplateLiteral")
        found.push({ text: source.text.slice(title.start + 1, title.end - 1), start: title.start });
    },
  });
  visitor.visit(parseSource(source).program);
  return found;
}

const TITLED_FUNCTION = /^(?:test|it|describe)\b/;
