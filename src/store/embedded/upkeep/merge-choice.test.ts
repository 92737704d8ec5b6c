import { expect, test } from 'vitest'
import type { SealedFile } from '../reading/sealed-source.ts'
import { DamagedFileError } from '../sealed/damaged-file.ts'
import { MergeChoice } from './merge-choice.ts'

/** Two files of each day. */
function filesOf(...days: readonly number[]): readonly SealedFile[] {
  return days.flatMap((day) =>
    ['a', 'b'].map(
      (name) => ({ info: { entityId: 1, kind: 'day', day, rows: day, name: `${day}${name}` } }) as SealedFile,
    ),
  )
}

const open = (): MergeChoice => new MergeChoice({ filesMin: 2, fileRowsMax: 1000, smallFileRows: 100 })
const namesOf = (files: readonly SealedFile[] | null) => files?.map(({ info }) => info.name) ?? null

test('a failed merge is chosen last, and retried when no other remains', () => {
  const choice = open()
  const files = filesOf(1, 2, 3)
  const tried = Array.from({ length: 4 }, () => {
    const chosen = choice.choose(files)!
    choice.failed(chosen, new Error('no space left'))
    return namesOf(chosen)
  })
  expect(tried).toEqual([
    ['1a', '1b'],
    ['2a', '2b'],
    ['3a', '3b'],
    ['1a', '1b'],
  ])
})

test('a damaged file is not chosen again', () => {
  const choice = open()
  const files = filesOf(1)
  choice.failed(files, new DamagedFileError('/store/1/1b.parquet', 'it is cut short'))
  expect(namesOf(choice.choose(files))).toBeNull()
  expect(namesOf([...choice.damaged])).toEqual(['1b'])
  expect(namesOf(choice.choose([...files, ...filesOf(1)]))).toEqual(['1a', '1a', '1b'])
})
