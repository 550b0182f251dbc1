// @ts-check
/** Code field: a textarea, replaced by CodeMirror once that is loaded. */

import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";
import { grammarOf } from "./grammars.js";
import { highlighter } from "./highlighting.js";
import { lazyLibrary } from "./lazy_library.js";

const INDENT = "    ";
const OPENS_BLOCK = /[:{([]\s*$/;
const codemirror = lazyLibrary(() => import("../../vendor/code/editor.mjs"));

/**
 * @typedef {{
 *   id: string,
 *   text: string,
 *   lang: string,
 *   off: boolean,
 *   isWrong: boolean,
 *   describedBy: string,
 *   longest: number,
 *   onText: (text: string) => void,
 *   onSend: (event: Event) => void,
 *   field: { current: HTMLElement | null },
 * }} Props `field` is given what takes the focus
 */

/** @param {Props} props */
export function CodeField(props) {
  const library = codemirror();
  const grammar = grammarOf(props.lang);
  const by = grammar && highlighter();
  const plain = props.field.current;
  const caret =
    library && plain instanceof HTMLTextAreaElement && plain === document.activeElement ? plain.selectionStart : null;
  return library
    ? html`<${Editor} ...${props} library=${library} grammar=${grammar} by=${by} caret=${caret} />`
    : html`<${Plain} ...${props} />`;
}

/** The field without the editor: Tab leaves it, as everywhere. @param {Props} props */
const Plain = ({ id, text, off, isWrong, describedBy, longest, onText, onSend, field }) => html`<textarea
  class="field code"
  id=${id}
  ref=${field}
  rows="7"
  maxlength=${longest}
  spellcheck="false"
  dir="ltr"
  readonly=${off}
  aria-label=${t("tu.code_label")}
  value=${text}
  aria-invalid=${isWrong || undefined}
  aria-describedby=${describedBy}
  onInput=${(/** @type {any} */ event) => onText(event.target.value)}
  onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
    if (sends(event)) onSend(event);
  }}
></textarea>`;

/** Ctrl or Cmd with Enter. @param {KeyboardEvent} event */
const sends = (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey);

/**
 * @param {Props & { library: any, grammar: any, by: any, caret: number | null }} props `caret`: its position in the
 *   textarea, if that had the focus
 */
function Editor(props) {
  const { library, grammar, by, caret, text, off, isWrong, describedBy, field } = props;
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const made = useRef(/** @type {ReturnType<typeof editorIn> | null} */ (null));
  const now = useRef(props);
  now.current = props;
  useLayoutEffect(() => {
    const editor = editorIn(/** @type {HTMLElement} */ (place.current), library, now);
    made.current = editor;
    field.current = editor.view.contentDOM;
    if (caret !== null) {
      editor.view.dispatch({ selection: { anchor: caret } });
      editor.view.focus();
    }
    return () => {
      field.current = null;
      editor.view.destroy();
    };
  }, [library]);
  useLayoutEffect(() => made.current?.colour(grammar, by), [library, grammar, by]);
  useLayoutEffect(() => made.current?.show(text), [library, text]);
  useLayoutEffect(() => made.current?.stand(off, isWrong, describedBy), [library, off, isWrong, describedBy]);
  return html`<div class=${off ? "field code editor off" : "field code editor"} dir="ltr" ref=${place}></div>`;
}

/**
 * @param {HTMLElement} parent
 * @param {any} library
 * @param {{ current: Props }} now the props as they are when something happens
 */
function editorIn(parent, library, now) {
  const { EditorView, EditorState, Compartment, keymap } = library;
  const changing = new Compartment();
  const language = new Compartment();
  const standing = (/** @type {boolean} */ off, /** @type {boolean} */ isWrong, /** @type {string} */ describedBy) => [
    EditorState.readOnly.of(off),
    EditorView.contentAttributes.of({
      id: now.current.id,
      "aria-label": t("tu.code_label"),
      "aria-describedby": describedBy,
      ...(off && { "aria-readonly": "true" }),
      ...(isWrong && { "aria-invalid": "true" }),
    }),
  ];
  const { off, isWrong, describedBy, text, longest } = now.current;
  const leave = (/** @type {any} */ view) => {
    view.setTabFocusMode(true);
    return true;
  };
  const send = () => {
    now.current.onSend(new Event("submit", { cancelable: true }));
    return true;
  };
  const view = new EditorView({
    parent,
    doc: text,
    extensions: [
      ...(nonce() ? [EditorView.cspNonce.of(nonce())] : []),
      library.history(),
      library.highlightSpecialChars(),
      library.bracketMatching(),
      library.indentUnit.of(INDENT),
      library.indentService.of(indentAt),
      EditorState.tabSize.of(INDENT.length),
      EditorState.changeFilter.of(
        (/** @type {any} */ change) => change.newDoc.length <= Math.max(longest, change.startState.doc.length),
      ),
      language.of([]),
      keymap.of([
        { key: "Mod-Enter", run: send },
        { key: "Escape", run: leave },
        { key: "Tab", run: library.indentMore, shift: library.indentLess },
        ...library.defaultKeymap,
        ...library.historyKeymap,
      ]),
      changing.of(standing(off, isWrong, describedBy)),
      EditorView.updateListener.of((/** @type {any} */ update) => {
        if (update.docChanged || (update.focusChanged && !view.hasFocus)) view.setTabFocusMode(false);
        if (update.docChanged) now.current.onText(update.state.doc.toString());
      }),
    ],
  });
  const show = (/** @type {string} */ words) => {
    const doc = view.state.doc.toString();
    if (words !== doc) view.dispatch({ changes: { from: 0, to: doc.length, insert: words } });
  };
  const colour = (/** @type {any} */ grammar, /** @type {any} */ by) =>
    view.dispatch({
      effects: language.reconfigure(
        grammar && by
          ? [
              grammar.language ?? library.LRLanguage.define({ parser: grammar.parser }),
              library.syntaxHighlighting(by.style),
            ]
          : [],
      ),
    });
  const stand = (/** @type {boolean} */ isOff, /** @type {boolean} */ wrong, /** @type {string} */ ids) =>
    view.dispatch({ effects: changing.reconfigure(standing(isOff, wrong, ids)) });
  return { view, show, colour, stand };
}

/**
 * New line with the indentation of the one before, deeper after an opened block.
 * @param {any} context
 * @param {number} at
 * @returns {number} in columns
 */
function indentAt(context, at) {
  const line = context.state.doc.lineAt(at);
  const before = at === line.from ? line.text : line.text.slice(0, at - line.from);
  return (/^\s*/.exec(before)?.[0].length ?? 0) + (at > line.from && OPENS_BLOCK.test(before) ? INDENT.length : 0);
}

/** The nonce that the page's policy asks of style sheets. */
const nonce = () => /** @type {HTMLScriptElement | null} */ (document.querySelector("script[nonce]"))?.nonce ?? "";
