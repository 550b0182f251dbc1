import { StreamLanguage } from "@codemirror/language";
import { standardSQL } from "@codemirror/legacy-modes/mode/sql";

export const language = StreamLanguage.define(standardSQL);
export const parser = language.parser;
