import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Problem, type ProblemCode, problems } from '../model/problem.ts'
import { rejectCodes } from '../model/row-fault.ts'

const document = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8')
const [ofProblems = '', ofRows = ''] = document.split('## Codes of rejected rows')

function codesIn(part: string): string[] {
  return [...part.matchAll(/^### `(\w+)`$/gm)].map((match) => match[1]!)
}

function isCode(text: string): text is ProblemCode {
  return Object.hasOwn(problems, text)
}

test('docs/errors.md explains every Problem, in the order of the catalog, and no other', () => {
  expect(codesIn(ofProblems)).toEqual(Object.keys(problems))
})

test('docs/errors.md states the status of each Problem, and whether it is retryable', () => {
  const reported = [...ofProblems.matchAll(/^### `(\w+)`\n\nStatus (\d+), (not )?retryable\./gm)]
  const expected = codesIn(ofProblems)
    .filter(isCode)
    .map((code) => {
      const { status, retryable } = new Problem(code, '')
      return [code, String(status), retryable]
    })
  expect(reported.map((match) => [match[1], match[2], match[3] === undefined])).toEqual(expected)
})

test('docs/errors.md explains every code of rejected rows, and no other', () => {
  expect(codesIn(ofRows)).toEqual([...rejectCodes])
})
