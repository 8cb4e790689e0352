/** Tests the signatures on the API page: bodies and values are removed, types and comments stay. */

import { expect, test } from "vitest";
import { describeShape, listDeclarations } from "../docs/api.ts";

const onlyDeclaration = (text: string) => {
  const [declaration] = listDeclarations({ path: "a.ts", text });
  if (!declaration) throw new Error("nothing is declared");
  return declaration;
};

test.each([
  ["export function one(): void {}", "function one(): void"],
  ["export async function one(at: number): Promise<void> {\n  await at;\n}", "function one(at: number): Promise<void>"],
  [
    'export function* one<Each>({ a = "{" }: { a?: string } = {}): Generator<{ b: Each }> {\n  yield a;\n}',
    'function* one<Each>({ a = "{" }: { a?: string } = {}): Generator<{ b: Each }>',
  ],
  [
    "export function one(\n  list: readonly string[],\n): readonly { readonly at: number }[] {\n  return [];\n}",
    "function one(\n  list: readonly string[],\n): readonly { readonly at: number }[]",
  ],
  [
    "export function one(value: unknown): value is { a: 1 } {\n  return !value;\n}",
    "function one(value: unknown): value is { a: 1 }",
  ],
  ['export const one = "a; b";', 'const one = "a; b"'],
  ["export const one: (at: number) => string = (at) => String(at);", "const one: (at: number) => string"],
  ["export const one = {\n  a: 1,\n} as const;", "const one = { … }"],
  [
    "export interface One extends Two {\n  /** Why. */\n  readonly a: 1;\n}",
    "interface One extends Two {\n  /** Why. */\n  readonly a: 1;\n}",
  ],
  ["export type One =\n  | { readonly a: 1; }\n  | Two;", "type One =\n  | { readonly a: 1; }\n  | Two"],
])("the signature of a declaration leaves out bodies and values: %s", (text, signature) => {
  expect(onlyDeclaration(`${text}\n`).signature).toBe(signature);
});

test("a function with overloads shows each of them, without the implementation", () => {
  const text = `/** Of a list. */
export function one(list: string[]): { at: number };
/** Of a number. */
export function one(at: number): void;
export function one(first: string[] | number): unknown {
  return first;
}
export function two(): void {}
`;
  const found = listDeclarations({ path: "a.ts", text });
  expect(found.map(({ name, comment, signature }) => ({ name, comment, signature }))).toEqual([
    {
      name: "one",
      comment: "Of a list.",
      signature: "function one(list: string[]): { at: number }\n/** Of a number. */\nfunction one(at: number): void",
    },
    { name: "two", comment: "", signature: "function two(): void" },
  ]);
});

test("a class shows its public members with their comments", () => {
  const text = `export class One extends Two {
  /** What it has. */
  readonly a: number = 1;
  readonly #b: { c: string };
  // Not for readers.
  d = [";"];

  /** Opens it. */
  static async open(path: string): Promise<One> {
    return new One(path);
  }

  private constructor(path: string) {
    super({ path });
  }

  get size(): { readonly a: number } {
    return this;
  }

  protected hidden(): void {}

  async #more(): Promise<void> {}
}
`;
  expect(onlyDeclaration(text).signature).toBe(`class One extends Two {
  /** What it has. */
  readonly a: number;
  d;
  /** Opens it. */
  static open(path: string): Promise<One>;
  get size(): { readonly a: number };
}`);
});

test("a comment belongs to the declaration right below it; the first comment of a file belongs to the file", () => {
  const text = "/** A file. */\n\nexport const a = 1;\n\n/**\n * Two\n * lines.\n */\nexport const b = 2;\n";
  expect(
    listDeclarations({ path: "a.ts", text }).map(({ name, line, comment, fileComment }) => ({
      name,
      line,
      comment,
      fileComment,
    })),
  ).toEqual([
    { name: "a", line: 3, comment: "", fileComment: "A file." },
    { name: "b", line: 9, comment: "Two\nlines.", fileComment: "A file." },
  ]);
});

test.each([
  ["export interface One {\n  /** a: */\n  readonly a?: { b: 1 };\n  go(): void;\n}", "{ a?, go }"],
  ['export type One = "a" | "b";', '"a" | "b"'],
  [
    'export type One =\n  | { readonly type: "a" | "b"; readonly c: 1 }\n  /** Or. */\n  | Two\n  | { readonly type: "d" }\n  | { readonly type: "d"; readonly e: 1 };',
    '"a" | "b" | Two | "d"',
  ],
])("a type is described in one line: %s", (text, line) => {
  expect(describeShape(onlyDeclaration(`${text}\n`))).toBe(line);
});
