/** Everything that can be asked of one session file without a model. */

import {
  branch,
  buildRequest,
  buildSessionContext,
  decodeSession,
  type Entry,
  type ModelName,
  type SessionFile,
  type Tree,
  treeOf,
  windowOf,
} from "@pith/context";
import { machine } from "@pith/context/node";
import { allApis, violations } from "@pith/context/testing";

export interface FileReading {
  readonly entries: number;
  readonly leaves: number;
  /** Each with its line: `12: not-json`. */
  readonly damage: readonly string[];
  readonly reachable: number;
  /** Lines of a current version; an older one is written anew in today's spelling. */
  readonly lines: number;
  /** Those of them that are given back byte for byte. */
  readonly kept: number;
  readonly violations: readonly string[];
}

export function readSession(bytes: Uint8Array): FileReading {
  const file = decodeSession(bytes, machine);
  const entries = file.lines.map(({ entry }) => entry);
  const tree = treeOf(entries);
  const leaves = entries.filter(({ id }) => !tree.children.has(id));
  return {
    entries: entries.length,
    leaves: leaves.length,
    damage: file.damage.map(({ line, kind }) => `${line}: ${kind}`),
    reachable: reachable(tree),
    ...keptLines(file, bytes),
    violations: leaves.flatMap((leaf) => leafViolations(tree, leaf)),
  };
}

function reachable(tree: Tree): number {
  const waiting: Entry[] = [...(tree.children.get(null) ?? [])];
  let count = 0;
  for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
    count++;
    waiting.push(...(tree.children.get(entry.id) ?? []));
  }
  return count;
}

function keptLines(file: SessionFile, bytes: Uint8Array): { lines: number; kept: number } {
  if (file.outdated) return { lines: 0, kept: 0 };
  const texts = file.lines.map((line) => line.text()).filter((text) => text !== null);
  const seal = /(,"batch":\[\d+,\d+\])?,"crc":"[0-9a-f]{8}"\}$/;
  const written = new Set(
    new TextDecoder()
      .decode(bytes)
      .split("\n")
      .map((line) => (file.ours ? line.replace(seal, "}") : line)),
  );
  return { lines: texts.length, kept: texts.filter((text) => written.has(text)).length };
}

function leafViolations(tree: Tree, leaf: Entry): readonly string[] {
  const context = buildSessionContext(windowOf(branch(tree, leaf.id)));
  const last = context.messages.findLast((message) => message.role === "assistant");
  const own: readonly ModelName[] = last?.role === "assistant" && allApis.includes(last.api) ? [last] : [];
  return [...own, ...strangers].flatMap((to) => {
    const request = buildRequest(context, { to });
    return request.messages.length === 0 ? [] : violations(request, to);
  });
}

const strangers: readonly ModelName[] = allApis.map((api) => ({ api, provider: "another", model: "another" }));
