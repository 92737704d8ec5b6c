import { expect, test } from 'vitest'
import type { Field } from '../model/field.ts'
import { valueOfWrongType, valueOutOfRange } from '../model/row-fault.ts'
import { numberHint, timeHint } from './rejection-hints.ts'

const time: Field = { name: 'D', source: 'D', type: 'timestamp', role: 'time' }
const value: Field = { name: 'V', source: 'V', type: 'double', role: 'metric' }

test.each([
  ['1397088120', ['seconds']],
  ['1397088120.5', ['seconds']],
  ['25/10/2026 01:30', ['dd/MM/yyyy HH:mm']],
  ['10/25/2026 1:30 AM', ['MM/dd/yyyy h:mm a']],
  ['05/10/26', ['dd/MM/yy', 'MM/dd/yy']],
  ['25.10.2026 01:30:00', ['dd.MM.yyyy HH:mm:ss']],
])('%s', (example, formats) => {
  expect(timeHint([valueOfWrongType(time, JSON.stringify(example))])).toEqual({ example, formats })
})

test.each([
  ['1397088120000000', ['microseconds']],
  ['1397088120000000000', ['nanoseconds']],
])('%s, which was read as milliseconds', (example, formats) => {
  expect(timeHint([valueOutOfRange(time, example)])).toEqual({ example, formats })
})

test('nothing is guessed of other faults', () => {
  const others = [valueOfWrongType(value, '"1397088120"'), valueOfWrongType(time, '"soon, maybe"')]
  expect(timeHint([...others, valueOfWrongType(time, '"40.40.2026"')])).toBeNull()
})

test.each([
  ['1,5', 'comma'],
  ['1.081,5', 'comma'],
  ['81.5', 'point'],
  ['1,234.5', 'point'],
  ['1,234', 'ambiguous'],
  ['-1.234', 'ambiguous'],
  ['12/5', null],
  ['1,2,3', null],
  ['n/a', null],
])('the number %s is %s', (text, is) => {
  const hint = is === null ? null : { example: text, is }
  expect(numberHint([valueOfWrongType(time, '"soon"'), valueOfWrongType(value, JSON.stringify(text))])).toEqual(hint)
})
