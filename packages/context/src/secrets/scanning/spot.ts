/** Where a secret stands in a text, and what it is; several of them made into one row. */

export interface Kind {
  readonly id: string;
  readonly name: string;
  /** What it stands for, where it is seen in another form. */
  readonly value?: string;
}

export interface Stretch {
  readonly start: number;
  readonly end: number;
}

export interface Spot extends Stretch {
  readonly kind: Kind;
}

/** In order, and none within another: what overlaps becomes one, of the kind of the first. */
export function inOrder(spots: readonly Spot[]): readonly Spot[] {
  const ordered: Spot[] = [];
  for (const spot of spots.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    const last = ordered.at(-1);
    if (!last || spot.start >= last.end) ordered.push(spot);
    else if (spot.end > last.end) ordered[ordered.length - 1] = joined(last, spot);
  }
  return ordered;
}

/** As it is seen: what one of them stands for is not what both of them do. */
function joined({ start, kind: { id, name } }: Spot, { end }: Spot): Spot {
  return { start, end, kind: { id, name } };
}

/** Those that touch none of these places. */
export function outside(places: readonly Stretch[], spots: readonly Spot[]): readonly Spot[] {
  if (places.length === 0) return spots;
  return spots.filter(({ start, end }) => {
    // The first place that is not wholly before it decides; they stand in order.
    const next = firstEndingBehind(places, start);
    return next === undefined || next.start >= end;
  });
}

function firstEndingBehind(places: readonly Stretch[], start: number): Stretch | undefined {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((places[middle]?.end ?? 0) <= start) low = middle + 1;
    else high = middle;
  }
  return places[low];
}

export function replaced(text: string, spots: readonly Spot[], by: (spot: Spot) => string): string {
  let made = "";
  let at = 0;
  for (const spot of spots) {
    made += text.slice(at, spot.start) + by(spot);
    at = spot.end;
  }
  return made + text.slice(at);
}
