/**
 * Object names as paths of files. A name's segments are folders, the last one a file that ends with `@`, so that an object
 * and a folder may have one name. Bytes other than `a-z0-9._-` are `%` and two digits in hex: no name leads elsewhere, and
 * names that differ in case only are two files on every file system.
 *
 * Names are strings with one character a byte of UTF-8 here ("binary strings"): they compare as S3 orders names.
 */

/** What an object's file ends with. */
const OBJECT = "@";
/** What a folder ends with whose segment goes on in the next one: file systems take names of 255 bytes. */
const GOES_ON = "+";
/** A segment of no character. */
const EMPTY = "%";
/** Characters of a segment in one folder; encoded they are up to three times as many. */
const PIECE = 80;

export const toBinary = (text) => Buffer.from(text).toString("latin1");
export const fromBinary = (name) => Buffer.from(name, "latin1").toString();

/** The path of an object's file, relative to the bucket's folder. */
export function pathOf(name) {
  const segments = name.split("/");
  const parts = segments.flatMap((segment, i) => {
    const pieces = piecesOf(segment).map(encode);
    const last = pieces.pop();
    return [...pieces.map((piece) => piece + GOES_ON), i === segments.length - 1 ? last + OBJECT : last || EMPTY];
  });
  return parts.join("/");
}

/** The folders that all objects with a prefix are below: `below` is the name that leads there. */
export function folderOf(prefix) {
  const below = prefix.slice(0, prefix.lastIndexOf("/") + 1);
  const path = below === "" ? "" : pathOf(below).split("/").slice(0, -1).join("/");
  return { path, below };
}

/** What an entry of a folder adds to the name; `undefined` of what is no part of a bucket. */
export function entryOf(file, isFolder) {
  if (!isFolder) return file.endsWith(OBJECT) ? { text: decode(file.slice(0, -1)), isFolder } : undefined;
  if (file === EMPTY) return { text: "/", isFolder };
  return { text: file.endsWith(GOES_ON) ? decode(file.slice(0, -1)) : `${decode(file)}/`, isFolder };
}

/** A dot in front would hide a file, or lead to the folder above. */
function encode(piece) {
  return piece.replace(/^\.|[^a-z0-9._-]/gs, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

function decode(encoded) {
  return encoded.replace(/%([0-9a-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** The last piece is shorter than the others, so that what one folder holds begins with it and nothing beside it does. */
function piecesOf(segment) {
  const pieces = [];
  for (let i = 0; i <= segment.length; i += PIECE) pieces.push(segment.slice(i, i + PIECE));
  return pieces;
}
