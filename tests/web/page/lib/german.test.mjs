// The page in German: the language is the document's, so it stands before anything is read.
import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document = { documentElement: { lang: "de", dir: "ltr", dataset: { languages: "en de" } } };
const { chosenLanguage, languages, t } = await import("../../../../static/lib/i18n.js");
const {
  day,
  hour,
  commaJoined: inRow,
  conjunction: listed,
  money,
  size,
  duration: took,
} = await import("../../../../static/lib/format.js");
const { pieces } = await import("../../../../static/i18n/run.js");
const { t: learn } = await import("../../../../static/i18n/learn.js");
const { askedSentence, fetchSentence, guardSentence, serverSentence } =
  await import("../../../../static/lib/server_words.js");

test("sentences, plurals and numbers are German", () => {
  assert.equal(chosenLanguage(), "de");
  assert.deepEqual(languages(), [
    { tag: "en", name: "English" },
    { tag: "de", name: "Deutsch" },
  ]);
  assert.equal(t("paths.concepts", { n: 1 }), "1 Konzept");
  assert.equal(t("paths.concepts", { n: 1200 }), "1.200 Konzepte");
  assert.equal(
    pieces("tool.save_concept.done", { title: "Alpha" })
      .map((piece) => piece.text)
      .join(""),
    "Konzept Alpha gespeichert",
  );
  assert.equal(learn("rs.first", { title: "Brüche" }), "Mit „Brüche“ anfangen");
});

test("times, sizes, money and lists are written the German way", () => {
  const now = new Date(2026, 10, 20, 12).getTime();
  assert.equal(day(new Date(2026, 10, 19, 23).toISOString(), now), "Gestern");
  assert.equal(day(new Date(2026, 10, 16, 12).toISOString(), now), "Montag");
  assert.equal(day(new Date(2026, 9, 3, 12).toISOString(), now), "3. Oktober");
  assert.equal(hour(new Date(2026, 10, 20, 9, 5)), "09:05");
  assert.equal(took(1100), "1,1 s");
  assert.equal(took(20), "<0,1 s");
  assert.equal(size(1.5 * 1024 ** 2), "1,5 MB");
  assert.equal(money(0.47), "0,47\u00a0$");
  assert.equal(listed(["Alpha", "Beta", "Gamma"]), "Alpha, Beta und Gamma");
  assert.equal(inRow(["1:42", "", "Kostenlos", null]), "1:42, Kostenlos");
});

test("a sentence of the server is said by its code, once the words are there; an unknown one as the server says it", async () => {
  const taken = { code: "title_taken", params: { title: "Brüche" }, message: "There already is 'Brüche' here." };
  assert.equal(serverSentence(taken), "", "nothing is shown that would change a moment later");
  assert.equal(await fetchSentence(taken), "„Brüche“ gibt es hier schon.");
  assert.equal(serverSentence(taken), "„Brüche“ gibt es hier schon.");
  assert.equal(
    serverSentence({ code: "file_too_large", params: { name: "a.pdf", size: 1234567, most: 1e6 }, message: "" }),
    "„a.pdf“ hat 1.234.567 Bytes. Erlaubt sind höchstens 1.000.000.",
  );
  const newer = { code: "from_a_newer_server", message: "Something new." };
  assert.equal(serverSentence(newer), "Something new.");
});

test("what a run asks is said in German, with the input as the server wrote it out; a model's question stays its own", async () => {
  await fetchSentence({ code: "", message: "" });
  const question = 'May save_file be run with this input?\n{"name": "a\\u202eb"}';
  assert.equal(
    askedSentence({ kind: "permission", tool: "save_file", question }),
    'Darf save_file mit dieser Eingabe laufen?\n{"name": "a\\u202eb"}',
  );
  assert.equal(askedSentence({ kind: "question", tool: "ask_human", question: "Which one?" }), "Which one?");
});

test("that the loop stepped in is said by its level and its tool; the closing words of an agent by their code", async () => {
  await fetchSentence({ message: "" });
  const stepped = { level: 1, tool: "save_concept", noticed: "save_concept was called 3 times with the same input" };
  assert.equal(
    guardSentence(stepped),
    "Die Arbeit kommt mit „save_concept“ nicht voran. Das Modell bekommt einen Hinweis.",
  );
  assert.match(guardSentence({ level: 3, tool: null, noticed: "" }), /Jetzt wird gefragt/);
  assert.equal(
    serverSentence({ code: "rationale_path_exists", message: "This path exists already." }),
    "Diesen Lernpfad gibt es schon.",
  );
  assert.equal(serverSentence({ code: null, message: "In the agent's own words." }), "In the agent's own words.");
});

test("an error names what the English sentence names", async () => {
  const held = { code: "budget_held", params: { size: 4000, used: 3900, unit: "tokens" }, message: "" };
  assert.match(await fetchSentence(held), /Budget von 4\.000 tokens .* \(3\.900 verbraucht\)/);
});
