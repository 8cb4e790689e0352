/** Checks whether the user's texts support a claim. */

import { type Clause, clausesOf } from "./clauses.ts";
import type { Heard } from "./heard.ts";
import { isSwapped } from "./swaps.ts";
import type { Grave } from "./tone.ts";
import { type Unit, weightOf } from "./units.ts";
import { contrariesOf } from "./word-lists.ts";

export function restsOn(claim: string, said: readonly Heard[]): boolean {
  if (claim.length > LONGEST_CLAIM || isSwapped(claim, said)) return false;
  const clauses = clausesOf(claim);
  const units = clauses.flatMap((clause) => clause.units);
  return isSaid(units, said) && clauses.every((clause) => isMostlySaid(clause, said) && isMeant(clause, said));
}

/** Letters. Nobody says that much in a line, and means it. */
export const LONGEST_CLAIM = 4000;

function isSaid(units: readonly Unit[], said: readonly Heard[]): boolean {
  return missing(units, said) <= weightOf(units, SLACK) && !units.some((unit) => isTurned(unit, said));
}

// What is true does not carry along what is not.
function isMostlySaid({ units }: Clause, said: readonly Heard[]): boolean {
  return weightOf(units) < TWO_WORDS || missing(units, said) <= weightOf(units, CLAUSE_SLACK);
}

/** The share that may be missing, of words and in scripts without spaces. */
const SLACK = { words: 0.26, joined: 0.4 };
const CLAUSE_SLACK = { words: 0.5, joined: 0.6 };
const TWO_WORDS = 2;

function missing(units: readonly Unit[], said: readonly Heard[]): number {
  return weightOf(units.filter((unit) => !hasUnit(unit, said)));
}

/** Another number, or the contrary of what was said. */
function isTurned(unit: Unit, said: readonly Heard[]): boolean {
  if (hasUnit(unit, said)) return false;
  return unit.isExact || unit.keys.flatMap(contrariesOf).some((key) => hasKey(key, said));
}

const hasUnit = ({ keys }: Unit, said: readonly Heard[]): boolean => keys.some((key) => hasKey(key, said));
const hasKey = (key: string, said: readonly Heard[]): boolean => said.some(({ byKey }) => byKey.has(key));

function isMeant(clause: Clause, said: readonly Heard[]): boolean {
  return (
    addsNoNegation(clause, said) &&
    dropsNoNegation(clause, said) &&
    [...clause.grave].every((name) => isTold(name, { clause, said })) &&
    addsNoConsent(clause, said)
  );
}

function addsNoNegation({ isNegated, isSoft, isHedged, units }: Clause, said: readonly Heard[]): boolean {
  if (!isNegated && !isSoft) return true;
  const places =
    units.length === 0 ? said.flatMap(({ clauses }) => clauses) : units.flatMap((unit) => placesOf(unit, said));
  return places.some(
    (place) =>
      place.isNegated || place.isSoft || place.isLacking || place.isAfterProhibition || (isHedged && place.isHedged),
  );
}

// "Do not touch the tests" does not say "touch the tests".
function dropsNoNegation({ isNegated, isSoft, units }: Clause, said: readonly Heard[]): boolean {
  if (isNegated || isSoft) return true;
  if (units.some((unit) => unit.weight > 0 && isOnlyForbidden(placesOf(unit, said)))) return false;
  const [fewest = []] = units.map((unit) => placesOf(unit, said)).sort((one, other) => one.length - other.length);
  const whole = fewest.filter(({ keys }) => units.every((unit) => unit.keys.some((key) => keys.has(key))));
  return whole.length === 0 || whole.some(({ isForbidding }) => !isForbidding);
}

function isOnlyForbidden(places: readonly Clause[]): boolean {
  return places.length > 0 && places.every(({ isProhibition }) => isProhibition);
}

function placesOf({ keys }: Unit, said: readonly Heard[]): readonly Clause[] {
  return said.flatMap(({ byKey }) => keys.flatMap((key) => byKey.get(key) ?? []));
}

interface Telling {
  readonly clause: Clause;
  readonly said: readonly Heard[];
}

function isTold(name: Grave, { clause, said }: Telling): boolean {
  if (name === "unasked" && clause.isNegated) return true;
  const isSoft = clause.isSoft && name !== "unasked";
  return said
    .flatMap(({ byGrave }) => byGrave.get(name) ?? [])
    .some((place) => isAboutTheSame(place, { clause, said }) && (isSoft || hasSameSense(clause, place)));
}

function hasSameSense(clause: Clause, place: Clause): boolean {
  const isDoubtful = place.isNegated || place.isAfterProhibition;
  if (clause.isNegated) return isDoubtful || place.isSoft || place.isHedged;
  return !isDoubtful && (clause.isHedged || !place.isHedged);
}

// "Delete the cache, keep the database" does not say "delete the database".
function isAboutTheSame(place: Clause, { clause: { others, files }, said }: Telling): boolean {
  if (!files.every((file) => place.about.has(file))) return false;
  const elsewhere = others.filter(({ keys }) => !keys.some((key) => place.about.has(key)));
  return (
    weightOf(elsewhere) <= weightOf(others) * (1 - ABOUT) &&
    !elsewhere.some((unit) => !unit.isJoined && hasUnit(unit, said))
  );
}

const ABOUT = 1 / 3;

function addsNoConsent({ tellsConsent, isNegated }: Clause, said: readonly Heard[]): boolean {
  if (!tellsConsent || isNegated) return true;
  return said.some(({ clauses }) => clauses.some((place) => place.agrees && !place.isNegated));
}
