// Relations as text: v < c1 "top left", or v !< c1. As atomlearn.algebra.syntax.

const TOKEN = /\s+|(?<sign>!?<=?)|(?<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<bare>(?:(?!!<)[^\s<#"'])(?:(?!!<)[^\s<#"])*)/gy;
const BARE = /^[^\s<#"'=][^\s<#"]*$/u;
const SIGNLIKE = new Set(["!", "not", "Not", "NOT", "~", "¬", "="]);

export function writeName(name) {
  return BARE.test(name) && !SIGNLIKE.has(name) ? name : JSON.stringify(name);
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
    const { sign: found, quoted, bare } = match.groups;
    if (found !== undefined) {
      if (sign !== null) throw new Error("a second < in one relation; write one relation");
      sign = found;
    } else if (quoted !== undefined || bare !== undefined) {
      sides[sign === null ? 0 : 1].push(quoted === undefined ? bare : unquoted(quoted));
    }
  }
  if (sign === null) throw new Error("write two lists of names with < or !< between them");
  if (!sides[0].length || !sides[1].length) throw new Error(`no name ${sides[0].length ? "after" : "before"} ${sign}`);
  return { left: sides[0], right: sides[1], isPositive: !sign.startsWith("!") };
}
