/** Words and sentences of generated sessions in German. */

import type { Language } from "./language.ts";

export const german: Language = {
  name: "de",
  sentenceSeparator: " ",
  slots: {
    part: "der Planer|die Abrechnung|der nächtliche Import|der Suchindex|die Postausgangsliste|die Anmeldeseite|der Export|der Zwischenspeicher|das Protokoll|die App|der Verteiler|der Berichtsbau|die Bezahlung|das Formular|der Prüfkreis|der Probelauf|die Verwaltung|der Nachrichtenbus|die Preisliste|die Übersetzung|der Kundendienst|die Datenquelle".split(
      "|",
    ),
    act: "wartet auf eine Antwort|behält eine Kopie von allem|stammt aus einer früheren Fassung|liest nur und schreibt nichts zurück|hängt stärker als gedacht an {thing}|übernimmt, sobald alles andere fertig ist|zeigt {thing} nur auf Nachfrage|wurde wegen {thing} neu gestartet|spricht noch das alte Protokoll|sammelt {thing} aus allen Regionen|reicht {thing} unverändert weiter|kam in Verzug und holte wieder auf|behandelt {thing} gesondert|wurde in zwei Teile zerlegt|verwirft {thing} ohne Meldung|braucht {thing}, bevor etwas geschieht|gibt die Anfrage weiter|wurde zweimal gemessen, mit gleichem Ergebnis".split(
      "|",
    ),
    when: "Nach dem Neustart|An den meisten Tagen|Bei wenig Verkehr|Im letzten Abschnitt|In der ersten Fassung|Seit dem Umzug|Bei großen Konten|Unter Last|Vor der Auslieferung|In der zweiten Region|Am Monatsende|Aus historischen Gründen|In der Praxis|Meistens|Mit dem neuen Treiber|Auf älteren Rechnern|In der Regel".split(
      "|",
    ),
    aside:
      "wie {first} {last} im Frühjahr anmerkte|was zuletzt etwa {n} Minuten dauerte|in rund {n} Prozent der Fälle|siehe Vorgang {ticket}|worum sich {first} kümmert|nach {n} Versuchen|so die Notizen vom {month}|auch wenn sich niemand beschwert hat|was leicht zu übersehen ist|bei Kosten von {n} Euro im Monat|mit höchstens {n} Zeilen".split(
        "|",
      ),
    thing:
      "alten Sitzungen|doppelten Zeilen|Rundungsfehlern|früheren Rechnungen|halben Dateien|Zählerständen|leeren Ordnern|Zeitzonen|toten Verweisen|anonymen Besuchern|langen Namen|Sperrdateien|Vorschaubildern|Kommentaren|späten Ereignissen|Schaltern|Teilerstattungen|verwaisten Einträgen|Tagesgrenzen|Adressänderungen|Testkonten|Drucklayouts|losen Kabeln|Sicherungsbändern|Feiertagsplänen|Postleitzahlen|Versandetiketten|Tastenkürzeln|Garantiefällen|Tippfehlern|Schriftlizenzen|Ersatzbatterien|Parkausweisen|Besucherausweisen|Papierformularen|Steuertabellen|Rufnummern|Sitzungsnotizen|Schaltplänen".split(
        "|",
      ),
    first: "Anja|Bernd|Clara|Dirk|Elif|Frieda|Georg|Hanna|Ida|Jens|Katrin|Lukas|Murat|Nina|Otto|Paula".split("|"),
    last: "Albers|Brandt|Conrad|Dietz|Eggert|Fiedler|Gerlach|Hoppe|Illing|Jahn|Krüger|Lindner|Maurer|Nowak|Oertel|Pohl".split(
      "|",
    ),
    state: "offen|geschlossen|wartet|in Prüfung|blockiert|erledigt|verschoben".split("|"),
    fixed:
      "Eilig ist davon nichts.|So viel war schon bekannt.|Das ist seit Jahren so.|Dazu gibt es eine Seite im Wiki.|Wir kamen mehrmals darauf zurück.|Einzelheiten stehen im Anhang.|Man kann es auch anders sehen.|Der Rest folgt daraus.|Ein kurzer Versuch ergab dasselbe.|Manches davon mag veraltet sein.".split(
        "|",
      ),
  },
  sentences: [
    "{first} nennt es das {coined}-Problem.",
    "Siehe {path} und Vorgang {ticket}.",
    "Früher waren es {n}, jetzt sind es {n}.",
    "{Part} heißt dort {coined}.",
    "{when}: {part} {act}.",
    "{Part} {act}.",
    "{Part} {act}, {aside}.",
    "{Part} {act}, und {part} {act}.",
    "{fixed}",
    "{when} zeigte sich, dass es stimmt: {part} {act}, {aside}.",
    "{first} {last} fragte nach: {part} {act}.",
  ],
  logs: [
    "Anfrage {id} nach {n} ms mit Status {n} beendet",
    "{first} hat {path} geöffnet",
    "Arbeiter {n} übernimmt Auftrag {id}",
    "Treffer im Zwischenspeicher für {id} nach {n} ms",
    "Verbindung {n} von der Gegenseite geschlossen",
    "{n} Bytes nach {path} geschrieben",
    "Sicherungspunkt {n} fertig, {n} Seiten geschrieben",
    "Auftrag {id} wird in {n} s wiederholt",
    "{Part} {act}",
  ],
  requests: [
    "schau dir bitte noch einmal an: {part} {act}",
    "warum steht da: {part} {act}?",
    "gut, weiter mit dem Nächsten",
    "prüfst du das auch mit {thing}?",
    "lass es noch einmal laufen und zeig mir das Ergebnis",
  ],
  replies: [
    "Angesehen: {part} {act}. Als Nächstes prüfe ich es mit {thing}.",
    "{Part} {act}, deshalb habe ich das Lesen geändert.",
    "Die Tests laufen jetzt. {when}: {part} {act}.",
    "Gefunden: {part} {act}, {aside}.",
  ],
  facts: {
    identifier: [
      "Der Schalter dafür heißt «{camel}» und ist aus.",
      "Vor dem Start wird «{upper}={n}» gesetzt.",
      "Die Tabelle dahinter heißt «{snake}».",
      "Alle haben den Kopf «X-{pascal}».",
    ],
    path: [
      "Die Einstellungen kommen aus «{path}» und sonst nirgends her.",
      "Was der Import meldet, landet in «{path}».",
      "Das Zertifikat liegt jetzt in «{path}».",
    ],
    port: ["Die Messwerte gibt es auf Port «{port}».", "Der Tunnel hört auf «localhost:{port}»."],
    version: [
      "Es läuft erst ab libfoam «{version}».",
      "Der Treiber bleibt auf «{version}» stehen.",
      "Seit «v{version}» ist der Fehler weg.",
    ],
    date: ["Die alten Schlüssel laufen am «{date}» ab.", "Der Vertrag mit dem Anbieter endet am «{date}»."],
    number: [
      "Mehr als «{n} MB» darf man nicht hochladen.",
      "Der Vorrat wurde auf «{n} Verbindungen» erhöht.",
      "Nach «{n} Minuten» Stille endet die Sitzung.",
    ],
    name: [
      "Die Schlüssel verwaltet «{first} {coined}».",
      "Fragen dazu beantwortet «{first} {coined}».",
      "Der Anbieter dahinter heißt «{coined} GmbH».",
    ],
    decision: [
      "Beschlossen ist: «das Format {coined} bleibt», weil die Partner es brauchen.",
      "Vereinbart wurde, «{coined} nicht mehr zu unterstützen».",
      "Niemals «den Rechner {coined} neu starten», solange gesichert wird.",
    ],
    unusual: [
      "Der Ersatzschlüssel hängt hinter dem «Aquarium».",
      "Im alten Büro roch es nach «Zimt».",
      "Der Drucker ist nach einem «Vulkan» benannt.",
      "Der Alarm klingt wie eine «Posaune».",
      "Das erste Muster entstand in einer «Scheune».",
    ],
    plain: [
      "Das «zweite Büro hat keinen Aufzug».",
      "Der Kunde «zahlt einmal im Jahr».",
      "Die «Tests für diesen Teil sind langsam».",
      "Die «neue Kollegin kommt am Morgen».",
      "Das «Formular hat jetzt zwei Seiten».",
      "Dieser «Wert kommt vom Server».",
      "Die «alte Seite ist nicht mehr da».",
    ],
  },
};
