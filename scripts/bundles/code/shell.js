import { StreamLanguage } from "@codemirror/language";
import { shell } from "@codemirror/legacy-modes/mode/shell";

export const language = StreamLanguage.define(shell);
export const parser = language.parser;
