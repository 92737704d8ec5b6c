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
])('%s is likely %s', (word, likely) => {
  expect(likelyWord(word, known)).toBe(likely)
})

test.each([
  ['давление', 'температура', null],
  ['тeмпература', 'температура', 'температура'],
  ['圧力', '温度', null],
  ['°', '%', null],
])('letters of every script count: %s beside %s', (word, one, likely) => {
  expect(likelyWord(word, [one])).toBe(likely)
})

test('a message goes on with the name that may be meant', () => {
  expect(didYouMean('plnat', ['plant', 'other'])).toBe(' "plant" may be meant.')
  expect(didYouMean('nothing', ['plant', 'other'])).toBe('')
})

test('of very many names the first are looked at', () => {
  function* names(): Generator<string> {
    for (let count = 0; ; count++) yield `name-${count}`
  }
  expect(likelyWord('nmae-7', names())).toBe('name-7')
  expect(likelyWord('unlike all of them', names())).toBe(null)
})
