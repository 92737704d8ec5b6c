import { expect, test } from 'vitest'
import type { Field } from '../model/field.ts'
import { valueOfWrongType, valueOutOfRange } from '../model/row-fault.ts'
import { conversionHints, numberHint, timeHint } from './rejection-hints.ts'

const time: Field = { name: 'D', source: 'D', type: 'timestamp', role: 'time' }
const value: Field = { name: 'V', source: 'V', type: 'double', role: 'metric' }

test.each([
  ['1397088120', ['seconds']],
  ['1397088120.5', ['seconds']],
  ['1397088120,5', ['seconds']],
  ['2026/03/01 08:00:00.5', ['yyyy/MM/dd HH:mm:ss.S']],
  ['Mar 1, 2026 8:00:00 AM', ['MMM d, yyyy h:mm:ss a']],
  ['01-Mar-26 08:00:00', ['dd-MMM-yy HH:mm:ss']],
  ['1397088120000', ['milliseconds']],
  ['2026010108', ['yyyyMMddHH', 'seconds']],
  ['25/10/2026 01:30', ['dd/MM/yyyy HH:mm']],
  ['10/25/2026 1:30 AM', ['MM/dd/yyyy h:mm a']],
  ['05/10/26', ['dd/MM/yy', 'MM/dd/yy']],
  ['25.10.2026 01:30:00', ['dd.MM.yyyy HH:mm:ss']],
  ['26-03-01 08:00', ['yy-MM-dd HH:mm']],
  ['25-12-31', ['dd-MM-yy', 'yy-MM-dd']],
  ['05/10/98', ['dd/MM/yy', 'MM/dd/yy']],
  ['2603010800', ['yyMMddHHmm', 'seconds']],
])('%s', (example, formats) => {
  expect(timeHint([valueOfWrongType(time, JSON.stringify(example))])).toEqual({ example, formats })
})

test.each([
  ['1397088120000000', ['microseconds']],
  ['1397088120000000000', ['nanoseconds']],
])('%s, out of range as milliseconds', (example, formats) => {
  expect(timeHint([valueOutOfRange(time, example)])).toEqual({ example, formats })
})

test.each([
  ['31/02/2026 01:30', ''],
  ['25/10/2026 25:30', ''],
  ['1397088120.5', 'seconds'],
])('for %s proposes neither a pattern that does not read it nor the given one', (example, given) => {
  expect(timeHint([valueOfWrongType(time, JSON.stringify(example))], given)).toBeNull()
})

test.each([
  [['3/1/2026 8:00:00 AM', '3/13/2026 12:05:00 AM'], ['MM/dd/yyyy h:mm:ss a']],
  [['01/03/2026', '14/03/2026'], ['dd/MM/yyyy']],
  [
    ['01/03/2026', '02/03/2026'],
    ['dd/MM/yyyy', 'MM/dd/yyyy'],
  ],
])('for %j together proposes %j', (examples, formats) => {
  const rejections = examples.map((example) => valueOfWrongType(time, JSON.stringify(example)))
  expect(timeHint(rejections)).toEqual({ example: examples[0], formats })
})

test.each([
  [' 1.5', 'number'],
  ['+1.5', 'number'],
  ['.5', 'number'],
  ['n/a', null],
])('for the number %j proposes the conversion %s', (example, conversion) => {
  const hints = conversionHints([valueOfWrongType(value, JSON.stringify(example))])
  expect(hints).toEqual(conversion === null ? [] : [{ property: 'V', example, conversion }])
})

test('for TRUE in a boolean field proposes the conversion boolean', () => {
  const on: Field = { name: 'on', source: 'on', type: 'boolean', role: 'metric' }
  const faults = ['"TRUE"', '1', '"yes"'].map((text) => valueOfWrongType(on, text))
  expect(conversionHints(faults)).toEqual([{ property: 'on', example: 'TRUE', conversion: 'boolean' }])
})

test('proposes nothing for other faults', () => {
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
])('the decimal sign of %s is %s', (text, is) => {
  const hint = is === null ? null : { example: text, is }
  expect(numberHint([valueOfWrongType(time, '"soon"'), valueOfWrongType(value, JSON.stringify(text))])).toEqual(hint)
})
