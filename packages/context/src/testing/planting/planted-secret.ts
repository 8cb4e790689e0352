/** Secrets of every family, made by chance: as they stand in a text, and what must never be seen of it. */

import { families } from "../../secrets/families/families.ts";
import type { Family } from "../../secrets/family.ts";
import { isVaried } from "../../secrets/scanning/random.ts";
import type { Chance } from "../faulty-files/power-cut.ts";
import { sample } from "./sample.ts";

export interface PlantedSecret {
  readonly family: string;
  /** As it stands in a text, with what gives it away. */
  readonly text: string;
  readonly secret: string;
}

/** One of each family, and around again. */
export function plantedSecrets(count: number, chance: Chance): readonly PlantedSecret[] {
  return Array.from({ length: count }, (_, at) => {
    const family = families[at % (families.length + 1)];
    return family ? plantedSecret(family, chance) : privateKeyLine(chance);
  });
}

function plantedSecret(family: Family, chance: Chance): PlantedSecret {
  const shape = SHAPES[family.id] ?? ((by: Chance) => sample(family.pattern, by));
  const { isLikely = isVaried } = family;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const { text, group } = shape(chance);
    const secret = group ?? text;
    if (isLikely(secret) && family.needles.some((needle) => text.includes(needle)))
      return { family: family.id, text: `${BEFORE[family.id] ?? ""}${text}`, secret };
  }
  throw new Error(`chance makes no ${family.name}`);
}

const MOST_TRIES = 1_000;

type Shape = (chance: Chance) => { readonly text: string; readonly group: string | null };

/** What a pattern alone does not make. */
const SHAPES: Readonly<Record<string, Shape>> = {
  jwt: (chance) => ({
    text: `${btoa('{"alg":"HS256","typ":"JWT"}').replaceAll("=", "")}.eyJ${letters(40, chance)}.${letters(43, chance)}`,
    group: null,
  }),
  dockerlogin: (chance) => {
    const group = login(chance);
    return { text: `"auth": "${group}"`, group };
  },
  basic: (chance) => {
    const group = login(chance);
    return { text: `Authorization: Basic ${group}`, group };
  },
  aws: (chance) => {
    const group = sample("[A-Za-z0-9+/]{40}", chance).text;
    return { text: `aws_secret_access_key = ${group}`, group };
  },
  awssession: (chance) => {
    const group = sample("[A-Za-z0-9+/]{200}", chance).text;
    return { text: `AWS_SESSION_TOKEN="${group}"`, group };
  },
  azure: (chance) => {
    const group = sample("[A-Za-z0-9+/]{86}==", chance).text;
    return { text: `AccountName=a;AccountKey=${group};EndpointSuffix=b`, group };
  },
  flagged: (chance) => {
    const group = letters(28, chance);
    return { text: `deploy --api-token ${group}`, group };
  },
  assigned: (chance) => {
    const group = letters(28, chance);
    return { text: `DB_PASSWORD=${group}`, group };
  },
};

/** Names that a needle only ends. */
const BEFORE: Readonly<Record<string, string>> = {
  login: "machine host login me p",
  urlpassword: "postgres",
  bearer: "authorization: B",
};

function privateKeyLine(chance: Chance): PlantedSecret {
  const secret = letters(64, chance);
  const mark = (word: string): string => `-----${word} RSA PRIVATE ${"KEY"}-----`;
  return {
    family: "privatekey",
    text: `${mark("BEGIN")}\n${secret}\n${letters(20, chance)}==\n${mark("END")}`,
    secret,
  };
}

function login(chance: Chance): string {
  return btoa(`robot:${letters(24, chance)}`);
}

function letters(count: number, chance: Chance): string {
  return sample(`[A-Za-z0-9]{${count}}`, chance).text;
}
