// The guide's list of differences equals the table's.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { differences } from './differences.ts'
import { titleOf } from './request.ts'
import { requests } from './requests.ts'

const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/tools.md'), 'utf8')

test('the guide lists every difference, and no other', () => {
  const [, list] = /differ only in this:\n\n((?:- .*\n| {2}.*\n)+)/.exec(guide)!
  const reported = list!
    .split(/^- /m)
    .slice(1)
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
  const known = new Set(Object.values(differences).map(({ says }) => says))
  expect(reported).toEqual([...known])
})

test('every difference is shown by a request', () => {
  const shown = new Set(requests.flatMap(({ differs }) => differs))
  expect(Object.values(differences).filter((difference) => !shown.has(difference))).toEqual([])
})

test('no request occurs twice', () => {
  const titles = requests.map(titleOf)
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([])
})
