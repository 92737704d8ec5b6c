import fc from 'fast-check'

const surrogates = 0x800
const surrogatesFrom = 0xd800

/** Any character of Unicode, for `fc.string`: its own unit `binary` makes a table of all of them first, which takes a second in each worker. */
export const codePoint = fc
  .integer({ min: 0, max: 0x10ffff - surrogates })
  .map((place) => String.fromCodePoint(place < surrogatesFrom ? place : place + surrogates))
