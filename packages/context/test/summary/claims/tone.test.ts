/** Proves how clauses are told apart: what they tell to do, forbid, ask, allow, or make depend on something. */

import { expect, test } from "vitest";
import { clausesOf } from "../../../src/summary/claims/clauses.ts";

/** A few letters for each clause: N negated, F forbidding, P a prohibition, R in its row, S soft, L lacking, H hedged, A agrees, C tells consent; then what it tells to do. */
const shown = (text: string): readonly string[] =>
  clausesOf(text).map((clause) => {
    const letters = [
      clause.isNegated && "N",
      clause.isForbidding && "F",
      clause.isProhibition && "P",
      clause.isAfterProhibition && "R",
      clause.isSoft && "S",
      clause.isLacking && "L",
      clause.isHedged && "H",
      clause.agrees && "A",
      clause.tellsConsent && "C",
    ].filter((letter) => letter !== false);
    return [letters.join(""), ...clause.grave].join(" ");
  });

test.each([
  ["paint it blue", [""]],
  ["do not paint it", ["NFP"]],
  ["it does not paint", ["N"]],
  ["I don't know the paint", ["N"]],
  ["there is no paint", ["N"]],
  ["no paint", ["NFP"]],
  ["please, no paint", ["NFP"]],
  ["and not the paint", ["NFP"]],
  ["not working on paper", ["N"]],
  ["never paint, wash or iron", ["NFP", "R"]],
  ["never paint, it fades", ["NFP", ""]],
  ["no, paint it", ["NFP", ""]],
  ["paint it but do not wash it", ["", "NFP"]],
  ["paint it and do not wash it", ["", "NFP"]],
  ["paint instead of iron", ["", "NFP"]],
  ["leave the paint alone", ["S"]],
  ["the paint is missing", ["L"]],
  ["if it rains, paint the door", ["H", "H"]],
  ["paint the door, once it is dry", ["H", "H"]],
  ["paint the door. If it rains, wait here", ["", "H", "H"]],
  ["why paint the door", ["H"]],
  ["yes, paint it", ["A", ""]],
  ["the paint was approved", ["AC"]],
  ["delete and push it", [" deleting pushing"]],
  ["open delete.ts", [""]],
  ["push without asking", ["SH pushing unasked"]],
  ["lösche die Farbe nicht", ["NF deleting"]],
  ["die Farbe läuft nicht", ["N"]],
  ["keine Farbe", ["NFP"]],
  ["no borres la pintura", ["NFP deleting"]],
  ["la pintura no sirve", ["N"]],
  ["ne supprime pas la couleur", ["NFP deleting"]],
  ["n'efface rien", ["NFP deleting"]],
  ["o erro está no telhado", [""]],
  ["não apague a tinta", ["NFP deleting"]],
  ["не удаляй краску", ["NFP deleting"]],
  ["краска не сохнет", ["NF"]],
  ["不要删除油漆", ["NFP deleting"]],
  ["特别的油漆", [""]],
  ["油漆干不了", ["N"]],
  ["没问题", ["A"]],
  ["塗料を削除しないで", ["NFP deleting"]],
  ["塗料が乾かない", ["N"]],
  ["페인트를 삭제하지 마세요", ["NFP deleting"]],
  ["", []],
  ["the of and", []],
])("AUD4 %j", (text, clauses) => {
  expect(shown(text)).toEqual(clauses);
});
