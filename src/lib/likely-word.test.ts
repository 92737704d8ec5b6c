import { expect, test } from 'vitest'
import { didYouMean, likelyWord } from './likely-word.ts'

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
])('suggests for %s: %s', (word, likely) => {
  expect(likelyWord(word, known)).toBe(likely)
})

test.each([
  ['давление', 'температура', null],
  ['тeмпература', 'температура', 'температура'],
  ['圧力', '温度', null],
  ['°', '%', null],
])('compares the letters of every script: %s with %s', (word, one, likely) => {
  expect(likelyWord(word, [one])).toBe(likely)
})

test('adds the probable name to a message, if there is one', () => {
  expect(didYouMean('plnat', ['plant', 'other'])).toBe(' "plant" may be meant.')
  expect(didYouMean('nothing', ['plant', 'other'])).toBe('')
})

test('searches only the first of very many names', () => {
  function* names(): Generator<string> {
    for (let count = 0; ; count++) yield `name-${count}`
  }
  expect(likelyWord('nmae-7', names())).toBe('name-7')
  expect(likelyWord('unlike all of them', names())).toBe(null)
})
