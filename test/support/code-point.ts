import fc from 'fast-check'

const surrogates = 0x800
const surrogatesFrom = 0xd800

/** Any Unicode character, for `fc.string`. fast-check's own unit `binary` first builds a table of all of them, which takes a second in each worker. */
export const codePoint = fc
  .integer({ min: 0, max: 0x10ffff - surrogates })
  .map((place) => String.fromCodePoint(place < surrogatesFrom ? place : place + surrogates))
