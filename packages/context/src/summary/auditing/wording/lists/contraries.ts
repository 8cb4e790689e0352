/** Words of which one in the place of the other turns what was said into its contrary. */

import { folded } from "../comparing/folded.ts";
import { stem } from "../comparing/stem.ts";

const PAIRS = `above/below before/after enable/disable increase/decrease more/less left/right minimum/maximum
  first/last top/bottom public/private open/close allow/deny tabs/spaces dark/light sync/async client/server
  upgrade/downgrade include/exclude start/stop synchronous/asynchronous accept/reject local/remote internal/external
  ascending/descending horizontal/vertical require/optional staging/production read/write review/approve mobile/desktop oben/unten
  vorher/nachher öffentlich/privat hell/dunkel erhöhen/verringern lokal/entfernt links/rechts arriba/abajo
  antes/después público/privado claro/oscuro aumentar/reducir local/remoto izquierda/derecha avant/après public/privé
  clair/sombre gauche/droite antes/depois claro/escuro esquerda/direita выше/ниже слева/справа светлая/темная 增加/减少
  之前/之后 公开/私有 开启/关闭 左边/右边 浅色/深色 本地/远程 最大/最小 同步/异步 上/下 増/減 公開/非公開 左/右 밝은/어두운 왼쪽/오른쪽`;

export const hasContrary = (key: string): boolean => contraries.has(key);

/** By the key of a unit. */
export function contrariesOf(key: string): readonly string[] {
  return contraries.get(key) ?? [];
}

const contraries: ReadonlyMap<string, readonly string[]> = byKey(
  PAIRS.split(/\s+/).flatMap((pair) => {
    const [one = "", other = ""] = pair.split("/").map((word) => stem(folded(word)));
    return [
      { key: one, contrary: other },
      { key: other, contrary: one },
    ];
  }),
);

function byKey(
  pairs: readonly { readonly key: string; readonly contrary: string }[],
): ReadonlyMap<string, readonly string[]> {
  const groups = Map.groupBy(pairs, ({ key }) => key);
  return new Map([...groups].map(([key, same]) => [key, same.map(({ contrary }) => contrary)]));
}
