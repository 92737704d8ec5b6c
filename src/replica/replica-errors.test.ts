import { expect, test } from 'vitest'
import { ReplicaErrors } from './replica-errors.ts'

test.each([
  [[], 'cannot be written now: it is being made. Pushes wait'],
  [['the folder does not exist: is its disk mounted?'], 'is its disk mounted? Pushes wait'],
  [['Another service has taken over. Stop this one.'], 'Stop this one. Pushes wait'],
  [['it refused the key'], 'it refused the key. Pushes wait'],
])('the error of a waiting push states the failures %j in complete sentences', (failures, said) => {
  const errors = new ReplicaErrors(() => undefined)
  for (const failure of failures) errors.report('store', failure)
  expect(errors.unavailable()).toMatchObject({ code: 'unavailable', message: expect.stringContaining(said) })
})
