export { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
export { bracketMatching, indentService, indentUnit, LRLanguage, syntaxHighlighting } from "@codemirror/language";
export { Compartment, EditorState } from "@codemirror/state";
export { EditorView, highlightSpecialChars, keymap } from "@codemirror/view";
