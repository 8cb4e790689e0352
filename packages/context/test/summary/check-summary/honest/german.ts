/** Honest summaries of German sessions: true, in other words than the user's, with correct citations. */

import type { HonestSummary } from "../../fixtures.ts";

export const german: readonly HonestSummary[] = [
  {
    title: "ein Importer",
    session: [
      "user: Der CSV-Import in src/import/reader.ts verschluckt sich an Umlauten. Bitte beheben, und schreib einen Test mit ISO-8859-1 dazu. Keine neuen Abhängigkeiten.",
      "calls: read path=src/import/reader.ts",
      "result: fs.readFileSync(path, 'utf8').split(';')",
      "says: Die Datei wird immer als utf8 gelesen.",
      "calls: edit path=src/import/reader.ts",
      "result: ok",
      "user: Und bitte die Spaltennamen nicht mehr in Kleinbuchstaben umwandeln.",
      "calls: bash command=vitest",
      "result: 17 passed",
    ],
    summary: `## Goal
- Den CSV-Import in src/import/reader.ts beheben, der sich an Umlauten verschluckt (entry:e1)
- Einen Test mit ISO-8859-1 schreiben (entry:e1)

## Constraints & Preferences
- Keine neuen Abhängigkeiten (entry:e1)
- Spaltennamen nicht mehr in Kleinbuchstaben umwandeln (entry:e7)

## Progress
### Done
- [x] Ursache gefunden: Die Datei wurde immer als utf8 gelesen (entry:e3, entry:e4)
- [x] src/import/reader.ts angepasst (entry:e5)
- [x] vitest: 17 passed (entry:e9)
### In Progress
- [ ] Umwandlung der Spaltennamen entfernen (entry:e7)
### Blocked
- (none)

## Key Decisions
- (none)

## Next Steps
1. Den Test mit ISO-8859-1 ergänzen

## Critical Context
- Das Trennzeichen ist das Semikolon (entry:e3)`,
  },
  {
    title: "eine Rechnung als PDF",
    session: [
      "user: Ich brauche eine PDF-Ausgabe für Rechnungen. Nimm pdfkit, das haben wir schon. Das Layout soll so aussehen wie in docs/rechnung.png.",
      "calls: read path=package.json",
      'result: "pdfkit": "0.15.0"',
      "calls: write path=src/invoice/pdf.ts",
      "result: ok",
      "says: Das Grundgerüst steht. Soll die Steuernummer in die Fußzeile?",
      "user: Ja, in die Fußzeile, zusammen mit der IBAN. Beträge immer mit zwei Nachkommastellen.",
      "calls: edit path=src/invoice/pdf.ts",
      "result: ok",
    ],
    summary: `## Goal
- PDF-Ausgabe für Rechnungen mit einem Layout wie in docs/rechnung.png (entry:e1)

## Constraints & Preferences
- pdfkit nehmen, das ist schon vorhanden (entry:e1)
- Steuernummer und IBAN kommen in die Fußzeile (entry:e6, entry:e7)
- Beträge immer mit zwei Nachkommastellen (entry:e7)

## Progress
### Done
- [x] Grundgerüst in src/invoice/pdf.ts (entry:e4)
- [x] Fußzeile ergänzt (entry:e8)
### In Progress
- [ ] Layout mit docs/rechnung.png vergleichen (entry:e1)
### Blocked
- (none)

## Key Decisions
- **Fußzeile**: Der Nutzer möchte dort die IBAN haben (entry:e7)

## Next Steps
1. Beträge formatieren

## Critical Context
- pdfkit 0.15.0 (entry:e3)`,
  },
  {
    title: "ein Umbau mit Vorgaben",
    session: [
      "user: Bau die Benutzerverwaltung auf Keycloak um. Die alten Tabellen dürfen auf keinen Fall gelöscht werden, wir brauchen sie noch für die Abrechnung.",
      "calls: bash command=ls",
      "result: src/auth/local.ts src/auth/index.ts db/schema.sql",
      "says: Ich lege src/auth/keycloak.ts an und lasse local.ts bestehen.",
      "calls: write path=src/auth/keycloak.ts",
      "result: ok",
      "user: Passt. Der Realm heißt intern, die Adresse steht in KEYCLOAK_URL.",
      "calls: edit path=src/auth/keycloak.ts",
      "result: ok",
      "calls: bash command=npm",
      "fails: Error: connect ECONNREFUSED 127.0.0.1:8080",
    ],
    summary: `## Goal
- Die Benutzerverwaltung auf Keycloak umbauen (entry:e1)

## Constraints & Preferences
- Die alten Tabellen dürfen nicht gelöscht werden, sie werden noch für die Abrechnung gebraucht (entry:e1)
- Der Realm heißt intern, die Adresse steht in \`KEYCLOAK_URL\` (entry:e7)

## Progress
### Done
- [x] src/auth/keycloak.ts angelegt (entry:e5)
- [x] Realm und Adresse eingetragen (entry:e8)
### In Progress
- [ ] Verbindung testen
### Blocked
- ECONNREFUSED auf 127.0.0.1:8080: Keycloak läuft lokal nicht (entry:e11)

## Key Decisions
- **local.ts bleibt bestehen**: so war es vorgeschlagen (entry:e4)

## Next Steps
1. Keycloak lokal starten

## Critical Context
- db/schema.sql enthält die alten Tabellen (entry:e3)`,
  },
  {
    title: "Kommentare und Sprache",
    session: [
      "user: Übersetze alle Fehlermeldungen in src/messages ins Deutsche. Duzen, nicht siezen. Die Schlüssel bleiben englisch.",
      "calls: bash command=grep",
      "result: src/messages/errors.json:14 src/messages/forms.json:9",
      "calls: edit path=src/messages/errors.json",
      "result: ok",
      "user: Bei forms.json bitte vorher zeigen, was du ändern willst.",
      "says: Hier ist die Liste für forms.json: required → Bitte füll dieses Feld aus.",
    ],
    summary: `## Goal
- Alle Fehlermeldungen in src/messages ins Deutsche übersetzen (entry:e1)

## Constraints & Preferences
- Duzen, nicht siezen (entry:e1)
- Die Schlüssel bleiben englisch (entry:e1)
- Bei forms.json vorher zeigen, was geändert werden soll (entry:e6)

## Progress
### Done
- [x] src/messages/errors.json übersetzt (entry:e4)
### In Progress
- [ ] Liste für src/messages/forms.json gezeigt (entry:e7)
### Blocked
- Wartet auf Bestätigung des Nutzers zur Liste (entry:e7)

## Key Decisions
- (none)

## Next Steps
1. forms.json übersetzen, sobald die Liste bestätigt ist

## Critical Context
- errors.json hat 14, forms.json 9 Stellen (entry:e3)`,
  },
  {
    title: "ein langsamer Build",
    session: [
      "user: Der Build dauert 6 Minuten, das nervt. Schau mal, ob esbuild statt webpack geht. Source Maps müssen weiter funktionieren.",
      "calls: read path=webpack.config.js",
      "result: devtool: 'source-map', entry: './src/main.tsx'",
      "calls: write path=build.mjs",
      "result: ok",
      "calls: bash command=node",
      "result: Done in 4.1s",
      "user: Super! Dann wirf webpack raus.",
      "calls: bash command=npm",
      "result: removed 212 packages",
    ],
    summary: `## Goal
- Den Build beschleunigen: er dauert 6 Minuten; esbuild statt webpack (entry:e1)
- webpack rauswerfen (entry:e8)

## Constraints & Preferences
- Source Maps müssen weiter funktionieren (entry:e1)

## Progress
### Done
- [x] build.mjs mit esbuild, läuft in 4.1s (entry:e4, entry:e7)
- [x] webpack entfernt: removed 212 packages (entry:e10)
### In Progress
- [ ] Source Maps prüfen (entry:e1)
### Blocked
- (none)

## Key Decisions
- **esbuild**: vom Nutzer vorgeschlagen (entry:e1)

## Next Steps
1. webpack.config.js löschen, falls noch vorhanden

## Critical Context
- Einstieg ist ./src/main.tsx (entry:e3)`,
  },
];
