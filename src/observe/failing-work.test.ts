import { expect, test } from 'vitest'
import type { ServiceEvent } from './event.ts'
import { FailingWork } from './failing-work.ts'

const failure = { message: 'no room', retryInMs: 1000 }
const sealFailed: ServiceEvent = { kind: 'sealFailed', ...failure }
const mergeFailed: ServiceEvent = { kind: 'mergeFailed', ...failure }
const sealed: ServiceEvent = { kind: 'sealed', position: 1, files: 1, rows: 1, bytes: 1, ms: 1 }
const validated: ServiceEvent = { kind: 'rowsValidated', rows: 1, again: 0, rejected: 0, ingests: [], ms: 1 }

test.each<[string, (ServiceEvent | number)[], unknown]>([
  ['nothing failed', [sealed], []],
  ['a seal failed', [10, sealFailed], [{ work: 'seal', sinceMs: 10, failures: 1 }]],
  ['a seal failed twice', [10, sealFailed, 20, sealFailed], [{ work: 'seal', sinceMs: 10, failures: 2 }]],
  ['a seal failed, then succeeded', [10, sealFailed, 20, sealed], []],
  [
    'a seal failed, succeeded and failed',
    [10, sealFailed, 20, sealed, 30, sealFailed],
    [{ work: 'seal', sinceMs: 30, failures: 1 }],
  ],
  [
    'a seal failed, other work succeeded',
    [10, sealFailed, 20, validated],
    [{ work: 'seal', sinceMs: 10, failures: 1 }],
  ],
  [
    'two kinds of work fail',
    [10, mergeFailed, 20, sealFailed],
    [
      { work: 'merge', sinceMs: 10, failures: 1 },
      { work: 'seal', sinceMs: 20, failures: 1 },
    ],
  ],
  ['a file that cannot be removed', [10, { kind: 'removalFailed', name: 'a', message: 'b' }], []],
  ['a failure that was not retried for a long time', [10, mergeFailed, 10 + 600_000], []],
])('the list of failing work: %s', (_, events, list) => {
  let nowMs = 0
  const failing = new FailingWork(() => nowMs)
  for (const event of events) {
    if (typeof event === 'number') nowMs = event
    else failing.observe(event)
  }
  expect(failing.list()).toEqual(list)
})
