import { expect, test } from 'vitest'
import { fileOf } from '../../../../test/support/file-of.ts'
import { Removals } from './removals.ts'

/** Removals on no disk: what was deleted, in order. Files that are `read` by other threads stay until `unread` is called. */
function start(read: readonly string[] = []) {
  const deleted: string[] = []
  const unread = new Map<string, () => void>()
  const removals = new Removals({
    unread: ({ info: { name } }) =>
      read.includes(name) ? new Promise((resolve) => unread.set(name, resolve)) : Promise.resolve(),
    removeFile: async ({ info }) => void deleted.push(info.name),
    removeEntity: async (entityId) => void deleted.push(`entity ${entityId}`),
    isHeld: false,
    observe: () => undefined,
    reach: () => undefined,
  })
  /** What can be deleted is. */
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  return { removals, deleted, unread: (name: string) => unread.get(name)!(), turn }
}

const [old, older, other] = [fileOf('old', 1), fileOf('older', 1), fileOf('other', 2)]

test('a file that another thread reads goes when it does not any more', async () => {
  const { removals, deleted, unread, turn } = start(['old'])
  const gone = removals.ofFiles([old, other])
  for (const file of [old, other]) gone(file)
  await turn()
  expect(deleted).toEqual(['other'])
  unread('old')
  await removals.settle()
  expect(deleted).toEqual(['other', 'old'])
})

test('the folder of a dropped entity goes behind files that left before, which runs and other threads still read', async () => {
  const { removals, deleted, unread, turn } = start(['older'])
  const merged = removals.ofFiles([old, older])
  merged(older)
  const dropped = removals.ofEntity(1, [])
  expect(dropped).toBeTypeOf('function')
  await turn()
  unread('older')
  await turn()
  expect(deleted).toEqual(['older'])
  merged(old)
  await removals.settle()
  await turn()
  expect(deleted).toEqual(['older', 'old', 'entity 1'])
})

test('a dropped entity without files has a folder all the same', async () => {
  const { removals, deleted } = start()
  removals.ofEntity(2, [])
  await removals.settle()
  expect(deleted).toEqual(['entity 2'])
})

test('nothing is deleted while files are held', async () => {
  const { removals, deleted, unread, turn } = start(['old'])
  removals.ofFiles([old])(old)
  // Nobody waits for who still reads.
  await removals.hold()
  unread('old')
  await turn()
  expect(deleted).toEqual([])
  removals.release()
  await removals.settle()
  expect(deleted).toEqual(['old'])
})
