/** An `index.ts` is a door and nothing else: it passes on what other files hold. */

import type { Fault } from "../fault.ts";
import type { House } from "./house.ts";
import { lineAt, type Source } from "./source/source.ts";

const passedOn =
  /export\s+(?:type\s+)?(?:\{[^}]*\}|\*(?:\s+as\s+[\w$]+)?)\s+from\s+(["'])[^"']*\1(?:\s+with\s+\{[^}]*\})?;/g;

export function indexFiles({ sources }: House): readonly Fault[] {
  return sources.filter(({ path }) => path.endsWith("/index.ts")).flatMap(moreThanDoor);
}

function moreThanDoor({ path, code }: Source): Fault[] {
  const rest = code.replace(passedOn, (statement) => statement.replace(/[^\n]/g, " "));
  const index = rest.search(/\S/);
  if (index < 0) return [];
  const sentence = "an index.ts is a door: only `export … from` may stand in it, so move this into a file of its own";
  return [{ path, line: lineAt(rest, index), sentence }];
}
