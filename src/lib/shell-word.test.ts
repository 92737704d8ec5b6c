import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { shellWord } from './shell-word.ts'

test.each([
  ['plant', 'plant'],
  ['a/b-1.csv', 'a/b-1.csv'],
  ['line 3', '"line 3"'],
  [';', '";"'],
  ['', '""'],
  ["it's $5", `'it'\\''s $5'`],
])('%j is written as %s', (text, word) => {
  expect(shellWord(text)).toBe(word)
  expect(execFileSync('sh', ['-c', `printf %s ${word}`], { encoding: 'utf8' })).toBe(text)
})
