// Relations as text: v < c1 "top left", or v !< c1. As atomlearn.algebra.terms.

const TOKEN = /\s+|(?<sign>!?<=?)|(?<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<indexed>(?:(?!!<)[^\s<#"'(])(?:(?!!<)[^\s<#"(])*\(\s*[^\s,()<#"]+(?:\s*,\s*[^\s,()<#"]+)*\s*\)(?=[\s<!#]|$))|(?<bare>(?:(?!!<)[^\s<#"'])(?:(?!!<)[^\s<#"])*)/gy;
const BARE = /^[^\s<#"'=][^\s<#"]*$/u;
const SIGNLIKE = new Set(["!", "not", "Not", "NOT", "~", "¬", "="]);

export function writeName(name) {
  const open = name.indexOf("("); // would take in the name that follows
  const isPlain = name !== "for" && !name.includes("{") && (open < 0 || name.includes(")", open));
  return BARE.test(name) && !SIGNLIKE.has(name) && isPlain ? name : JSON.stringify(name);
}

function unquoted(token) {
  if (token[0] === '"') return JSON.parse(token);
  return JSON.parse(`"${token.slice(1, -1).replace(/\\.|"/g, (m) => ({ "\\'": "'", '"': '\\"' })[m] ?? m)}"`);
}

// {left, right, isPositive} with names, or an error that says what is wrong.
export function parseRelation(text) {
  const sides = [[], []];
  let sign = null;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (!match) throw new Error(`column ${at + 1}: ${text[at]} is not part of a name; put such names in quotes`);
    const { sign: found, quoted, indexed, bare } = match.groups;
    if (found !== undefined) {
      if (sign !== null) throw new Error("a second < in one relation; write one relation");
      sign = found;
    } else if (quoted !== undefined || indexed !== undefined || bare !== undefined) {
      sides[sign === null ? 0 : 1].push(quoted !== undefined ? unquoted(quoted) : indexed?.replace(/\s+/g, "") ?? bare);
    }
  }
  if (sign === null) throw new Error("write two lists of names with < or !< between them");
  if (!sides[0].length || !sides[1].length) throw new Error(`no name ${sides[0].length ? "after" : "before"} ${sign}`);
  return { left: sides[0], right: sides[1], isPositive: !sign.startsWith("!") };
}
