/** Generates random secrets of every family for tests, so that the repository contains none. */

import { type Family, isVaried } from "../secrets/pattern.ts";
import { families } from "../secrets/patterns.ts";
import type { Chance } from "./faulty-files/power-cut.ts";

/** Groups, choices, classes and counts are understood; what looks ahead is passed by. `group` is what the first group holds. */
export function sample(pattern: string, chance: Chance): { readonly text: string; readonly group: string | null } {
  const reader = new Reader(pattern, chance);
  const text = reader.choices();
  return { text, group: reader.group };
}

class Reader {
  readonly #pattern: string;
  readonly #chance: Chance;
  #at = 0;
  group: string | null = null;

  constructor(pattern: string, chance: Chance) {
    this.#pattern = pattern;
    this.#chance = chance;
  }

  /** All of them are made, and one is taken. */
  choices(): string {
    const made = [this.#sequence()];
    while (this.#next === "|") {
      this.#at += 1;
      made.push(this.#sequence());
    }
    return made[this.#below(made.length)] ?? "";
  }

  get #next(): string {
    return this.#pattern.charAt(this.#at);
  }

  #below(count: number): number {
    return Math.floor(this.#chance() * count);
  }

  #sequence(): string {
    let made = "";
    while (this.#next !== "" && this.#next !== "|" && this.#next !== ")") {
      const start = this.#at;
      const first = this.#part();
      const times = this.#times();
      const end = this.#at;
      made += times > 0 ? first : "";
      for (let more = 1; more < times; more += 1) {
        this.#at = start;
        made += this.#part();
      }
      this.#at = end;
    }
    return made;
  }

  #part(): string {
    if (this.#next === "(") return this.#parenthesis();
    if (this.#next === "[") return this.#class();
    const sign = this.#sign();
    return sign.length === 1 ? sign : (sign[this.#below(sign.length)] ?? "");
  }

  #parenthesis(): string {
    const [opening = "("] = /^\((?:\?[:!=])?/.exec(this.#pattern.slice(this.#at)) ?? [];
    this.#at += opening.length;
    const made = this.choices();
    this.#at += 1;
    if (opening === "(") this.group = made;
    return opening === "(?!" || opening === "(?=" ? "" : made;
  }

  #class(): string {
    this.#at += 1;
    const isNot = this.#next === "^";
    if (isNot) this.#at += 1;
    let signs = "";
    while (this.#next !== "]") signs += this.#range();
    this.#at += 1;
    const wanted = isNot ? Array.from(ALL).filter((sign) => !signs.includes(sign)) : Array.from(signs);
    return wanted[this.#below(wanted.length)] ?? "";
  }

  #range(): string {
    const first = this.#sign();
    if (this.#next !== "-" || this.#pattern.charAt(this.#at + 1) === "]") return first;
    this.#at += 1;
    const last = this.#sign();
    const [from, to] = [first.charCodeAt(0), last.charCodeAt(0)];
    return Array.from({ length: to - from + 1 }, (_, at) => String.fromCharCode(from + at)).join("");
  }

  /** One letter, or all that an escape stands for. */
  #sign(): string {
    const sign = this.#next;
    this.#at += 1;
    if (sign !== "\\") return sign;
    const escaped = this.#next;
    this.#at += 1;
    return SETS[escaped] ?? escaped;
  }

  #times(): number {
    const [count, least, comma, most] = /^\{(\d+)(,?)(\d*)\}/.exec(this.#pattern.slice(this.#at)) ?? [];
    if (count !== undefined) {
      this.#at += count.length;
      const from = Number(least);
      const to = most ? Math.min(Number(most), from + SPREAD) : from + (comma ? SPREAD : 0);
      return from + this.#below(to - from + 1);
    }
    if (this.#next !== "?") return 1;
    this.#at += 1;
    return this.#below(2);
  }
}

const SPREAD = 6;
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const ALL = `${LETTERS}${DIGITS}!#%&()*+,-.;=?^_|~`;
const SETS: Readonly<Record<string, string>> = { w: `${LETTERS}${DIGITS}_`, d: DIGITS, s: " ", t: " ", n: "\n" };

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
