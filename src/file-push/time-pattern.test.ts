import { expect, test } from 'vitest'
import { formatInstant } from '../model/instant.ts'
import { patternParser } from './time-pattern.ts'

test.each([
  ['dd/MM/yyyy HH:mm', '25/10/2026 01:30', '2026-10-25T01:30:00.000Z'],
  ['dd/MM/yyyy HH:mm', '5/1/2026 1:05', '2026-01-05T01:05:00.000Z'],
  ['M/d/yyyy h:mm a', '10/25/2026 1:30 AM', '2026-10-25T01:30:00.000Z'],
  ['M/d/yyyy h:mm a', '10/25/2026 12:05 am', '2026-10-25T00:05:00.000Z'],
  ['M/d/yyyy h:mm a', '10/25/2026 12:05\u202fp. m.', '2026-10-25T12:05:00.000Z'],
  ['dd.MM.yy HH:mm:ss,SSS', '25.10.26 01:30:59,1239', '2026-10-25T01:30:59.123Z'],
  ['dd.MM.yy', '25.10.69', '1969-10-25T00:00:00.000Z'],
  ['yyyyMMddHHmmss', '20261025013059', '2026-10-25T01:30:59.000Z'],
  ['d MMM yyyy', '5 Oct 2026', '2026-10-05T00:00:00.000Z'],
  ['d MMMM yyyy', '5 October 2026', '2026-10-05T00:00:00.000Z'],
  ['d MMM yyyy', '5 SEPT. 2026', '2026-09-05T00:00:00.000Z'],
  ['d MMM yyyy', '5 June 2026', '2026-06-05T00:00:00.000Z'],
  ["yyyy-MM-dd'T'HH:mmX", '2026-10-25T01:30+02:00', '2026-10-24T23:30:00.000Z'],
  ["d 'de' MM yyyy", '5 de 10 2026', '2026-10-05T00:00:00.000Z'],
])('pattern %s reads %s', (pattern, text, instant) => {
  const time = patternParser(pattern)(text)
  expect(time && formatInstant(time.localMs - (time.offsetMs ?? 0))).toBe(instant)
})

test.each([
  ['dd/MM/yyyy HH:mm', '10/25/2026 01:30'],
  ['dd/MM/yyyy HH:mm', '25/10/2026'],
  ['dd/MM/yyyy HH:mm', '25/10/2026 24:01'],
  ['dd/MM/yyyy', '31/02/2026'],
  ['dd.MM.yyyy', '25/10/2026'],
  ['M/d/yyyy h:mm a', '10/25/2026 13:30 PM'],
  ['d MMM yyyy', '5 Okt. 2026x'],
  // Other languages, where the first three letters would be an English month.
  ['d MMMM yyyy', '5 Marzo 2026'],
  ['d MMM yyyy', '5 Juni 2026'],
  ['d MMM yyyy', '5 Octo 2026'],
  ['dd/MM/yyyy HH:mmX', '25/10/2026 01:30+99:00'],
])('pattern %s does not match %s', (pattern, text) => {
  expect(patternParser(pattern)(text)).toBeNull()
})

test.each([
  ['dd/mm/yyyy hh:mm', 'has "m" twice. Months are MM, and minutes mm.'],
  ['dd/mm/yyyy', 'has no month: "M". Months are MM, and minutes mm.'],
  ['DD/MM/YYYY', '"D" in the pattern "DD/MM/YYYY" is not a letter of a time'],
  ['second', '"e" in the pattern "second" is not a letter of a time'],
  ['dd/MM/yyyy hh:mm', 'h (1 to 12) needs a (AM or PM)'],
  ['HH:mm', 'has no year: "y"'],
  ['d MMMMM yyyy', 'MMM or MMMM its English name'],
])('%s is not a valid pattern', (pattern, message) => {
  expect(() => patternParser(pattern)).toThrow(message)
})
