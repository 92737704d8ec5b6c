import { expect, test } from 'vitest'
import { Problem } from '../model/problem.ts'
import { Admission } from './admission.ts'

const signal = new AbortController().signal
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Enters under a name that is put into `entered` when its turn comes. */
function enterAll(admission: Admission, names: readonly string[], entered: string[]): void {
  for (const name of names) void Promise.resolve(admission.enter(signal)).then(() => entered.push(name))
}

test('so many run, the others wait in the order in which they came', async () => {
  const admission = new Admission({ runningQueries: 2, waitingQueries: 3 })
  const entered: string[] = []
  enterAll(admission, ['a', 'b', 'c', 'd', 'e'], entered)
  await settled()
  expect(entered).toEqual(['a', 'b'])
  admission.leave()
  await settled()
  expect(entered).toEqual(['a', 'b', 'c'])
  admission.leave()
  admission.leave()
  await settled()
  expect(entered).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('one too many is told to come again', async () => {
  const admission = new Admission({ runningQueries: 1, waitingQueries: 1 })
  enterAll(admission, ['a', 'b'], [])
  try {
    await admission.enter(signal)
    expect.unreachable()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    expect(error).toMatchObject({ code: 'overloaded', status: 503, retryable: true, retryAfterS: 1 })
    expect(error.message).toContain('limits.waitingQueries')
  }
})

test('one that gives up leaves the queue to the others', async () => {
  const admission = new Admission({ runningQueries: 1, waitingQueries: 1 })
  const entered: string[] = []
  enterAll(admission, ['a'], entered)
  const controller = new AbortController()
  const given = Promise.resolve(admission.enter(controller.signal))
  controller.abort(new Error('gone'))
  await expect(given).rejects.toThrow('gone')
  enterAll(admission, ['c'], entered)
  admission.leave()
  await settled()
  expect(entered).toEqual(['a', 'c'])
})

test('one that has given up does not enter', () => {
  const admission = new Admission({ runningQueries: 1, waitingQueries: 1 })
  expect(() => admission.enter(AbortSignal.abort(new Error('gone')))).toThrow('gone')
})

test('places are free again when all have left', async () => {
  const admission = new Admission({ runningQueries: 2, waitingQueries: 0 })
  for (let round = 0; round < 5; round += 1) {
    await admission.enter(signal)
    await admission.enter(signal)
    expect(() => admission.enter(signal)).toThrow(Problem)
    admission.leave()
    admission.leave()
  }
})
