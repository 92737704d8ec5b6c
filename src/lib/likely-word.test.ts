import { expect, test } from 'vitest'
import { likelyWord } from './likely-word.ts'

const known = ['limits', 'limits.resultRows', 'limits.checkRows', 'port', 'adminKey']

test.each([
  ['limts', 'limits'],
  ['limist', 'limits'],
  ['Limits', 'limits'],
  ['limts.resultRow', 'limits.resultRows'],
  ['limits.result_rows', 'limits.resultRows'],
  ['admin-key', 'adminKey'],
  ['prot', 'port'],
  ['limits.rows', null],
  ['po', null],
  ['', null],
  ['l'.repeat(1000), null],
])('%s is likely %s', (word, likely) => {
  expect(likelyWord(word, known)).toBe(likely)
})
