/** Texts that people and programs write for programs: changes, queries, manifests, calls. */

import { between, type Random } from "../../random.ts";
import { lettersOf, many, pick } from "./chance.ts";
import { identifier, pathName, sentence } from "./words.ts";

export const sources: Readonly<Record<string, (next: Random) => string>> = {
  diff: (next) => many(60, () => change(next)).join("\n"),
  SQL: (next) => many(200, () => insertion(next)).join("\n"),
  manifest: (next) => many(60, () => manifest(next)).join("\n---\n"),
  "tool calls": (next) => many(150, () => JSON.stringify(call(next))).join("\n"),
  "Rust source": (next) => many(80, () => rustFunction(next)).join("\n\n"),
};

function change(next: Random): string {
  const path = pathName(next);
  const lines = many(
    10,
    () => `${pick(next, ["+", "-", " "])}    const ${identifier(next)} = ${identifier(next)}.${identifier(next)}();`,
  );
  const hunk = `@@ -${between(next, 1, 400)},7 +${between(next, 1, 400)},9 @@ function ${identifier(next)}() {`;
  const ids = `index ${lettersOf(next, HEX, 7)}..${lettersOf(next, HEX, 7)} 100644`;
  return [`diff --git a/${path} b/${path}`, ids, `--- a/${path}`, `+++ b/${path}`, hunk, ...lines].join("\n");
}

function insertion(next: Random): string {
  const values = `${between(next, 1, 99_999)}, '${sentence(next)}', ${(next() * 100).toFixed(2)}, '2025-0${between(next, 1, 9)}-1${between(next, 0, 9)}', NULL`;
  return `INSERT INTO ${identifier(next)}_${identifier(next)} (id, title, amount, created_at, deleted_at) VALUES (${values});`;
}

function manifest(next: Random): string {
  const name = `${identifier(next)}-${identifier(next)}`.toLowerCase();
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  labels:
    app: ${name}
spec:
  replicas: ${between(next, 1, 9)}
  template:
    spec:
      containers:
        - name: ${name}
          image: registry.example/${name}:${between(next, 0, 9)}.${between(next, 0, 30)}.${between(next, 0, 9)}
          ports:
            - containerPort: ${between(next, 3000, 9000)}`;
}

function call(next: Random): object {
  const edit = {
    oldText: `return ${identifier(next)};`,
    newText: `return ${identifier(next)}(${identifier(next)});\n`,
  };
  return {
    type: "toolCall",
    id: `toolu_${lettersOf(next, HEX, 20)}`,
    name: "edit",
    arguments: { path: pathName(next), edits: [edit] },
  };
}

function rustFunction(next: Random): string {
  const [name, argument] = [identifier(next), identifier(next)].map((each) =>
    each.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
  return `/// ${sentence(next)}.
pub fn ${name}(&mut self, ${argument}: Option<&str>) -> Result<Vec<u8>, Error> {
    let mut ${argument}_count = self.${name}_len().saturating_sub(${between(next, 1, 64)});
    match ${argument} {
        Some(value) if !value.is_empty() => Ok(value.as_bytes().to_vec()),
        _ => Err(Error::new(format!("${sentence(next)}: {:?}", ${argument}_count))),
    }
}`;
}

const HEX = "0123456789abcdef";
