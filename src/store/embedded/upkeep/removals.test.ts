import { expect, test } from 'vitest'
import { fileOf } from '../../../../test/support/file-of.ts'
import { Removals } from './removals.ts'

/** Removals without a disk; `deleted` lists what was deleted, in order. */
function start() {
  const deleted: string[] = []
  const removals = new Removals({
    removeFile: async ({ info }) => void deleted.push(info.name),
    removeEntity: async (entityId) => void deleted.push(`entity ${entityId}`),
    isHeld: false,
    observe: () => undefined,
    reach: () => undefined,
  })
  return { removals, deleted }
}

const [old, older] = [fileOf('old', 1), fileOf('older', 1)]

test('the folder of a dropped entity is deleted after its removed files that runs still read', async () => {
  const { removals, deleted } = start()
  const merged = removals.ofFiles([old, older])
  merged(older)
  const dropped = removals.ofEntity(1, [])
  expect(dropped).toBeTypeOf('function')
  await removals.settle()
  expect(deleted).toEqual(['older'])
  merged(old)
  await removals.settle()
  expect(deleted).toEqual(['older', 'old', 'entity 1'])
})

test('the folder of a dropped entity without files is deleted too', async () => {
  const { removals, deleted } = start()
  removals.ofEntity(2, [])
  await removals.settle()
  expect(deleted).toEqual(['entity 2'])
})

test('nothing is deleted while files are held', async () => {
  const { removals, deleted } = start()
  const gone = removals.ofFiles([old])
  await removals.hold()
  gone(old)
  await removals.settle()
  expect(deleted).toEqual([])
  removals.release()
  await removals.settle()
  expect(deleted).toEqual(['old'])
})
