import{a as r}from"./shared-JJNSVMTI.mjs";import"./shared-XP5FFPFA.mjs";import"./shared-DIL73FS4.mjs";var e=r.configure({dialect:"ts jsx"});export{e as parser};
